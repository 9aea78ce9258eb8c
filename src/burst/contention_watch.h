// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Whether the executions of one burst contend with others for processors.

#include <algorithm>
#include <cstdint>

#include "exec/threads/execution_gate.h"

namespace nnburst::burst {

/// Used by the thread that serves the burst.
class ContentionWatch {
  public:
    /// `before` is what the model says when the burst is made.
    explicit ContentionWatch(const exec::Contention& before) noexcept
        : delayedCount_(before.delayedCount) {}

    /// To be called after each execution, with what the model says then.
    void addExecution(const exec::Contention& contention) noexcept {
        const bool isDelayed = contention.delayedCount != delayedCount_;
        delayedCount_ = contention.delayedCount;
        count(isDelayed, untilUndelayed_);
        count(isDelayed || contention.wouldOversubscribe, untilUncontended_);
    }

    /// True while executions have to wait for each other, or so many run at a time that spinning
    /// clients would take their processors, and for kExecutionsUntilUncontended executions after
    /// that.
    [[nodiscard]] bool isContended() const noexcept { return untilUncontended_ > 0; }

    /// True while executions contend, but have not had to wait for each other: about as many run as
    /// there are processors. An execution that waits at the gate gets a processor there.
    [[nodiscard]] bool isContendedWithoutWaiting() const noexcept {
        return isContended() && untilUndelayed_ == 0;
    }

  private:
    static constexpr int kExecutionsUntilUncontended = 16;

    static void count(bool happened, int& until) noexcept {
        until = happened ? kExecutionsUntilUncontended : std::max(until - 1, 0);
    }

    std::uint32_t delayedCount_;  // after the last execution
    // Executions until contention, and delays, are considered over.
    int untilUncontended_ = 0;
    int untilUndelayed_ = 0;
};

}  // namespace nnburst::burst
