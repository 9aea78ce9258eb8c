// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Chooses the step for an operation: the first that covers it among our own 8-bit kernels,
/// XNNPACK's operators and the reference kernels.

#include <cstdint>
#include <memory>

#include "account/account.h"
#include "exec/dot8/packed_weights.h"
#include "exec/operation/operation_instance.h"
#include "exec/operation/step.h"
#include "exec/plan/kernels.h"
#include "exec/xnnpack/operator_cache.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// A step for an operation that was checked and whose shapes are known. `index` is the operation's
/// index in its graph: packed weights, in `weights` and `operators`, are shared by it. What our own
/// kernels pack for it is charged to `account`, unless that is null.
[[nodiscard]] Result<std::unique_ptr<Step>> makeOperationStep(
    OperationInstance operation, std::uint32_t index, const Kernels& kernels,
    dot8::PackedWeights& weights, xnnpack::OperatorCache& operators, Account* account);

}  // namespace nnburst::exec
