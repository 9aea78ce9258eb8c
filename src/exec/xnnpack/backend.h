// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The planner's interface to XNNPACK: a step for each operation that XNNPACK computes correctly
/// and safely. Debian's version (February 2022) aborts on some arguments, refuses others and
/// computes some wrongly; each family checks for itself before every call, and leaves the rest to
/// the reference kernels.

#include <pthreadpool.h>

#include <cstdint>
#include <memory>

#include "exec/operation/operation.h"
#include "exec/operation/step.h"
#include "exec/xnnpack/operator_cache.h"
#include "nnburst/result.h"

namespace nnburst::exec::xnnpack {

/// Initialises XNNPACK, before any other function of it: once per process, whatever the number of
/// calls. What it sets up stays. GENERAL_FAILURE if XNNPACK does not run on this processor.
[[nodiscard]] Result<> initialize();

/// What steps are created with. The cache and the threads outlive the step.
struct StepContext {
    pthreadpool_t threads = nullptr;  ///< null for one thread
    OperatorCache* operators = nullptr;
    std::uint32_t operation = 0;  ///< index in its graph
};

/// A step for `operation`, which was checked and whose shapes are known; null if XNNPACK does not
/// cover it. Constants must have their values, unless `context.operators` has the operator.
[[nodiscard]] Result<std::unique_ptr<Step>> makeStep(const OperationView& operation,
                                                     const StepContext& context);

}  // namespace nnburst::exec::xnnpack
