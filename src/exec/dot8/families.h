// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The families of operations, one in each file. Each returns null for operations that are not
/// covered.

#include "exec/dot8/backend.h"
#include "exec/dot8/window.h"

namespace nnburst::exec::dot8 {

[[nodiscard]] StepResult makeConv2d(const OperationView& operation, const StepContext& context);
[[nodiscard]] StepResult makeDepthwiseConv2d(const OperationView& operation,
                                             const StepContext& context);
/// Depthwise convolutions with larger windows are left to XNNPACK.
inline constexpr std::size_t kMaximumDepthwiseTaps = 128;
/// Of a DEPTHWISE_CONV_2D, or of a GROUPED_CONV_2D whose groups have one input and one output.
[[nodiscard]] StepResult makeDepthwiseStep(const OperationView& operation,
                                           const StepContext& context,
                                           const Convolution& convolution);
[[nodiscard]] StepResult makeGroupedConv2d(const OperationView& operation,
                                           const StepContext& context);
[[nodiscard]] StepResult makeTransposeConv2d(const OperationView& operation,
                                             const StepContext& context);
[[nodiscard]] StepResult makeFullyConnected(const OperationView& operation,
                                            const StepContext& context);

// With the bits of the reference kernels.

[[nodiscard]] StepResult makeAveragePool2d(const OperationView& operation,
                                           const StepContext& context);
[[nodiscard]] StepResult makeMean(const OperationView& operation, const StepContext& context);
[[nodiscard]] StepResult makeQuantizedLstm(const OperationView& operation,
                                           const StepContext& context);
[[nodiscard]] StepResult makeQuantized16bitLstm(const OperationView& operation,
                                                const StepContext& context);

}  // namespace nnburst::exec::dot8
