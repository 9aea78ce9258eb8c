// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A fixed number of worker threads that take jobs in order. Everything that may take long runs
/// here: preparing and executing models, callbacks of applications, taking down bursts.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "nnburst/result.h"

namespace nnburst::device {

/// Thread-safe. Dropping it runs the jobs that are waiting, then ends the workers; it may happen on
/// a worker.
class Scheduler {
  public:
    /// Must not throw.
    using Job = std::function<void()>;

    /// Jobs that may wait. More of them would only wait longer than anybody does.
    static constexpr std::size_t kMaximumWaitingJobs = 1024;

    /// Starts `workerCount` (at least 1) threads named `name`, of at most 12 characters, and a
    /// number. RESOURCE_EXHAUSTED_TRANSIENT if the system gives no threads.
    [[nodiscard]] static Result<std::unique_ptr<Scheduler>> create(const std::string& name,
                                                                   std::size_t workerCount);
    ~Scheduler();
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    /// Runs `job` on a worker. RESOURCE_EXHAUSTED_TRANSIENT, without taking it, while
    /// kMaximumWaitingJobs are waiting.
    [[nodiscard]] Result<> trySubmit(Job job);

    /// As trySubmit, without its limit: for jobs whose number is bounded by something that the
    /// caller counts, and that must not be lost.
    void submit(Job job);

  private:
    struct Shared;  // what the workers use; outlives this object where it is dropped on a worker

    explicit Scheduler(std::shared_ptr<Shared> shared) noexcept : shared_(std::move(shared)) {}

    std::shared_ptr<Shared> shared_;
    std::vector<std::thread> workers_;
};

}  // namespace nnburst::device
