// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A `PreparedModel` executes requests: synchronously, asynchronously, behind fences, or through a
/// `Burst` (burst.h).

#include <functional>
#include <memory>
#include <span>

#include "nnburst/burst.h"
#include "nnburst/execution.h"
#include "nnburst/export.h"
#include "nnburst/result.h"
#include "nnburst/types.h"
#include "nnburst/unique_fd.h"

namespace nnburst {

/// A fence is any descriptor that becomes readable when it is signalled.
struct FencedExecution {
    UniqueFd fence;  ///< invalid if the execution has already ended
    /// To be called after the fence was signalled. Returns how the execution ended, and its timing
    /// from the launch and from the moment at which all awaited fences were signalled.
    std::function<Result<>(Timing& launched, Timing& fenced)> callback;
};

/// A model that is checked, planned and packed (HAL 1.3 IPreparedModel). Any number of executions
/// of any kind may run at the same time.
class NNBURST_EXPORT PreparedModel {
  public:
    virtual ~PreparedModel() = default;

    /// Executes `request` and waits for its end. The caller leaves the request's memory alone until
    /// then. INVALID_ARGUMENT if the request breaks a rule; OUTPUT_INSUFFICIENT_SIZE, with output
    /// shapes, if an output's buffer is too small; MISSED_DEADLINE_*; DEVICE_UNAVAILABLE if the
    /// driver is gone, or has not answered kDeadlineGrace after the deadline (isMemoryInUse);
    /// RESOURCE_EXHAUSTED_TRANSIENT if an input or output overlaps with memory in use.
    [[nodiscard]] virtual Result<> executeSynchronously(const Request& request,
                                                        const ExecutionOptions& options,
                                                        ExecutionOutcome& outcome) = 0;

    /// Launches an execution. The callback comes exactly once, also if this call gives an error.
    /// The caller leaves the request's memory alone until then. Errors of executeSynchronously.
    [[nodiscard]] virtual Result<> execute(const Request& request, const ExecutionOptions& options,
                                           ExecutionCallback callback) = 0;

    /// Launches an execution that starts when all `waitFor` fences are signalled. The outputs must
    /// have known dimensions. `timeoutAfterFence` limits the execution from that moment on.
    [[nodiscard]] virtual Result<FencedExecution> executeFenced(
        const Request& request, std::span<const int> waitFor, const ExecutionOptions& options,
        OptionalTimeoutDuration timeoutAfterFence) = 0;

    /// A new burst of this model. It keeps the model alive.
    [[nodiscard]] virtual Result<std::unique_ptr<Burst>> configureExecutionBurst(
        const BurstOptions& options) = 0;

    /// Whether the driver may still write outputs of calls of executeSynchronously that ended
    /// because it had not answered kDeadlineGrace after their deadlines: see Burst::isMemoryInUse.
    /// Bursts have a call of their own. Always false for a model in this process. Does not block.
    [[nodiscard]] virtual bool isMemoryInUse() { return false; }

    /// Waits until no memory is in use. MISSED_DEADLINE_TRANSIENT if some still is at `deadline`.
    [[nodiscard]] virtual Result<> waitForMemory(const OptionalTimePoint& /*deadline*/) {
        return {};
    }
};

using SharedPreparedModel = std::shared_ptr<PreparedModel>;

}  // namespace nnburst
