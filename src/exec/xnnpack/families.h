// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The families of operators, one a file. Each returns null for operations that XNNPACK does not
/// cover.

#include "exec/xnnpack/operator_step.h"

namespace nnburst::exec::xnnpack {

[[nodiscard]] StepResult makeBinary(const OperationView& operation, const StepContext& context);
[[nodiscard]] StepResult makeAveragePool2d(const OperationView& operation,
                                           const StepContext& context);
[[nodiscard]] StepResult makeConv2d(const OperationView& operation, const StepContext& context);
[[nodiscard]] StepResult makeDepthwiseConv2d(const OperationView& operation,
                                             const StepContext& context);
[[nodiscard]] StepResult makeFullyConnected(const OperationView& operation,
                                            const StepContext& context);
[[nodiscard]] StepResult makeGroupedConv2d(const OperationView& operation,
                                           const StepContext& context);
[[nodiscard]] StepResult makeResizeBilinear(const OperationView& operation,
                                            const StepContext& context);
[[nodiscard]] StepResult makeTransposeConv2d(const OperationView& operation,
                                             const StepContext& context);
[[nodiscard]] StepResult makeMaxPool2d(const OperationView& operation, const StepContext& context);
[[nodiscard]] StepResult makeMean(const OperationView& operation, const StepContext& context);
[[nodiscard]] StepResult makePrelu(const OperationView& operation, const StepContext& context);
[[nodiscard]] StepResult makeUnary(const OperationView& operation, const StepContext& context);
[[nodiscard]] StepResult makeSoftmax(const OperationView& operation, const StepContext& context);

}  // namespace nnburst::exec::xnnpack
