// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Runs jobs on threads: everything that may take long, such as preparing and executing models,
/// callbacks of applications, and ending bursts. Control jobs, preparations and executions have
/// threads of their own, so that a control call waits for neither of the others. Job threads are
/// started on demand.
///
/// Order is fair between clients: they take turns, however many jobs a client brings and however
/// urgent they are, and none uses more than its share of the threads. Among the jobs of one client
/// the most urgent one runs first. While other clients use the driver, the jobs of a client that
/// has many have a low priority, and so have its control jobs and preparations if they compute a
/// lot.
///
/// A preparation or execution whose deadline passes while it waits for a thread ends then: a
/// control thread calls its second function. One thread of the scheduler watches these deadlines.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "exec/run/execution_counts.h"
#include "exec/threads/urgency.h"
#include "nnburst/result.h"
#include "system/duration_histogram.h"

namespace nnburst::device {

/// Should not throw: an exception is logged, and the caller does not learn of it.
using Job = std::function<void()>;

/// Which threads run a job.
enum class JobKind : std::uint8_t {
    CONTROL,      ///< short work of calls: launches, copies, allocations, checks of models
    PREPARATION,  ///< preparations, also from files, which may take long
    EXECUTION,
};
inline constexpr std::size_t kJobKinds = 3;

/// Whether `deadline` has passed.
[[nodiscard]] bool isPast(const OptionalTimePoint& deadline) noexcept;

/// The error of `what` whose deadline has passed before it began. MISSED_DEADLINE_TRANSIENT if that
/// was while it waited for a thread, since the time went to other jobs;
/// MISSED_DEADLINE_PERSISTENT if the deadline had passed at the launch.
[[nodiscard]] tl::unexpected<Error> missedBeforeStart(const char* what, bool wasLateAtLaunch);

/// Thread-safe. Destroying it runs the waiting jobs, then ends the job threads; a job thread may
/// destroy it.
class Scheduler {
  public:
    /// Limit on waiting jobs of the clients of a driver. Jobs beyond it would wait longer than any
    /// client does.
    static constexpr std::size_t kMaximumWaitingJobs = 1024;
    /// Limit on waiting jobs in a process whose only client is one program: twice the executions
    /// that can wait for fences (FenceWaiter).
    static constexpr std::size_t kMaximumWaitingJobsOfProgram = 8192;

    /// Limits on threads for each kind of job, and on jobs of all kinds that wait.
    struct Limits {
        std::size_t threads = 64;  ///< for all clients together
        /// Additional threads, for clients that have no running job; half of them only for users
        /// that have none. The jobs of others may last for hours.
        std::size_t threadsForOthers = 0;
        /// Running jobs of one client. One more runs if it is more urgent than all of them.
        std::size_t threadsPerClient{};
        std::size_t threadsPerUser = (threads + 1) / 2;  ///< running jobs of the clients of a user
        /// Threads that were not needed for so long end.
        std::chrono::milliseconds endAfterIdle{5000};
        /// Waiting jobs of all clients, of those that were submitted with `trySubmit`; of them
        /// those of the clients of one user, and of one client, which leave room for others.
        std::size_t waitingJobs = kMaximumWaitingJobs;
        std::size_t waitingJobsPerUser = waitingJobs / 2;
        std::size_t waitingJobsPerClient = waitingJobs / 4;
        /// Jobs of a client that has many have a low priority while other clients are active.
        bool lowersPriorities = true;
    };

    /// The clients of one user.
    class User {
      public:
        User() = default;

      private:
        friend class Scheduler;
        std::array<std::size_t, kJobKinds>
            running_{};  // of each kind; guarded by the scheduler's mutex
        std::atomic<std::size_t> limitedWaiting_{0};
    };

    /// The jobs of one client.
    class Client {
      public:
        /// Null as `user`: the client is its only one. `executions` counts the client's executions
        /// of all kinds, also those of bursts, which are no jobs; null: all of them are jobs.
        explicit Client(std::shared_ptr<Scheduler> scheduler, std::shared_ptr<User> user = nullptr,
                        std::shared_ptr<const exec::ExecutionCounts> executions = nullptr);
        ~Client();
        Client(const Client&) = delete;
        Client& operator=(const Client&) = delete;

        /// Runs `job` on a job thread. RESOURCE_EXHAUSTED_TRANSIENT, without taking it, while too
        /// many jobs are waiting, of this client, of its user or of all. If a preparation or
        /// execution with `late` has not begun at its deadline, `job` is destroyed, and a control
        /// thread calls `late` instead.
        [[nodiscard]] Result<> trySubmit(JobKind kind, const exec::Urgency& urgency, Job job,
                                         Job late = nullptr);

        /// As trySubmit, without its limits: for jobs that were accepted before. In a driver the
        /// account of the client bounds their number; nothing does in the program's own process.
        /// RESOURCE_EXHAUSTED_TRANSIENT only if the system gives no thread.
        [[nodiscard]] Result<> submitAccepted(JobKind kind, const exec::Urgency& urgency, Job job,
                                              Job late = nullptr);

        /// Runs a control job. As trySubmit, without its limits: for jobs that must not be lost and
        /// whose number the caller bounds.
        void submit(Job job);

        /// Of the jobs of all clients.
        [[nodiscard]] system::DurationHistogram waitsOfAll(JobKind kind) const {
            return scheduler_->waits(kind);
        }

      private:
        friend class Scheduler;
        struct Jobs;

        std::shared_ptr<Scheduler> scheduler_;
        std::shared_ptr<Jobs> jobs_;  // outlives the client while its jobs wait
    };

    /// Starts one thread for control jobs. `name` has at most 12 characters.
    /// RESOURCE_EXHAUSTED_TRANSIENT if the system gives no thread.
    [[nodiscard]] static Result<std::unique_ptr<Scheduler>> create(const std::string& name,
                                                                   const Limits& limits);
    ~Scheduler();
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    /// Whether work of clients waits for a thread: jobs of trySubmit and executions.
    [[nodiscard]] bool isBusy() const noexcept;

    /// How long the jobs of a kind have waited, of those that have begun or whose deadline has
    /// passed.
    [[nodiscard]] system::DurationHistogram waits(JobKind kind) const;

  private:
    struct Shared;  // used by the threads; outlives this object if a job thread destroys it

    explicit Scheduler(std::shared_ptr<Shared> shared) noexcept : shared_(std::move(shared)) {}

    std::shared_ptr<Shared> shared_;
};

}  // namespace nnburst::device
