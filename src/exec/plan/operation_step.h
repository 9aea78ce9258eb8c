// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The choice of the step for an operation: XNNPACK's operator if it covers the operation, else the
/// reference kernel.

#include <memory>

#include "exec/operation/operation_instance.h"
#include "exec/operation/step.h"
#include "exec/threads/kernel_threads.h"
#include "exec/xnnpack/operator_cache.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// A step for an operation that was checked and whose shapes are known. `index` is the operation's
/// index in its graph: operators with packed weights are shared by it.
[[nodiscard]] Result<std::unique_ptr<Step>> makeOperationStep(OperationInstance operation,
                                                              std::uint32_t index,
                                                              const Kernels& kernels,
                                                              xnnpack::OperatorCache& operators);

}  // namespace nnburst::exec
