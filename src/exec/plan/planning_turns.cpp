// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/plan/planning_turns.h"

#include <algorithm>
#include <chrono>

#include "nnburst/types.h"

namespace nnburst::exec {

namespace {

/// A run that was cancelled waits for this long at most.
constexpr std::chrono::milliseconds kCancellationPollInterval{10};

}  // namespace

Result<PlanningTurns::Turn> PlanningTurns::take(const RunLimits& limits) {
    const system::MutexLock lock(mutex_);
    while (isTaken_) {
        if (limits.isOver()) {
            return limits.endedWhileOthersPlanned();
        }
        TimePoint until = std::chrono::steady_clock::now() + kCancellationPollInterval;
        if (limits.deadline) {
            until = std::min(until, *limits.deadline);
        }
        waiterCount_.fetch_add(1, std::memory_order_relaxed);
        (void)hasEnded_.waitUntil(mutex_, until);
        waiterCount_.fetch_sub(1, std::memory_order_relaxed);
    }
    isTaken_ = true;
    return Turn(this);
}

void PlanningTurns::end() noexcept {
    {
        const system::MutexLock lock(mutex_);
        isTaken_ = false;
    }
    hasEnded_.notifyOne();
}

}  // namespace nnburst::exec
