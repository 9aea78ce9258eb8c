// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The types, the number and the ranks of operands that each operation takes: what the API checks
/// when an operation is added, while values and sizes may be unknown. Whether these fit each other,
/// devices check when the model is compiled.

#include <vector>

#include "nnburst/types.h"

namespace nnburst::nnapi {

using OperandPointers = std::vector<const Operand*>;

/// Whether one of the forms of `type`, an operation of the HAL other than IF and WHILE, has inputs
/// and outputs like these.
[[nodiscard]] bool hasForm(OperationType type, const OperandPointers& inputs,
                           const OperandPointers& outputs);

}  // namespace nnburst::nnapi
