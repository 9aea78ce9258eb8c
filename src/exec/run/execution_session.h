// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The one path from a request to the kernels and back. Synchronous, asynchronous and fenced
/// executions, bursts in this process and of others, and reusable executions all run here: a
/// session binds the arguments, runs the model, measures, clears the outcome after a failure and
/// answers as the version of the HAL that the driver has.

#include <chrono>
#include <vector>

#include "exec/run/executable.h"
#include "exec/run/request_memory.h"
#include "exec/run/staged_arguments.h"
#include "nnburst/device.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// When a request arrived in the driver, if its execution is to be measured; otherwise the clock is
/// not read.
[[nodiscard]] inline OptionalTimePoint arrivalTime(const ExecutionOptions& options) noexcept {
    if (options.measure != MeasureTiming::YES) {
        return std::nullopt;
    }
    return std::chrono::steady_clock::now();
}

/// `measured` with the time in the driver from `arrival` until now, if there is an arrival and the
/// time on the device was measured.
[[nodiscard]] Timing timingSince(const OptionalTimePoint& arrival, Timing measured) noexcept;

/// Executes requests of one model, one after the other. Repeated executions with mapped memory
/// allocate nothing. Not thread-safe.
class ExecutionSession {
  public:
    /// `executable` has a model and buffers.
    explicit ExecutionSession(Executable executable) noexcept;

    [[nodiscard]] const Executable& executable() const noexcept { return executable_; }

    /// Finds the memory of `request`, checks its arguments and runs the model. After any error the
    /// driver-managed buffers of its outputs hold nothing (discardOutputs). Overwrites `outcome`:
    /// output shapes after success and OUTPUT_INSUFFICIENT_SIZE, timing after success. `arrival` is
    /// from `arrivalTime`. Options that the driver's version of the HAL does not know are ignored,
    /// and so are shapes and statuses that it does not have. Errors as
    /// PreparedModel::executeSynchronously.
    [[nodiscard]] Result<> run(const RequestArguments& request, RequestMemorySource& memory,
                               const ExecutionOptions& options, const OptionalTimePoint& arrival,
                               ExecutionOutcome& outcome);

    /// False if `bind` would fail for the last `run` whatever its arguments: memory that is not
    /// mapped, device buffers, a version of the HAL that does not keep reusable executions.
    [[nodiscard]] bool mayBind() const noexcept;

    /// Resolves `request`, the one of the last `run` or a copy of it, for runBound. The bindings
    /// are good as long as the arguments stay where they are and the memory stays mapped. False if
    /// that cannot be done once for all executions: not mayBind(), or a request that breaks a rule.
    [[nodiscard]] bool bind(const RequestArguments& request, RequestBindings& bindings) const;

    /// As run, of a request that `bind` has resolved and that has just arrived. The shortest path
    /// to the kernels.
    [[nodiscard]] Result<> runBound(RequestBindings& bindings, const ExecutionOptions& options,
                                    ExecutionOutcome& outcome);

  private:
    void countBegin(OptionalTimePoint& begin) const noexcept {
        if (counts_) {
            counts_->begin(begin);
        }
    }
    void finish(const Result<>& result, const OptionalTimePoint& begin,
                const OptionalTimePoint& arrival, ExecutionOutcome& outcome) const noexcept {
        if (counts_) {
            counts_->add(!result, begin);
        }
        if (!result || arrival) {
            report(result, arrival, outcome);
        }
    }
    /// Completes the outcome of an execution that has failed or was measured.
    static void report(const Result<>& result, const OptionalTimePoint& arrival,
                       ExecutionOutcome& outcome) noexcept;
    /// As resolveAndRun; RESOURCE_EXHAUSTED_TRANSIENT where that finds no memory.
    Result<> resolveAndRunIfMemory(const RequestArguments& request, RequestMemorySource& memory,
                                   const ExecutionOptions& options, ExecutionOutcome& outcome);
    Result<> resolveAndRun(const RequestArguments& request, RequestMemorySource& memory,
                           const ExecutionOptions& options, ExecutionOutcome& outcome);
    Result<> resolve(RequestMemorySource& memory);
    void releaseBuffers() noexcept;
    Result<> checkOutputs(const RequestArguments& request) const;
    void discardOutputs(const RequestArguments& request) const;
    Result<> runOnMemory(const RequestArguments& request, const ExecutionOptions& options,
                         ExecutionOutcome& outcome);
    /// The same between begin and end of the access to device buffers.
    Result<> runOnDeviceBuffers(const RequestArguments& request, const ExecutionOptions& options,
                                ExecutionOutcome& outcome);
    Result<> runStaged(const RequestArguments& request, const ExecutionOptions& options,
                       ExecutionOutcome& outcome);

    const Executable executable_;
    const std::shared_ptr<SessionCounts> counts_;  // null: not counted

    // Of the last run; kept so that the next one allocates nothing.
    std::vector<RequestMemory> pools_;
    std::vector<PoolView> views_;
    std::vector<int> deviceBuffers_;  // of the pools; mostly none
    bool isAllMapped_ = false;
    RequestBindings bindings_;
    StagedArguments staged_;
    ExecutionOutcome withheld_;  ///< the outcome of versions that do not know output shapes
};

}  // namespace nnburst::exec
