// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A prepared model that executes in this process. Applications with a local device use it
/// directly, the driver's service calls it for other processes.

#include <memory>
#include <span>

#include "device/local/fence_waiter.h"
#include "device/local/fenced_execution.h"
#include "device/local/scheduler.h"
#include "exec/run/executable.h"
#include "model/buffer_outputs.h"
#include "nnburst/device.h"

namespace nnburst::device {

/// Synchronous executions and bursts run on the caller's thread, asynchronous ones on the
/// scheduler's.
class LocalPreparedModel final : public PreparedModel {
  public:
    /// `executable` gets an identity of its own in its field preparedModel.
    LocalPreparedModel(exec::Executable executable, std::shared_ptr<Scheduler::Client> scheduler,
                       std::shared_ptr<FenceWaiter> waiter) noexcept;

    [[nodiscard]] Result<> executeSynchronously(const Request& request,
                                                const ExecutionOptions& options,
                                                ExecutionOutcome& outcome) override;
    [[nodiscard]] Result<> execute(const Request& request, const ExecutionOptions& options,
                                   ExecutionCallback callback) override;
    [[nodiscard]] Result<FencedExecution> executeFenced(
        const Request& request, std::span<const int> waitFor, const ExecutionOptions& options,
        OptionalTimeoutDuration timeoutAfterFence) override;
    [[nodiscard]] Result<std::unique_ptr<Burst>> configureExecutionBurst(
        const BurstOptions& options) override;

    /// Called if an execution with these outputs failed before it reached this object: their
    /// buffers lose their contents, as after any failed execution.
    void discardOutputs(std::span<const BufferOutput> outputs) const;

    /// The model that bursts of other processes run.
    [[nodiscard]] const exec::Executable& executable() const noexcept { return executable_; }

    /// The urgency of an execution among waiting jobs.
    [[nodiscard]] exec::Urgency urgencyOf(const ExecutionOptions& options) const noexcept {
        return {
            .priority = executable_.priority,
            .deadline = supportsDeadlines(executable_.version) ? options.deadline : std::nullopt};
    }

    /// executeFenced, with the concrete type of its result.
    [[nodiscard]] Result<std::shared_ptr<FencedEnd>> launch(
        const Request& request, std::span<const int> waitFor, const ExecutionOptions& options,
        OptionalTimeoutDuration timeoutAfterFence);
    /// Waits for the fences of launched executions, as long as an object holds it.
    [[nodiscard]] const std::shared_ptr<FenceWaiter>& waiter() const noexcept { return waiter_; }

  private:
    [[nodiscard]] Result<> submit(const Request& request, const ExecutionOptions& options,
                                  const std::shared_ptr<ExecutionCallback>& callback);

    const exec::Executable executable_;
    const std::shared_ptr<Scheduler::Client> scheduler_;
    const std::shared_ptr<FenceWaiter> waiter_;
};

}  // namespace nnburst::device
