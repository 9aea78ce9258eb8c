// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Threads of a runtime for asynchronous and fenced executions.

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "device/local/fence_waiter.h"
#include "device/local/scheduler.h"
#include "nnburst/prepared_model.h"
#include "nnburst/result.h"

namespace nnburst::runtime {

/// An execution that waits for its fences (background.cpp).
struct WaitingExecution;

/// Thread-safe. Its threads start when they are needed.
class Background {
  public:
    [[nodiscard]] static Result<std::shared_ptr<Background>> create();

    /// Runs `job` on a thread. RESOURCE_EXHAUSTED_TRANSIENT while too many are waiting.
    [[nodiscard]] Result<> run(const OptionalTimePoint& deadline, device::Job job) const;

    /// Runs `execution` when all fences are signalled, or ends it with the error of waiting for
    /// them. Errors of FenceWaiter::wait; then the execution does not end.
    [[nodiscard]] Result<> runAfter(std::vector<UniqueFd> fences,
                                    std::shared_ptr<WaitingExecution> execution);

  private:
    explicit Background(std::shared_ptr<device::Scheduler> scheduler)
        : jobs_(std::make_shared<device::Scheduler::Client>(std::move(scheduler))) {}

    const std::shared_ptr<device::Scheduler::Client> jobs_;
    device::FenceWaiter fences_;
};

/// INVALID_ARGUMENT if `request` names a driver-managed buffer.
[[nodiscard]] Result<> refuseBuffers(const Request& request);

/// PreparedModel::execute: calls executeSynchronously of `model` on a thread of `background`.
/// `interface` is that of the model (interfaceOf). The request must not name driver-managed
/// buffers. Whether an operation needs an input that is omitted is found when it runs.
[[nodiscard]] Result<> executeOnThread(const std::shared_ptr<Background>& background,
                                       SharedPreparedModel model, const Model& interface,
                                       const Request& request, const ExecutionOptions& options,
                                       ExecutionCallback callback);

/// PreparedModel::executeFenced, as executeOnThread.
[[nodiscard]] Result<FencedExecution> executeFencedOnThread(
    const std::shared_ptr<Background>& background, SharedPreparedModel model,
    const Model& interface, const Request& request, std::span<const int> waitFor,
    const ExecutionOptions& options, OptionalTimeoutDuration timeoutAfterFence);

}  // namespace nnburst::runtime
