// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The jobs of one client, and its share of the threads. Guarded by the mutex of the scheduler,
/// except for the counts of waiting jobs.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>

#include "device/local/job_queue.h"
#include "device/local/scheduler.h"

namespace nnburst::device {

constexpr std::size_t indexOf(JobKind kind) noexcept {
    return static_cast<std::size_t>(kind);
}

/// The processor time that a client's control jobs and preparations have used beyond their share.
class ControlUse {
  public:
    void add(std::chrono::nanoseconds used, TimePoint now) noexcept;
    /// Such as one that has kept a thread busy for 14 ms.
    [[nodiscard]] bool isMuch(TimePoint now) const noexcept { return beyondShareAt(now) > kMuch; }

  private:
    static constexpr std::chrono::milliseconds kMuch{10};
    /// A quarter of a processor is a client's share.
    static constexpr int kShare = 4;

    [[nodiscard]] std::chrono::nanoseconds beyondShareAt(TimePoint now) const noexcept;

    std::chrono::nanoseconds beyondShare_{};
    TimePoint lastAdded_{};
};

struct Scheduler::Client::Jobs {
    Jobs(std::shared_ptr<User> givenUser,
         std::shared_ptr<const exec::ExecutionCounts> givenExecutions) noexcept
        : user(std::move(givenUser)), executions(std::move(givenExecutions)) {}

    void updateIsActive(TimePoint now);

    /// Whether a job that waits, or is `added` to those that wait, may begin.
    [[nodiscard]] bool mayRunMore(JobKind kind, const Limits& limits,
                                  const QueuedJob* added = nullptr) const noexcept;
    /// Threads of this kind that there may be for a job of this client.
    [[nodiscard]] std::size_t threadLimit(JobKind kind, const Limits& limits) const noexcept;

    /// Starts a job of this kind; mayRunMore allows it, and one waits. Valid until `end`.
    [[nodiscard]] std::list<QueuedJob>::iterator start(JobKind kind, const Limits& limits,
                                                       TimePoint now) noexcept;
    void end(JobKind kind, std::list<QueuedJob>::iterator job) noexcept;

    /// Counts a job that begins to wait, also in `ofAll`.
    void countWaiting(const QueuedJob& job, std::atomic<std::size_t>& ofAll) noexcept;
    /// Ends the count of a job that waits no longer.
    void discountWaiting(const QueuedJob& job, std::atomic<std::size_t>& ofAll) noexcept;

    std::atomic<std::size_t> limitedWaiting{0};  ///< of all kinds, submitted with trySubmit
    std::array<JobQueue, kJobKinds> queues;
    const std::shared_ptr<User> user;                               ///< not null
    const std::shared_ptr<const exec::ExecutionCounts> executions;  ///< null: jobs alone
    std::uint64_t endedBefore = 0;  ///< executions, at the last update
    std::optional<TimePoint> lastActive;
    ControlUse controlUse;
    bool isActive = false;  ///< at the last update
};

}  // namespace nnburst::device
