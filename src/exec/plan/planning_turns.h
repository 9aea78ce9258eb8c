// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The order of threads that make plans of one graph: one after the other.

#include <atomic>
#include <cstdint>
#include <memory>

#include "exec/plan/run_limits.h"
#include "nnburst/result.h"
#include "system/mutex.h"

namespace nnburst::exec {

/// Lets one thread at a time plan a graph. Unlike with a mutex, a thread stops waiting when the
/// deadline of its run passes or the run is cancelled. Thread-safe.
class PlanningTurns {
    struct End {
        void operator()(PlanningTurns* turns) const noexcept { turns->end(); }
    };

  public:
    /// RAII: the right to plan, which ends when this is reset.
    using Turn = std::unique_ptr<PlanningTurns, End>;

    /// Takes the turn, after those of other threads. MISSED_DEADLINE_TRANSIENT if the deadline of
    /// `limits` passes before that, GENERAL_FAILURE if the run is cancelled. A turn that is free is
    /// taken in any case.
    [[nodiscard]] Result<Turn> take(const RunLimits& limits = {});

    /// Whether a thread waits for its turn.
    [[nodiscard]] bool isAwaited() const noexcept {
        return waiterCount_.load(std::memory_order_relaxed) != 0;  // only a hint
    }

  private:
    void end() noexcept;

    system::Mutex mutex_;
    system::ConditionVariable hasEnded_;
    bool isTaken_ NNBURST_GUARDED_BY(mutex_) = false;
    std::atomic<std::uint32_t> waiterCount_{0};
};

}  // namespace nnburst::exec
