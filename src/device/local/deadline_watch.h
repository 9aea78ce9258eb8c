// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The wait of one thread for deadlines that others add. Guarded by the mutex of its owner.

#include <algorithm>
#include <chrono>

#include "nnburst/types.h"
#include "system/mutex.h"

namespace nnburst::device {

class DeadlineWatch {
  public:
    /// `await` returns when this deadline has come, if not before.
    void add(TimePoint deadline) noexcept {
        if (deadline < next_) {
            next_ = deadline;
            change_.notifyOne();
        }
    }

    /// Waits for the earliest deadline of those that were added since the last return. Returns are
    /// at least kBetweenReturns apart, because what follows them may take long. False after `stop`.
    [[nodiscard]] bool await(system::Mutex& mutex) NNBURST_REQUIRES(mutex) {
        while (!isStopped_) {
            const TimePoint now = std::chrono::steady_clock::now();
            const TimePoint end = std::max(next_, lastReturn_ + kBetweenReturns);
            if (next_ == TimePoint::max()) {
                change_.wait(mutex);
            } else if (now < end) {
                (void)change_.waitUntil(mutex, end);
            } else {
                lastReturn_ = now;
                next_ = TimePoint::max();
                return true;
            }
        }
        return false;
    }

    void stop() noexcept {
        isStopped_ = true;
        change_.notifyOne();
    }

  private:
    static constexpr std::chrono::milliseconds kBetweenReturns{1};

    system::ConditionVariable change_;
    TimePoint next_ = TimePoint::max();
    TimePoint lastReturn_{};
    bool isStopped_ = false;
};

}  // namespace nnburst::device
