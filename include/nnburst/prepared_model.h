// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A `PreparedModel` executes requests: synchronously, asynchronously, behind fences, or through a
/// `Burst` (burst.h).

#include <cstddef>
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

/// Limit on the fences that an execution may wait for: as many as come with one message to a driver
/// beside the memory of the request.
inline constexpr std::size_t kMaximumFences = 126;

/// An execution that was launched by executeFenced, with the fence (fence.h) of its end.
struct FencedExecution {
    UniqueFd fence;  ///< signalled at the end; invalid if the execution has already ended
    /// Returns how the execution ended, and its timing from the launch and from the moment at which
    /// all awaited fences were signalled. To be called after the fence was signalled, by any
    /// thread, any number of times; GENERAL_FAILURE before. Waits for the answer of a driver
    /// process; DEVICE_UNAVAILABLE if that is gone.
    std::function<Result<>(Timing& launched, Timing& fenced)> callback;
};

/// A model that is checked, planned and packed (HAL 1.3 IPreparedModel). Any number of executions
/// of any kind may run at the same time.
class NNBURST_EXPORT PreparedModel {
  public:
    virtual ~PreparedModel() = default;

    /// Executes `request` and waits for its end. Until then the caller must not touch the request's
    /// memory. INVALID_ARGUMENT if the request breaks a rule; OUTPUT_INSUFFICIENT_SIZE, with output
    /// shapes, if an output's buffer is too small; MISSED_DEADLINE_*; DEVICE_UNAVAILABLE if the
    /// driver is gone, or has not answered kDeadlineGrace after the deadline (isMemoryInUse);
    /// RESOURCE_EXHAUSTED_TRANSIENT if an input or output overlaps memory in use.
    [[nodiscard]] virtual Result<> executeSynchronously(const Request& request,
                                                        const ExecutionOptions& options,
                                                        ExecutionOutcome& outcome) = 0;

    /// Launches an execution. `callback` is called exactly once, also if this call returns an
    /// error. Until then the caller must not touch the request's memory. Errors of
    /// executeSynchronously. If a driver has not answered the launch kDeadlineGrace after the
    /// deadline, this call returns DEVICE_UNAVAILABLE, and `callback` is called when the execution
    /// has ended or the driver is lost.
    [[nodiscard]] virtual Result<> execute(const Request& request, const ExecutionOptions& options,
                                           ExecutionCallback callback) = 0;

    /// Launches an execution that starts when all `waitFor` fences (at most kMaximumFences)
    /// are signalled. All dimensions of the outputs must be specified.
    /// `timeoutAfterFence` limits the execution from that moment on. The fences stay the caller's:
    /// their descriptors are duplicated. Until the fence that is returned is signalled, the caller
    /// must not touch the request's memory. An error starts no execution, except as said below.
    /// INVALID_ARGUMENT if the request breaks a rule, a dimension of an output is unspecified, or a
    /// descriptor is not a fence or has failed; GENERAL_FAILURE from a driver before HAL 1.3;
    /// RESOURCE_EXHAUSTED_TRANSIENT where a limit is reached, or an input or output overlaps memory
    /// in use. DEVICE_UNAVAILABLE if the driver is gone, or has not answered kDeadlineGrace after
    /// the deadline: then the execution may have been started (isMemoryInUse).
    [[nodiscard]] virtual Result<FencedExecution> executeFenced(
        const Request& request, std::span<const int> waitFor, const ExecutionOptions& options,
        OptionalTimeoutDuration timeoutAfterFence) = 0;

    /// A new burst of this model, which it keeps alive. INVALID_ARGUMENT if a field of `options` is
    /// out of range; RESOURCE_EXHAUSTED_TRANSIENT without memory, descriptors or threads for it;
    /// DEVICE_UNAVAILABLE if the driver is gone.
    [[nodiscard]] virtual Result<std::unique_ptr<Burst>> configureExecutionBurst(
        const BurstOptions& options) = 0;

    /// Whether the driver may still write outputs of calls of executeSynchronously and
    /// executeFenced that ended because it had not answered within kDeadlineGrace after their
    /// deadlines: see Burst::isMemoryInUse, which is the same for bursts. Always false for a model
    /// in this process. Does not block.
    [[nodiscard]] virtual bool isMemoryInUse() { return false; }

    /// Waits until no memory is in use. MISSED_DEADLINE_TRANSIENT if some still is at `deadline`.
    [[nodiscard]] virtual Result<> waitForMemory(const OptionalTimePoint& /*deadline*/) {
        return {};
    }
};

using SharedPreparedModel = std::shared_ptr<PreparedModel>;

}  // namespace nnburst
