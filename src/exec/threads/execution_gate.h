// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The one place where executions of all kinds wait for each other: as many run at a time as the
/// engine has lanes, and one of each compiled model. An execution whose kernels use several threads
/// takes all lanes. While nobody waits, coming and going takes a few atomic operations and no lock.
/// Who comes and is next for its model spins for a while if a lane is free: being woken takes as
/// long as a short execution. All others sleep.

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "exec/threads/urgency.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// Thread-safe.
class ExecutionGate {
  public:
    /// What only one execution may use at a time: the operators and memory of a compiled model.
    class Turn {
        friend class ExecutionGate;
        std::atomic<bool> isTaken_{false};
        std::uint32_t sleepsAhead_ = 0;  // guarded by mutex_: so many of those next do not spin
    };

    /// Lets `laneCount` (at least 1) executions run at a time.
    explicit ExecutionGate(std::uint32_t laneCount) noexcept
        : laneCount_(laneCount), freeLanes_(static_cast<std::int32_t>(laneCount)) {}
    ExecutionGate(const ExecutionGate&) = delete;
    ExecutionGate& operator=(const ExecutionGate&) = delete;

    class Pass;

    /// All lanes are taken.
    [[nodiscard]] bool isBusy() const noexcept {
        return freeLanes_.load(std::memory_order_relaxed) <= 0;
    }
    /// Executions that wait.
    [[nodiscard]] std::uint32_t waitingCount() const noexcept {
        return waitingCount_.load(std::memory_order_relaxed);
    }
    /// Executions that have had to wait, so far.
    [[nodiscard]] std::uint32_t delayedCount() const noexcept {
        return delayedCount_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint32_t laneCount() const noexcept { return laneCount_; }

  private:
    struct Waiter {
        Turn* turn;  ///< null if it has its turn already
        std::int32_t lanes;
        WaitingWork work;
        std::condition_variable admitted;
        std::atomic<bool> isAdmitted{false};
        bool isSpinning = false;  // without the lock, unlike those who sleep
    };

    [[nodiscard]] bool tryEnter(Turn& turn, std::int32_t lanes) noexcept {
        if (!tryTake(lanes)) {
            return false;
        }
        // sync [gate-left]
        if (turn.isTaken_.exchange(true, std::memory_order_seq_cst)) {
            leave(nullptr, lanes);
            return false;
        }
        return true;
    }

    [[nodiscard]] bool tryTake(std::int32_t lanes) noexcept {
        std::int32_t free = freeLanes_.load(std::memory_order_relaxed);
        while (free >= lanes) {
            // sync [gate-left]: what the one before did is done
            if (freeLanes_.compare_exchange_weak(free, free - lanes, std::memory_order_seq_cst)) {
                return true;
            }
        }
        return false;
    }

    /// Gives back `lanes`, which may be 0, and `turn` unless it is null.
    void leave(Turn* turn, std::int32_t lanes) noexcept {
        // sync [gate-left]: ordered before the look for waiters, as they announce themselves before
        // they look for a lane: one of the two sees the other. The turn comes before the lane: who
        // takes the lane sees that the turn is free.
        if (turn != nullptr) {
            turn->isTaken_.store(
                false, lanes != 0 ? std::memory_order_release : std::memory_order_seq_cst);
        }
        if (lanes != 0) {
            freeLanes_.fetch_add(lanes, std::memory_order_seq_cst);
        }
        if (waitingCount_.load(std::memory_order_seq_cst) != 0) {
            admitAfterLeaving();
        }
    }
    void admitAfterLeaving();
    /// Waits for `lanes`, and for `turn` unless it is null; false if the deadline comes first.
    [[nodiscard]] bool wait(Turn* turn, std::int32_t lanes, const Urgency& urgency);
    void admitWaiters();
    [[nodiscard]] bool maySpin(const Waiter& waiter);
    [[nodiscard]] static bool spin(const Waiter& waiter, const std::optional<TimePoint>& deadline);
    [[nodiscard]] bool hasMoreUrgent(const WaitingWork& running);

    const std::uint32_t laneCount_;
    std::atomic<std::int32_t> freeLanes_;
    std::atomic<std::uint32_t> waitingCount_{0};
    std::atomic<std::uint32_t> delayedCount_{0};

    std::mutex mutex_;
    std::vector<Waiter*> waiters_;  // guarded by mutex_
    std::uint64_t arrivals_ = 0;    // guarded by mutex_
};

/// The right to run, from `enter` until it is destroyed. Of one thread.
class ExecutionGate::Pass {
  public:
    enum class Width : std::uint8_t { ONE_LANE, ALL_LANES };

    Pass(ExecutionGate& gate, Turn& turn, Width width = Width::ONE_LANE) noexcept
        : gate_(gate),
          turn_(turn),
          lanes_(width == Width::ONE_LANE ? 1 : static_cast<std::int32_t>(gate.laneCount())) {}
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    ~Pass() {
        if (hasTurn_) {
            gate_.leave(&turn_, hasLanes_ ? lanes_ : 0);
        }
    }

    /// Waits until this execution may run. MISSED_DEADLINE_TRANSIENT if its deadline passes first:
    /// the time went to others, so the same execution may do better later.
    [[nodiscard]] Result<> enter(const Urgency& urgency) {
        work_.urgency = urgency;
        if (gate_.waitingCount_.load(std::memory_order_relaxed) == 0 &&
            gate_.tryEnter(turn_, lanes_)) {
            hasTurn_ = true;
            hasLanes_ = true;
            return {};
        }
        return enterInTurn();
    }

    /// To be called between operations: lets somebody more urgent have its lanes for a while. The
    /// model's turn is kept. After the deadline it does not wait.
    void letOthersPass() {
        if (gate_.waitingCount_.load(std::memory_order_relaxed) != 0) {
            yield();
        }
    }

  private:
    Result<> enterInTurn();
    void yield();

    ExecutionGate& gate_;
    Turn& turn_;
    const std::int32_t lanes_;
    WaitingWork
        work_;  // as of the time when it began to run; a clock is read only when others wait
    bool hasTurn_ = false;
    bool hasLanes_ = false;
};

}  // namespace nnburst::exec
