// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/client_jobs.h"

#include <algorithm>

namespace nnburst::device {

namespace {

/// A client is active until this long after its last job has begun or its last execution has ended.
constexpr std::chrono::seconds kActiveFor{1};

}  // namespace

void ControlUse::add(std::chrono::nanoseconds used, TimePoint now) noexcept {
    beyondShare_ = beyondShareAt(now) + used;
    lastAdded_ = now;
}

std::chrono::nanoseconds ControlUse::beyondShareAt(TimePoint now) const noexcept {
    return std::max(beyondShare_ - (now - lastAdded_) / kShare, std::chrono::nanoseconds(0));
}

void Scheduler::Client::Jobs::updateIsActive(TimePoint now) {
    const std::uint64_t ended = executions ? executions->endedCount() : 0;
    if (ended != endedBefore) {
        endedBefore = ended;
        lastActive = now;
    }
    isActive = lastActive && now - *lastActive < kActiveFor;
}

bool Scheduler::Client::Jobs::mayRunMore(JobKind kind, const Limits& limits,
                                         const QueuedJob* added) const noexcept {
    const JobQueue& queue = queues[indexOf(kind)];
    const std::size_t running = queue.runningCount();
    const auto isMoreUrgent = [&] {
        return added != nullptr ? queue.isMoreUrgentThanRunning(added->work.urgency)
                                : queue.hasMoreUrgentThanRunning();
    };
    return (running < limits.threadsPerClient ||
            (running == limits.threadsPerClient && isMoreUrgent())) &&
           ((running == 0 && limits.threadsForOthers > 0) ||
            user->running_[indexOf(kind)] < limits.threadsPerUser);
}

std::size_t Scheduler::Client::Jobs::threadLimit(JobKind kind,
                                                 const Limits& limits) const noexcept {
    if (user->running_[indexOf(kind)] == 0) {
        return limits.threads + limits.threadsForOthers;
    }
    return limits.threads +
           (queues[indexOf(kind)].runningCount() == 0 ? limits.threadsForOthers / 2 : 0);
}

std::list<QueuedJob>::iterator Scheduler::Client::Jobs::start(JobKind kind, const Limits& limits,
                                                              TimePoint now) noexcept {
    JobQueue& queue = queues[indexOf(kind)];
    const bool isBeyondShare = queue.runningCount() >= limits.threadsPerClient;
    ++user->running_[indexOf(kind)];
    lastActive = now;
    return queue.start(isBeyondShare ? JobQueue::Start::MOST_URGENT : JobQueue::Start::NEXT, now);
}

void Scheduler::Client::Jobs::end(JobKind kind, std::list<QueuedJob>::iterator job) noexcept {
    queues[indexOf(kind)].end(job);
    --user->running_[indexOf(kind)];
}

// Relaxed, as in discountWaiting: only counts.
void Scheduler::Client::Jobs::countWaiting(const QueuedJob& job,
                                           std::atomic<std::size_t>& ofAll) noexcept {
    if (job.isLimited) {
        ofAll.fetch_add(1, std::memory_order_relaxed);
        user->limitedWaiting_.fetch_add(1, std::memory_order_relaxed);
        limitedWaiting.fetch_add(1, std::memory_order_relaxed);
    }
}

void Scheduler::Client::Jobs::discountWaiting(const QueuedJob& job,
                                              std::atomic<std::size_t>& ofAll) noexcept {
    if (job.isLimited) {
        ofAll.fetch_sub(1, std::memory_order_relaxed);
        user->limitedWaiting_.fetch_sub(1, std::memory_order_relaxed);
        limitedWaiting.fetch_sub(1, std::memory_order_relaxed);
    }
}

}  // namespace nnburst::device
