// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/job_queue.h"

#include <algorithm>
#include <iterator>

namespace nnburst::device {

namespace {

/// Whether `a` is more urgent than `b`, however long either has waited.
bool isMoreUrgent(const exec::Urgency& a, const exec::Urgency& b) noexcept {
    return exec::WaitingWork{.urgency = a, .since = {}}.precedes({.urgency = b, .since = {}}, {});
}

}  // namespace

std::list<QueuedJob>& JobQueue::listFor(const QueuedJob& job) noexcept {
    const exec::Urgency& urgency = job.work.urgency;
    return urgency.priority == exec::Urgency().priority && !urgency.deadline ? usual_ : others_;
}

void JobQueue::add(std::list<QueuedJob>& added) noexcept {
    while (!added.empty()) {
        std::list<QueuedJob>& jobs = listFor(added.front());
        jobs.splice(jobs.end(), added, added.begin());
    }
}

std::list<QueuedJob>::iterator JobQueue::start(Start which, TimePoint now) noexcept {
    const auto precedes = [which, now](const QueuedJob& a, const QueuedJob& b) {
        return which == Start::NEXT ? a.work.precedes(b.work, now)
                                    : isMoreUrgent(a.work.urgency, b.work.urgency);
    };
    auto next = std::min_element(others_.begin(), others_.end(), precedes);
    // Those of the usual urgency are equally urgent, so that the first of them precedes the others.
    if (!usual_.empty() && (others_.empty() || precedes(usual_.front(), *next))) {
        next = usual_.begin();
    }
    running_.splice(running_.begin(), listFor(*next), next);
    return next;
}

bool JobQueue::isMoreUrgentThanRunning(const exec::Urgency& urgency) const noexcept {
    return std::all_of(running_.begin(), running_.end(), [&urgency](const QueuedJob& job) {
        return isMoreUrgent(urgency, job.work.urgency);
    });
}

bool JobQueue::hasMoreUrgentThanRunning() const noexcept {
    const auto isMoreUrgentThanAll = [this](const QueuedJob& job) {
        return isMoreUrgentThanRunning(job.work.urgency);
    };
    return (!usual_.empty() && isMoreUrgentThanAll(usual_.front())) ||
           std::any_of(others_.begin(), others_.end(), isMoreUrgentThanAll);
}

std::list<QueuedJob> JobQueue::takeLate(TimePoint now, TimePoint& nextDeadline) noexcept {
    std::list<QueuedJob> late;
    for (auto job = others_.begin(); job != others_.end();) {
        const auto following = std::next(job);
        if (job->late && job->work.urgency.deadline) {
            if (*job->work.urgency.deadline <= now) {
                late.splice(late.end(), others_, job);
            } else {
                nextDeadline = std::min(nextDeadline, *job->work.urgency.deadline);
            }
        }
        job = following;
    }
    return late;
}

}  // namespace nnburst::device
