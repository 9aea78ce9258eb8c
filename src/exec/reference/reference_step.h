// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A step that runs an operation's reference kernel.

#include <memory>

#include "exec/operation/operation.h"
#include "exec/operation/operation_instance.h"
#include "exec/operation/step.h"

namespace nnburst::exec {

/// Requires an operation that was checked and whose shapes are known. Its kernel asks `products`,
/// if there are any, for the products with its weights.
[[nodiscard]] std::unique_ptr<Step> makeReferenceStep(
    OperationInstance operation, std::unique_ptr<const MatrixProducts> products = nullptr);

}  // namespace nnburst::exec
