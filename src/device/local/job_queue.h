// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The jobs of one client and one kind: those that wait and those that run. Guarded by the mutex of
/// their scheduler.

#include <cstddef>
#include <cstdint>
#include <list>

#include "device/local/scheduler.h"
#include "exec/threads/urgency.h"
#include "nnburst/types.h"

namespace nnburst::device {

/// A job from its submission to its end.
struct QueuedJob {
    exec::WaitingWork work;
    Job job;
    Job late;             ///< null: the job waits for a thread however late it is
    bool isLimited;       ///< counts among the waiting jobs that are limited
    bool isLate = false;  ///< its deadline passed while it waited: `late` is called
};

class JobQueue {
  public:
    /// Whether no job waits.
    [[nodiscard]] bool isEmpty() const noexcept { return usual_.empty() && others_.empty(); }
    [[nodiscard]] std::size_t runningCount() const noexcept { return running_.size(); }

    /// Moves the jobs of `added` to those that wait.
    void add(std::list<QueuedJob>& added) noexcept;

    /// Which waiting job starts.
    enum class Start : std::uint8_t {
        NEXT,         ///< the one that precedes the others (WaitingWork::precedes)
        MOST_URGENT,  ///< the most urgent one, however long the others have waited
    };
    /// Starts a job; one must wait. The job is valid until `end`.
    [[nodiscard]] std::list<QueuedJob>::iterator start(Start which, TimePoint now) noexcept;
    void end(std::list<QueuedJob>::iterator job) noexcept { running_.erase(job); }

    /// Whether work of this urgency is more urgent than all jobs that run.
    [[nodiscard]] bool isMoreUrgentThanRunning(const exec::Urgency& urgency) const noexcept;
    /// Whether a waiting job is.
    [[nodiscard]] bool hasMoreUrgentThanRunning() const noexcept;

    /// Removes the waiting jobs that end at their deadline and whose deadline has passed.
    /// `nextDeadline` becomes the earliest deadline of those that are left, if that is earlier.
    [[nodiscard]] std::list<QueuedJob> takeLate(TimePoint now, TimePoint& nextDeadline) noexcept;

    std::uint64_t lastStartTag = 0;  ///< of start-time fair queueing

  private:
    [[nodiscard]] std::list<QueuedJob>& listFor(const QueuedJob& job) noexcept;

    /// Those of the usual urgency, in the order of their arrival: there may be tens of thousands.
    std::list<QueuedJob> usual_;
    /// All others; they are searched for the one to start.
    std::list<QueuedJob> others_;
    std::list<QueuedJob> running_;
};

}  // namespace nnburst::device
