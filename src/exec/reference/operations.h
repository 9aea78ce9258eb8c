// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The table of all operations.

#include "exec/operation/operation.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// The definition of `type`; null if there is none.
[[nodiscard]] const OperationDefinition* findOperation(OperationType type) noexcept;

/// Whether the shapes of all inputs and the values of all of the operation's `valueInputs` are
/// known. If so, its output shapes can be computed, and `check` checks that the shapes fit each
/// other.
[[nodiscard]] bool hasKnownArguments(const OperationView& operation) noexcept;

}  // namespace nnburst::exec
