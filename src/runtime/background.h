// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Threads of a runtime for asynchronous and fenced executions.

#include <memory>
#include <span>
#include <utility>

#include "device/local/fence_waiter.h"
#include "device/local/scheduler.h"
#include "nnburst/prepared_model.h"
#include "nnburst/result.h"

namespace nnburst::runtime {

/// Thread-safe. Its threads start when they are needed.
class Background {
  public:
    [[nodiscard]] static Result<std::shared_ptr<Background>> create();

    /// Runs `job` on a thread. RESOURCE_EXHAUSTED_TRANSIENT while too many are waiting.
    [[nodiscard]] Result<> run(const OptionalTimePoint& deadline, device::Job job) const;

    /// Runs `job` when all fences are signalled, with the result of waiting for them. Errors of
    /// FenceWaiter::wait; then the job does not run.
    [[nodiscard]] Result<> runAfter(std::vector<UniqueFd> fences, const OptionalTimePoint& deadline,
                                    std::function<void(const Result<>& signalled)> job);

  private:
    explicit Background(std::shared_ptr<device::Scheduler> scheduler)
        : jobs_(std::make_shared<device::Scheduler::Client>(std::move(scheduler))) {}

    const std::shared_ptr<device::Scheduler::Client> jobs_;
    device::FenceWaiter fences_;
};

/// PreparedModel::execute: calls executeSynchronously of `model` on a thread of `background`.
[[nodiscard]] Result<> executeOnThread(const std::shared_ptr<Background>& background,
                                       SharedPreparedModel model, const Request& request,
                                       const ExecutionOptions& options, ExecutionCallback callback);

/// PreparedModel::executeFenced: calls executeSynchronously of `model` on a thread of `background`.
/// `outputs` are those of the model that `model` was prepared from.
[[nodiscard]] Result<FencedExecution> executeFencedOnThread(
    const std::shared_ptr<Background>& background, SharedPreparedModel model,
    std::span<const Operand> outputs, const Request& request, std::span<const int> waitFor,
    const ExecutionOptions& options, OptionalTimeoutDuration timeoutAfterFence);

}  // namespace nnburst::runtime
