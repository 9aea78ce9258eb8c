// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A fixed number of worker threads and the jobs that wait for them, the most urgent first.
/// Everything that may take long runs here: preparing and executing models, callbacks of
/// applications, taking down bursts.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "exec/threads/urgency.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// Must not throw.
using Job = std::function<void()>;

/// Thread-safe. Dropping it runs the jobs that are waiting, then ends the workers; it may happen on
/// a worker.
class Scheduler {
  public:
    /// Jobs that may wait. More of them would only wait longer than anybody does.
    static constexpr std::size_t kMaximumWaitingJobs = 1024;

    /// Who brings jobs. Among jobs of the same urgency each client has its turn, however many one
    /// of them brings.
    class Client {
      public:
        /// Jobs of one client that may wait, so that it leaves room for others.
        static constexpr std::size_t kMaximumWaitingJobs = Scheduler::kMaximumWaitingJobs / 4;

        explicit Client(std::shared_ptr<Scheduler> scheduler) noexcept
            : scheduler_(std::move(scheduler)), account_(std::make_shared<Account>()) {}

        /// Runs `job` on a worker. RESOURCE_EXHAUSTED_TRANSIENT, without taking it, while too many
        /// jobs are waiting, of this client or of all.
        [[nodiscard]] Result<> trySubmit(const exec::Urgency& urgency, Job job);

        /// As trySubmit, without its limits: for jobs whose number is bounded by something that the
        /// caller counts, and that must not be lost.
        void submit(Job job);

      private:
        friend class Scheduler;
        /// Outlives the client while its jobs wait.
        struct Account {
            std::atomic<std::size_t> waiting{0};
            std::uint64_t lastTurn = 0;  // guarded by the scheduler's mutex
        };

        std::shared_ptr<Scheduler> scheduler_;
        std::shared_ptr<Account> account_;
    };

    /// Starts `workerCount` (at least 1) threads named `name`, of at most 12 characters, and a
    /// number. RESOURCE_EXHAUSTED_TRANSIENT if the system gives no threads.
    [[nodiscard]] static Result<std::unique_ptr<Scheduler>> create(const std::string& name,
                                                                   std::size_t workerCount);
    ~Scheduler();
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    /// Jobs are waiting for a worker.
    [[nodiscard]] bool isBusy() const noexcept;

  private:
    struct Shared;  // what the workers use; outlives this object where it is dropped on a worker

    explicit Scheduler(std::shared_ptr<Shared> shared) noexcept : shared_(std::move(shared)) {}

    void submit(const exec::Urgency& urgency, std::shared_ptr<Client::Account> account, Job job);

    std::shared_ptr<Shared> shared_;
    std::vector<std::thread> workers_;
};

}  // namespace nnburst::device
