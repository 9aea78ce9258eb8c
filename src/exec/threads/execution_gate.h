// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Where executions of all kinds wait for each other. An execution needs a *lane*, of which an
/// engine has as many as it may use processors, and a *runner* of its compiled model. An execution
/// whose kernels use several threads takes all lanes. While no execution waits, entering and
/// leaving takes a few atomic operations and no lock. The next execution of a model spins for a
/// while if a lane is free, because waking a thread takes as long as a short execution. All others
/// sleep.
///
/// Between users, and between the clients of one user, the order is fair: the one that has used
/// lanes for the shortest time while others waited comes first. Among the executions of one client
/// the most urgent comes first. A running execution yields between its operations and inside most
/// long ones. From then on it has a low priority, so that threads of clients that use less get a
/// processor at once.
///
/// An *extra* execution is admitted without a lane: it runs beyond the lanes, and the kernel then
/// divides the processors.
///
///     admitted         holds a lane  when
///     at once          yes           a lane and a runner are free, and no execution waits
///     from the queue   yes           another execution leaves or yields
///     as an extra one  no            its client has *saved* 0.2 ms: has used that much less than
///                                    the client admitted last, or than all that run
///     0.2 ms later     no            the same, if running executions had not yet checked the gate
///     as overdue       no            none was admitted for kLongestWait, and this one has waited
///                                    as long; a thread of the gate admits it
///
/// A client that was idle keeps at most 1 ms of what it has saved (kCredit). A client that comes
/// with more is *light*: its executions spin instead of sleeping, and for a while no execution is
/// bound to a processor.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "exec/threads/lane_processors.h"
#include "exec/threads/lane_share.h"
#include "exec/threads/runner_set.h"
#include "exec/threads/urgency.h"
#include "nnburst/result.h"
#include "system/affinity.h"
#include "system/mutex.h"
#include "system/scheduling.h"
#include "system/semaphore.h"
#include "system/time.h"

namespace nnburst::exec {

/// Signs of contention for the processors of an engine.
struct Contention {
    std::uint32_t delayedCount = 0;   ///< executions that have had to wait for others so far
    bool wouldOversubscribe = false;  ///< ExecutionGate::spinningWouldOversubscribe
};

/// Thread-safe.
/// Long on purpose: lanes, runners, the order of waiters and their shares change together, under
/// one lock.
class ExecutionGate {
    static constexpr std::uint32_t kNoRunner = RunnerSet::kNone;

  public:
    /// ALL_LANES: several kernel threads share the work, of which there is one set.
    enum class Width : std::uint8_t { ONE_LANE, ALL_LANES };

    /// Longer than operations compute between two places where they yield, so that it only acts on
    /// operations without such places.
    static constexpr std::chrono::milliseconds kLongestWait{1};

    /// Runs `laneCount` (at least 1) executions at a time, and extra ones as the header of this
    /// file says, with `longestWait` for kLongestWait; without it there are none. An execution may
    /// be extra if
    /// - it needs one lane and has a client,
    /// - its client runs nothing else, and
    /// - no other execution of its user is extra.
    explicit ExecutionGate(
        std::uint32_t laneCount,
        std::optional<std::chrono::nanoseconds> longestWait = std::nullopt) noexcept
        : laneCount_(laneCount),
          longestWait_(longestWait),
          freeLanes_(static_cast<std::int32_t>(laneCount)) {}
    ~ExecutionGate();
    ExecutionGate(const ExecutionGate&) = delete;
    ExecutionGate& operator=(const ExecutionGate&) = delete;

    class Pass;

    /// Whether all lanes are in use.
    [[nodiscard]] bool isBusy() const noexcept {
        return freeLanes_.load(std::memory_order_relaxed) <= 0;
    }
    /// Called by an execution that has left. True if other executions run and, with one spinning
    /// client each, they and this one would need more processors than there are lanes.
    [[nodiscard]] bool spinningWouldOversubscribe() const noexcept {
        const std::int32_t lanes = static_cast<std::int32_t>(laneCount_);
        const std::int32_t others = lanes - freeLanes_.load(std::memory_order_relaxed);
        return others > 0 && 2 * (others + 1) > lanes;
    }
    /// The number of waiting executions.
    [[nodiscard]] std::uint32_t waitingCount() const noexcept {
        return waitingCount_.load(std::memory_order_relaxed);
    }
    /// The number of executions that had to wait so far.
    [[nodiscard]] std::uint32_t delayedCount() const noexcept {
        return delayedCount_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] Contention contention() const noexcept {
        return {.delayedCount = delayedCount(), .wouldOversubscribe = spinningWouldOversubscribe()};
    }
    [[nodiscard]] std::uint32_t laneCount() const noexcept { return laneCount_; }

  private:
    class WakeList;

    /// What an execution gets after it has waited.
    struct Admission {
        std::uint32_t runner = kNoRunner;
        TimePoint start;                         ///< of its use of lanes
        std::optional<std::uint32_t> processor;  ///< to which it is bound; none if it is not
        bool isExtra = false;                    ///< admitted without a lane
    };

    struct WaitingExecution {
        const system::ThreadProcessors& thread;
        RunnerSet& runners;    ///< of its model
        bool holdsRunner;      ///< already, since it has yielded
        std::uint32_t runner;  ///< the preferred one, or the one that it holds
        Width width;
        LaneShare* client;
        WaitingWork work;
        bool isLight = false;  ///< its client or user had saved more than kCredit (limitCredit)
        bool retriesAsExtra = false;  ///< to be extra, once running ones had time to check the gate
        Admission admission{};
        /// Released once after isAdmitted is set, unless `isSpinning` is set then. The sleeper
        /// needs no lock to go on, and its waker holds none.
        system::Semaphore wakeUp;
        std::atomic<bool> isAdmitted{false};
        bool isSpinning = false;
        WaitingExecution* nextAdmitted = nullptr;
    };

    [[nodiscard]] std::int32_t lanesOf(Width width) const noexcept {
        return width == Width::ONE_LANE ? 1 : static_cast<std::int32_t>(laneCount_);
    }
    /// Takes `lanes` and a runner, `preferred` if that is free. kNoRunner if one of them is
    /// missing.
    [[nodiscard]] std::uint32_t tryEnter(RunnerSet& runners, std::uint32_t preferred,
                                         std::int32_t lanes) noexcept {
        if (!tryTake(lanes)) {
            return kNoRunner;
        }
        const std::uint32_t runner = runners.tryHold(preferred);
        if (runner == kNoRunner) {
            leave(nullptr, kNoRunner, lanes);
        }
        return runner;
    }

    [[nodiscard]] bool tryTake(std::int32_t lanes) noexcept {
        // sync [gate-left]: comes after a waiter's announcement also where no lane is free and
        // nothing is exchanged. A relaxed load could come before it, on arm64 and by the rules of
        // C++.
        std::int32_t free = freeLanes_.load(std::memory_order_seq_cst);
        while (free >= lanes) {
            // sync [gate-left]: what the one before did is done
            if (freeLanes_.compare_exchange_weak(free, free - lanes, std::memory_order_seq_cst)) {
                return true;
            }
        }
        return false;
    }

    /// Releases `lanes`, which may be 0, and `runner` of `runners` unless that is null.
    void leave(RunnerSet* runners, std::uint32_t runner, std::int32_t lanes) noexcept {
        // sync [gate-left]: ordered before the look for waiters, as they announce themselves before
        // they look for a lane: one of the two sees the other. The runner is released before the
        // lane, so that an execution that takes the lane sees the runner free.
        if (runners != nullptr) {
            runners->runners_[runner].isHeld.store(
                false, lanes != 0 ? std::memory_order_release : std::memory_order_seq_cst);
        }
        if (lanes != 0) {
            freeLanes_.fetch_add(lanes, std::memory_order_seq_cst);
        }
    }
    /// Whether more executions run than there are lanes.
    [[nodiscard]] bool hasExtraRunning() const noexcept {
        return freeLanes_.load(std::memory_order_relaxed) < 0;
    }
    [[nodiscard]] bool hasWaiters() const noexcept {
        return waitingCount_.load(std::memory_order_seq_cst) != 0;
    }
    /// Whether an extra execution runs, of a client that has used less than `client`.
    [[nodiscard]] bool needsLowPriority(const LaneShare& client) NNBURST_EXCLUDES(mutex_);
    /// Adds the time that an execution has used lanes while others waited to the share of `client`
    /// (null: it had no lanes), and admits others.
    void chargeAndAdmit(LaneShare* client, const std::optional<Admission>& admission,
                        WakeList& admitted);
    /// Waits until `waiter` has its lanes, and a runner. None if the deadline comes first.
    [[nodiscard]] std::optional<Admission> wait(WaitingExecution& waiter) NNBURST_EXCLUDES(mutex_);
    [[nodiscard]] bool sleep(WaitingExecution& waiter) NNBURST_EXCLUDES(mutex_);
    [[nodiscard]] bool giveUp(WaitingExecution& waiter) NNBURST_EXCLUDES(mutex_);
    /// Whether `waiter` may become overdue.
    [[nodiscard]] bool mayBecomeOverdue(const WaitingExecution& waiter) const noexcept {
        return longestWait_ && waiter.client != &anonymousClient_ &&
               waiter.width == Width::ONE_LANE;
    }
    void countRunning(LaneShare& client, TimePoint start) NNBURST_REQUIRES(mutex_);
    void discountRunning(LaneShare& client, TimePoint start, TimePoint now)
        NNBURST_REQUIRES(mutex_);
    [[nodiscard]] std::chrono::nanoseconds saved(const WaitingExecution& waiter, TimePoint now)
        NNBURST_REQUIRES(mutex_);
    /// Whether executions may run that are not in `running_`. Also true while one has all lanes.
    [[nodiscard]] bool mayOthersRunUncounted() const NNBURST_REQUIRES(mutex_) {
        return running_.size() < laneCount_;
    }
    [[nodiscard]] bool mayBeExtraIgnoringRunner(const WaitingExecution& waiter) const
        NNBURST_REQUIRES(mutex_);
    [[nodiscard]] bool mayBeExtra(const WaitingExecution& waiter) const NNBURST_REQUIRES(mutex_);
    [[nodiscard]] WaitingExecution* nextExtra(std::chrono::nanoseconds least, TimePoint now) const
        NNBURST_REQUIRES(mutex_);
    [[nodiscard]] bool isNextExtra(const WaitingExecution& waiter, TimePoint now) const
        NNBURST_REQUIRES(mutex_) {
        return nextExtra({}, now) == &waiter;
    }
    void admitExtra(WaitingExecution& waiter, TimePoint now, WakeList& admitted)
        NNBURST_REQUIRES(mutex_);
    void retryAsExtra(WaitingExecution& waiter) NNBURST_EXCLUDES(mutex_);
    [[nodiscard]] TimePoint admitOverdue() NNBURST_EXCLUDES(mutex_);
    void runOverdueThread() noexcept;
    [[nodiscard]] bool wakeOverdueThread() NNBURST_REQUIRES(mutex_);
    void admitWaiters(TimePoint now, WakeList& admitted) NNBURST_REQUIRES(mutex_);
    [[nodiscard]] bool tryAdmit(WaitingExecution& waiter, TimePoint now, WakeList& admitted)
        NNBURST_REQUIRES(mutex_);
    [[nodiscard]] WaitingExecution* waitingHolderOf(const RunnerSet& runners)
        NNBURST_REQUIRES(mutex_);
    [[nodiscard]] static bool hasRunner(const WaitingExecution& waiter) noexcept {
        return waiter.holdsRunner || !waiter.runners.areAllHeld();
    }
    [[nodiscard]] std::chrono::nanoseconds& admittedUsed(LaneShare& share) NNBURST_REQUIRES(mutex_);
    [[nodiscard]] bool limitCredit(LaneShare& client, TimePoint now) NNBURST_REQUIRES(mutex_);
    [[nodiscard]] bool precedes(const WaitingExecution& a, const WaitingExecution& b,
                                TimePoint now) const NNBURST_REQUIRES(mutex_);
    [[nodiscard]] std::chrono::nanoseconds spinTime(const WaitingExecution& waiter)
        NNBURST_REQUIRES(mutex_);
    [[nodiscard]] static bool spin(const WaitingExecution& waiter, std::chrono::nanoseconds limit);
    /// Whether a waiting execution comes before a running one of `client`, which holds a runner of
    /// `runners`, and before those that wait for that. Counts the running one from now on if it was
    /// not counted before. If it goes on for the sake of one that waits for its runner, the client
    /// of that one is charged for the time since `lastYieldCheck` in which that was so.
    [[nodiscard]] bool mustYield(const WaitingWork& running, const RunnerSet& runners,
                                 LaneShare* client, std::optional<Admission>& admission,
                                 TimePoint lastYieldCheck);

    const std::uint32_t laneCount_;
    const std::optional<std::chrono::nanoseconds> longestWait_;
    std::atomic<std::int32_t> freeLanes_;  // negative: that many run beyond the lanes
    std::atomic<std::uint32_t> waitingCount_{0};
    std::atomic<std::uint32_t> delayedCount_{0};

    system::Mutex mutex_;
    std::vector<WaitingExecution*> waiters_ NNBURST_GUARDED_BY(mutex_);
    /// The clients whose executions are known to run, one entry for each: those that have waited,
    /// or that have seen others wait. Has room for those of all waiters.
    std::vector<LaneShare*> running_ NNBURST_GUARDED_BY(mutex_);
    std::uint64_t arrivals_ NNBURST_GUARDED_BY(mutex_) = 0;
    /// What the user whose execution was admitted last had used. A user that comes back starts from
    /// here, less kCredit: it saves no more for later.
    std::chrono::nanoseconds admittedUsed_ NNBURST_GUARDED_BY(mutex_){};
    TimePoint lastAdmission_ NNBURST_GUARDED_BY(mutex_);  // when the last waiter was admitted
    const LaneShare* lastAdmittedUser_ NNBURST_GUARDED_BY(mutex_) = nullptr;  // its user
    TimePoint contendedSince_ NNBURST_GUARDED_BY(mutex_);  // since when waiters_ is not empty
    TimePoint lightSince_ NNBURST_GUARDED_BY(mutex_);      // when the last light one came
    /// The client of the extra execution that was admitted last, if that still runs.
    const LaneShare* extraClient_ NNBURST_GUARDED_BY(mutex_) = nullptr;
    LaneProcessors laneProcessors_ NNBURST_GUARDED_BY(mutex_);
    LaneShare anonymousClient_;  // of executions without a client

    /// Admits overdue executions. Started with the first one that may become overdue.
    std::thread overdueThread_ NNBURST_GUARDED_BY(mutex_);
    bool isOverdueThreadIdle_ NNBURST_GUARDED_BY(mutex_) = false;  // until it is woken
    std::uint32_t delayedCountSeen_ NNBURST_GUARDED_BY(mutex_) =
        0;  // delayedCount_ at its last check
    system::Semaphore overdueWakeUp_;
    std::atomic<bool> isEnding_{false};
};

/// Executions that were admitted while they slept and are still to be woken. They are woken without
/// the gate's lock: a woken thread may take the processor of its waker at once, and a thread that
/// wants the lock would wait for both. Used by one thread.
class ExecutionGate::WakeList {
  public:
    WakeList() noexcept = default;
    ~WakeList() { wakeAll(); }
    WakeList(const WakeList&) = delete;
    WakeList& operator=(const WakeList&) = delete;

    void wakeAll() noexcept {
        while (first_ != nullptr) {
            WaitingExecution& waiter = *first_;
            first_ = waiter.nextAdmitted;
            if (waiter.admission.processor) {
                waiter.thread.narrowTo(*waiter.admission.processor);
            }
            waiter.wakeUp.release();  // from here on it may be destroyed
        }
    }

  private:
    friend class ExecutionGate;

    void add(WaitingExecution& waiter) noexcept {
        waiter.nextAdmitted = std::exchange(first_, &waiter);
    }

    WaitingExecution* first_ = nullptr;
};

/// RAII: holds lanes and a runner from `enter` until it is destroyed. Used by one thread.
class ExecutionGate::Pass {
  public:
    using Width = ExecutionGate::Width;

    /// `client` may be null: executions without one use one share. It must outlive the pass.
    Pass(ExecutionGate& gate, RunnerSet& runners, Width width = Width::ONE_LANE,
         LaneShare* client = nullptr) noexcept
        : gate_(gate),
          runners_(runners),
          client_(client == nullptr ? &gate.anonymousClient_ : client),
          width_(width),
          lanes_(gate.lanesOf(width)) {}
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    ~Pass() {
        if (holdsRunner_) {
            unpin();
            gate_.leave(&runners_, runner_, hasLanes_ ? lanes_ : 0);
            if (admission_ || gate_.hasWaiters()) {
                admitNext();
            }
        }
    }

    /// Waits until this execution may run, on the runner `preferred`, which the model has, or on
    /// another one if that is in use. MISSED_DEADLINE_TRANSIENT if its deadline passes first: the
    /// time went to others, so the same execution may do better later.
    [[nodiscard]] Result<> enter(const Urgency& urgency, std::uint32_t preferred = 0) {
        return tryEnter(urgency, preferred) ? Result<>() : waitAndEnter();
    }

    /// The same without waiting: false if others wait, or if there is no lane or no runner. `enter`
    /// may follow then.
    [[nodiscard]] bool tryEnter(const Urgency& urgency, std::uint32_t preferred) {
        work_.urgency.priority = urgency.priority;
        system::copyByParts(urgency.deadline, work_.urgency.deadline);
        runner_ = preferred;
        if (gate_.waitingCount_.load(std::memory_order_relaxed) != 0) {
            return false;
        }
        const std::uint32_t taken = gate_.tryEnter(runners_, preferred, lanes_);
        if (taken == kNoRunner) {
            return false;
        }
        runner_ = taken;
        holdsRunner_ = true;
        hasLanes_ = true;
        return true;
    }

    /// The runner that it holds, from `enter` on.
    [[nodiscard]] std::uint32_t runner() const noexcept { return runner_; }

    /// Whether it has given its thread a low priority, until it is destroyed.
    [[nodiscard]] bool hasLowPriority() const noexcept { return lowPriority_.has_value(); }

    /// To be called between operations and inside long ones. If an execution waits that comes
    /// before this one (a more urgent one of the same client, or one of a client that has used
    /// less), releases the lanes and waits for them again. Checks that every 50 us. Keeps the
    /// runner. Does not wait beyond the deadline.
    void yieldToOthers() {
        if (gate_.waitingCount_.load(std::memory_order_relaxed) != 0 || gate_.hasExtraRunning()) {
            yield();
        }
    }

  private:
    Result<> waitAndEnter();
    void wait();
    void yield();
    void admitNext();
    /// Allows the thread all of its processors again.
    void unpin() const noexcept {
        if (admission_ && admission_->processor) {
            thread_->widen();
        }
    }

    ExecutionGate& gate_;
    RunnerSet& runners_;
    LaneShare* const client_;
    const Width width_;
    const std::int32_t lanes_;
    WaitingWork work_;
    std::optional<Admission> admission_;  // if it has waited, or others wait while it runs
    std::optional<system::ThreadProcessors> thread_;        // once it has waited
    std::optional<system::ScopedLowPriority> lowPriority_;  // once it has yielded
    TimePoint lastYieldCheck_{};                            // for executions that come before it
    std::uint32_t runner_ = kNoRunner;
    bool holdsRunner_ = false;
    bool hasLanes_ = false;
};

}  // namespace nnburst::exec
