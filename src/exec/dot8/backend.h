// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// 8-bit kernels of our own for processors with dot-product instructions: the planner's interface
/// to them. They take CONV_2D, DEPTHWISE_CONV_2D, GROUPED_CONV_2D, TRANSPOSE_CONV_2D and
/// FULLY_CONNECTED with 8-bit elements, where XNNPACK's version of 2022 does not use such
/// instructions, and compute the same bits as XNNPACK. Averages and the products of quantised LSTM
/// operations have the bits of the reference kernels.

#include <pthreadpool.h>

#include <cstdint>
#include <memory>

#include "account/account.h"
#include "exec/dot8/microkernel.h"
#include "exec/dot8/packed_weights.h"
#include "exec/operation/operation.h"
#include "exec/operation/step.h"
#include "nnburst/result.h"

namespace nnburst::exec::dot8 {

/// What steps are created with. All of it outlives the step.
struct StepContext {
    const Microkernels* kernels = nullptr;
    pthreadpool_t threads = nullptr;  ///< null for one thread
    PackedWeights* weights = nullptr;
    std::uint32_t operation = 0;  ///< index in its graph
    Account* account = nullptr;   ///< what is packed is charged to it; null: not charged
};

/// The result of a family: null if the operation is not covered.
using StepResult = Result<std::unique_ptr<Step>>;

/// A step for `operation`, which was checked and whose shapes are known and not empty; null if
/// these kernels do not cover it. Constants must have their values, unless `context.weights` has
/// them packed. RESOURCE_EXHAUSTED_* if its weights cannot be packed.
[[nodiscard]] StepResult makeStep(const OperationView& operation, const StepContext& context);

/// The same for operations that XNNPACK does not cover: these kernels compute the bits of the
/// reference kernels.
[[nodiscard]] StepResult makeStepAsReference(const OperationView& operation,
                                             const StepContext& context);

}  // namespace nnburst::exec::dot8
