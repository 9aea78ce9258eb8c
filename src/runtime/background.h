// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Threads for the asynchronous and fenced executions of the models of a runtime.

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "device/local/fence_waiter.h"
#include "device/local/scheduler.h"
#include "nnburst/prepared_model.h"
#include "nnburst/result.h"
#include "system/mutex.h"

namespace nnburst::runtime {

/// An execution that waits for its fences (background.cpp).
struct WaitingExecution;

/// The threads of all models of a runtime. Thread-safe. They start when they are needed; one of
/// them may destroy this.
class ExecutionThreads {
  public:
    /// The scheduler, which the first call makes. RESOURCE_EXHAUSTED_TRANSIENT if the system gives
    /// no thread.
    [[nodiscard]] Result<std::shared_ptr<device::Scheduler>> scheduler();

  private:
    system::Mutex mutex_;
    std::shared_ptr<device::Scheduler> scheduler_ NNBURST_GUARDED_BY(mutex_);
};

/// The executions of one model on these threads. Thread-safe; one of the threads may destroy it.
/// Each model has a limited number of threads and a queue of its own, because a thread waits while
/// a device executes: a device that does not answer stops only the models that use it, and
/// executions never wait here for those of lower priority.
class Background {
  public:
    explicit Background(std::shared_ptr<ExecutionThreads> threads) noexcept
        : threads_(std::move(threads)) {}

    /// Runs `job` on a thread, or `late` if none was free until `deadline`.
    /// RESOURCE_EXHAUSTED_TRANSIENT while too many are waiting, or if the system gives no thread.
    [[nodiscard]] Result<> run(const OptionalTimePoint& deadline, device::Job job,
                               device::Job late);

    /// Runs `execution` when all fences are signalled, or ends it with the error of waiting for
    /// them. Errors of FenceWaiter::wait; then the execution does not end.
    [[nodiscard]] Result<> runAfter(std::vector<UniqueFd> fences,
                                    std::shared_ptr<WaitingExecution> execution);

  private:
    using Jobs = device::Scheduler::Client;

    /// `jobs_`, which the first call makes.
    [[nodiscard]] Result<std::shared_ptr<Jobs>> jobs();

    const std::shared_ptr<ExecutionThreads> threads_;
    system::Mutex mutex_;
    std::shared_ptr<Jobs> jobs_ NNBURST_GUARDED_BY(mutex_);
    device::FenceWaiter fences_;
};

/// INVALID_ARGUMENT if `request` names a driver-managed buffer.
[[nodiscard]] Result<> refuseBuffers(const Request& request);

/// PreparedModel::execute: calls executeSynchronously of `model` on a thread of `background`.
/// `interface` is that of the model (interfaceOf). The request must not name driver-managed
/// buffers. Whether an operation needs an input that is omitted is found when it runs.
[[nodiscard]] Result<> executeOnThread(Background& background, SharedPreparedModel model,
                                       const Model& interface, const Request& request,
                                       const ExecutionOptions& options, ExecutionCallback callback);

/// PreparedModel::executeFenced, as executeOnThread.
[[nodiscard]] Result<FencedExecution> executeFencedOnThread(
    Background& background, SharedPreparedModel model, const Model& interface,
    const Request& request, std::span<const int> waitFor, const ExecutionOptions& options,
    OptionalTimeoutDuration timeoutAfterFence);

}  // namespace nnburst::runtime
