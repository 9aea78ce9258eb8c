// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The one place where executions of all kinds wait for each other: as many run at a time as the
/// engine has lanes, and one of each compiled model. An execution whose kernels use several threads
/// takes all lanes. While no execution waits, entering and leaving takes a few atomic operations
/// and no lock. An execution that is the next for its model spins for a while if a lane is free,
/// because being woken takes as long as a short execution. All others sleep.
///
/// Between clients the order is fair: the client that has used the lanes for the shortest time
/// while others waited comes first. Among the executions of one client the most urgent comes first.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "exec/threads/urgency.h"
#include "nnburst/result.h"
#include "system/mutex.h"

namespace nnburst::exec {

/// How long the executions of one client have used lanes while others waited, and whether anybody
/// still wants their results.
class ClientShare {
  public:
    /// The client has gone. Its executions end soon, with an error. Any thread.
    void cancel() noexcept { isCancelled_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] const std::atomic<bool>& isCancelled() const noexcept { return isCancelled_; }

  private:
    friend class ExecutionGate;
    std::chrono::nanoseconds used_{};  // guarded by the gate's mutex
    std::atomic<bool> isCancelled_{false};
};

/// Thread-safe.
class ExecutionGate {
  public:
    /// Lock of a compiled model, whose operators and memory only one execution may use at a time.
    /// An execution takes it together with its lanes.
    class ModelLock {
        friend class ExecutionGate;
        std::atomic<bool> isHeld_{false};
        std::uint32_t sleepsAhead_ = 0;  // guarded by mutex_: so many next waiters do not spin
    };

    /// Lets `laneCount` (at least 1) executions run at a time.
    explicit ExecutionGate(std::uint32_t laneCount) noexcept
        : laneCount_(laneCount), freeLanes_(static_cast<std::int32_t>(laneCount)) {}
    ExecutionGate(const ExecutionGate&) = delete;
    ExecutionGate& operator=(const ExecutionGate&) = delete;

    class Pass;

    /// Whether all lanes are in use.
    [[nodiscard]] bool isBusy() const noexcept {
        return freeLanes_.load(std::memory_order_relaxed) <= 0;
    }
    /// The number of waiting executions.
    [[nodiscard]] std::uint32_t waitingCount() const noexcept {
        return waitingCount_.load(std::memory_order_relaxed);
    }
    /// The number of executions that had to wait so far.
    [[nodiscard]] std::uint32_t delayedCount() const noexcept {
        return delayedCount_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint32_t laneCount() const noexcept { return laneCount_; }

  private:
    struct Waiter {
        ModelLock* modelLock;  ///< null if it holds the lock already
        std::int32_t lanes;
        ClientShare* client;
        WaitingWork work;
        system::ConditionVariable admitted;
        std::atomic<bool> isAdmitted{false};
        bool isSpinning = false;  // without the lock, unlike those who sleep
    };

    [[nodiscard]] bool tryEnter(ModelLock& modelLock, std::int32_t lanes) noexcept {
        if (!tryTake(lanes)) {
            return false;
        }
        // sync [gate-left]
        if (modelLock.isHeld_.exchange(true, std::memory_order_seq_cst)) {
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

    /// Releases `lanes`, which may be 0, and `modelLock` unless it is null.
    void leave(ModelLock* modelLock, std::int32_t lanes) noexcept {
        // sync [gate-left]: ordered before the look for waiters, as they announce themselves before
        // they look for a lane: one of the two sees the other. The lock is released before the
        // lane, so that an execution that takes the lane sees the lock free.
        if (modelLock != nullptr) {
            modelLock->isHeld_.store(
                false, lanes != 0 ? std::memory_order_release : std::memory_order_seq_cst);
        }
        if (lanes != 0) {
            freeLanes_.fetch_add(lanes, std::memory_order_seq_cst);
        }
    }
    [[nodiscard]] bool hasWaiters() const noexcept {
        return waitingCount_.load(std::memory_order_seq_cst) != 0;
    }
    /// Adds what an execution has used since `start` (if that is known) to its client's account,
    /// and admits others.
    void chargeAndAdmit(ClientShare* client, const OptionalTimePoint& start);
    /// Waits for `lanes`, and for `modelLock` unless it is null; false if the deadline comes first.
    [[nodiscard]] bool wait(ModelLock* modelLock, std::int32_t lanes, ClientShare* client,
                            const Urgency& urgency);
    [[nodiscard]] bool sleep(Waiter& waiter) NNBURST_REQUIRES(mutex_);
    void admitWaiters() NNBURST_REQUIRES(mutex_);
    [[nodiscard]] bool precedes(const Waiter& a, const Waiter& b, TimePoint now) const
        NNBURST_REQUIRES(mutex_);
    [[nodiscard]] bool maySpin(const Waiter& waiter) NNBURST_REQUIRES(mutex_);
    [[nodiscard]] static bool spin(const Waiter& waiter, const OptionalTimePoint& deadline);
    /// Whether a waiting execution comes before one that has been running since `start`.
    [[nodiscard]] bool hasMoreUrgent(const WaitingWork& running, const ClientShare* client,
                                     TimePoint start);

    const std::uint32_t laneCount_;
    std::atomic<std::int32_t> freeLanes_;
    std::atomic<std::uint32_t> waitingCount_{0};
    std::atomic<std::uint32_t> delayedCount_{0};

    system::Mutex mutex_;
    std::vector<Waiter*> waiters_ NNBURST_GUARDED_BY(mutex_);
    std::uint64_t arrivals_ NNBURST_GUARDED_BY(mutex_) = 0;
    /// What the client whose execution was admitted last had used. A client that comes back starts
    /// from here: it saves no time for later.
    std::chrono::nanoseconds admittedUsed_ NNBURST_GUARDED_BY(mutex_){};
    ClientShare unnamed_;  // of executions without a client
};

/// RAII: holds lanes and the model lock from `enter` until it is destroyed. Used by one thread.
class ExecutionGate::Pass {
  public:
    enum class Width : std::uint8_t { ONE_LANE, ALL_LANES };

    /// `client` may be null: executions without one share an account. It must outlive the pass.
    Pass(ExecutionGate& gate, ModelLock& modelLock, Width width = Width::ONE_LANE,
         ClientShare* client = nullptr) noexcept
        : gate_(gate),
          modelLock_(modelLock),
          client_(client == nullptr ? &gate.unnamed_ : client),
          lanes_(width == Width::ONE_LANE ? 1 : static_cast<std::int32_t>(gate.laneCount())) {}
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    ~Pass() {
        if (holdsModelLock_) {
            gate_.leave(&modelLock_, hasLanes_ ? lanes_ : 0);
            if (gate_.hasWaiters()) {
                gate_.chargeAndAdmit(client_, hasLanes_ ? start_ : std::nullopt);
            }
        }
    }

    /// Waits until this execution may run. MISSED_DEADLINE_TRANSIENT if its deadline passes first:
    /// the time went to others, so the same execution may do better later.
    [[nodiscard]] Result<> enter(const Urgency& urgency) {
        work_.urgency = urgency;
        if (gate_.waitingCount_.load(std::memory_order_relaxed) == 0 &&
            gate_.tryEnter(modelLock_, lanes_)) {
            holdsModelLock_ = true;
            hasLanes_ = true;
            return {};
        }
        return waitAndEnter();
    }

    /// To be called between operations: gives the lanes to executions that come first (more urgent
    /// ones of the same client, and those of clients that have used less) and waits for them again.
    /// The model lock is kept. After the deadline it does not wait.
    void letOthersPass() {
        if (gate_.waitingCount_.load(std::memory_order_relaxed) != 0) {
            yield();
        }
    }

  private:
    Result<> waitAndEnter();
    void yield();

    ExecutionGate& gate_;
    ModelLock& modelLock_;
    ClientShare* const client_;
    const std::int32_t lanes_;
    WaitingWork work_;
    OptionalTimePoint start_;  // start of its use of lanes; unset while no other execution waits
    bool holdsModelLock_ = false;
    bool hasLanes_ = false;
};

}  // namespace nnburst::exec
