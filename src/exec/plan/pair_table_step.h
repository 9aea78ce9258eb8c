// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Operations on pairs of 8-bit elements, with broadcasting: looked up in a table of all 65,536
/// pairs, which the reference kernel fills in the first run. So the results are the reference
/// kernel's, and preparing a model with many such steps takes neither time nor memory.

#include <cstddef>
#include <memory>

#include "exec/operation/operation_instance.h"
#include "exec/operation/step.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// With fewer elements, filling the table would take longer than the reference kernel.
inline constexpr std::size_t kMinimumPairs = std::size_t{1} << 16;

/// A step for PRELU, ADD, SUB, MUL, MAXIMUM, MINIMUM or a comparison of 8-bit tensors with an
/// output of at least kMinimumPairs elements, which keeps its table of 64 KiB. Null for other
/// operations. RESOURCE_EXHAUSTED_TRANSIENT if there is no memory.
[[nodiscard]] Result<std::unique_ptr<Step>> makePairTableStep(const OperationInstance& operation);

}  // namespace nnburst::exec
