// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The one place where executions of all kinds wait for each other: as many run at a time as the
/// engine has lanes, and as many of each compiled model as it has runners. An execution whose
/// kernels use several threads takes all lanes. While no execution waits, entering and leaving
/// takes a few atomic operations and no lock. An execution that is the next for its model spins for
/// a while if a lane is free, because being woken takes as long as a short execution. All others
/// sleep.
///
/// Between users, and between the clients of one user, the order is fair: the one that has used the
/// lanes for the shortest time while others waited comes first. Among the executions of one client
/// the most urgent comes first. An execution yields between its operations and inside most long
/// ones, and from then on runs with a low priority, so that threads of clients that use less get a
/// processor at once. If none has yielded or ended for kLongestWait, a thread of the gate admits
/// the next one beside those that run, and the system divides the processors.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "account/account.h"
#include "exec/threads/lane_processors.h"
#include "exec/threads/urgency.h"
#include "nnburst/result.h"
#include "system/affinity.h"
#include "system/mutex.h"
#include "system/scheduling.h"
#include "system/semaphore.h"
#include "system/time.h"

namespace nnburst::exec {

/// How long the executions of one client have used lanes while others waited, and whether the
/// client is still there. The clients of one user share what the user gets.
class ClientShare {
  public:
    /// `user` is the share of all clients of a user together; null: the client is its own user.
    /// Memory that executions take is charged to `account`; null: not charged.
    explicit ClientShare(std::shared_ptr<ClientShare> user = nullptr,
                         SharedAccount account = nullptr) noexcept
        : user_(std::move(user)), account_(std::move(account)) {}
    [[nodiscard]] const SharedAccount& account() const noexcept { return account_; }

    /// The client has gone. Its executions end soon, with an error. Any thread.
    void cancel() noexcept { isCancelled_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] const std::atomic<bool>& isCancelled() const noexcept { return isCancelled_; }

  private:
    friend class ExecutionGate;

    [[nodiscard]] ClientShare& user() noexcept { return user_ ? *user_ : *this; }
    /// An execution uses lanes from `start` on.
    void begin(TimePoint start) noexcept {
        for (ClientShare* share = this; share != nullptr; share = share->user_.get()) {
            ++share->runningCount_;
            share->startSum_ += start.time_since_epoch();
        }
    }
    /// One that has begun at `start` has ended, and has used lanes for `time`.
    void end(TimePoint start, std::chrono::nanoseconds time) noexcept {
        for (ClientShare* share = this; share != nullptr; share = share->user_.get()) {
            --share->runningCount_;
            share->startSum_ -= start.time_since_epoch();
        }
        add(time);
    }
    void add(std::chrono::nanoseconds time) noexcept {
        for (ClientShare* share = this; share != nullptr; share = share->user_.get()) {
            share->used_ += time;
        }
    }
    /// With the executions that have begun and not ended.
    [[nodiscard]] std::chrono::nanoseconds usedUntil(TimePoint now) const noexcept {
        return used_ + runningCount_ * now.time_since_epoch() - startSum_;
    }
    [[nodiscard]] const ClientShare& user() const noexcept { return user_ ? *user_ : *this; }
    /// How much more than `other` this has used, or its user more than the other's user.
    [[nodiscard]] std::chrono::nanoseconds moreThan(const ClientShare& other,
                                                    TimePoint now) const noexcept {
        return &user() == &other.user() ? usedUntil(now) - other.usedUntil(now)
                                        : user().usedUntil(now) - other.user().usedUntil(now);
    }

    const std::shared_ptr<ClientShare> user_;
    const SharedAccount account_;

    // Guarded by the gate's mutex.
    std::chrono::nanoseconds used_{};          // by executions that have ended
    std::int64_t runningCount_ = 0;            // of executions whose start is known
    std::chrono::nanoseconds startSum_{};      // of their starts
    std::chrono::nanoseconds admittedUsed_{};  // as the gate's, of the clients of a user
    bool runsBeside_ = false;                  // of a user: one of its executions was let in beside

    std::atomic<bool> isCancelled_{false};
};

/// Thread-safe.
class ExecutionGate {
    static constexpr std::uint32_t kNoRunner = UINT32_MAX;
    static constexpr std::size_t kCacheLineBytes = 64;

  public:
    /// Which runners of a compiled model are in use. A runner has operators and memory that only
    /// one execution may use at a time. An execution takes a runner together with its lanes. A
    /// model has one runner at first.
    class RunnerSet {
      public:
        static constexpr std::uint32_t kMaximumRunners = 64;

        [[nodiscard]] std::uint32_t count() const noexcept {
            // sync [runner-added]
            return count_.load(std::memory_order_acquire);
        }
        /// Whether no runner is free. It may have changed when the call returns.
        [[nodiscard]] bool areAllHeld() const noexcept;
        /// Adds a runner, which must be complete. One thread at a time.
        void add() noexcept;

      private:
        friend class ExecutionGate;

        /// On a cache line of its own: runners are used by different processors.
        struct alignas(kCacheLineBytes) Runner {
            std::atomic<bool> isHeld{false};
        };

        /// Takes `preferred` or another free runner; kNoRunner if none is free.
        [[nodiscard]] std::uint32_t tryHold(std::uint32_t preferred) noexcept {
            // sync [gate-left]
            return !runners_[preferred].isHeld.exchange(true, std::memory_order_seq_cst)
                       ? preferred
                       : tryHoldAny();
        }
        [[nodiscard]] std::uint32_t tryHoldAny() noexcept;

        std::array<Runner, kMaximumRunners> runners_;
        std::atomic<std::uint32_t> count_{1};
        std::uint32_t sleepsAhead_ = 0;  // guarded by mutex_: so many next waiters do not spin
    };

    /// ALL_LANES: several kernel threads share the work, of which there is one set.
    enum class Width : std::uint8_t { ONE_LANE, ALL_LANES };

    /// Longer than operations compute between two places where they make way, so that it acts where
    /// there is no such place.
    static constexpr std::chrono::milliseconds kLongestWait{5};

    /// Lets `laneCount` (at least 1) executions run at a time. Once none has been let in for
    /// `longestWait`, the next one that has waited as long is let in without a free lane: one of
    /// each user, that needs one lane, of a client that runs nothing else.
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
    class WakeList;

    /// Whether all lanes are in use.
    [[nodiscard]] bool isBusy() const noexcept {
        return freeLanes_.load(std::memory_order_relaxed) <= 0;
    }
    /// To be asked by an execution that has left: others run, and if each of them and itself had a
    /// client that spins, these threads would need more processors than there are lanes.
    [[nodiscard]] bool isCrowded() const noexcept {
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
    [[nodiscard]] std::uint32_t laneCount() const noexcept { return laneCount_; }

  private:
    /// What an execution that has waited gets.
    struct Admission {
        std::uint32_t runner = kNoRunner;
        TimePoint start;                         ///< of its use of lanes
        std::optional<std::uint32_t> processor;  ///< it was woken there and stays there
        bool isBeside = false;                   ///< no lane was free
    };

    struct Waiter {
        const system::ThreadProcessors& thread;
        RunnerSet* runners;    ///< of its model; null if it holds a runner already
        std::uint32_t runner;  ///< the preferred one
        Width width;
        ClientShare* client;
        WaitingWork work;
        bool isLight = false;  ///< its client has used less than its share
        Admission admission{};
        /// Released once after isAdmitted is set, unless `isSpinning` is set then. The sleeper
        /// needs no lock to go on, and its waker holds none.
        system::Semaphore wakeUp;
        std::atomic<bool> isAdmitted{false};
        bool isSpinning = false;
        Waiter* nextAdmitted = nullptr;
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
    /// More executions run than there are lanes.
    [[nodiscard]] bool isOvercommitted() const noexcept {
        return freeLanes_.load(std::memory_order_relaxed) < 0;
    }
    [[nodiscard]] bool hasWaiters() const noexcept {
        return waitingCount_.load(std::memory_order_seq_cst) != 0;
    }
    /// Adds what an execution has used while others waited to the account of `client` (null: it had
    /// no lanes), and admits others.
    void chargeAndAdmit(ClientShare* client, const std::optional<Admission>& admission,
                        WakeList& admitted);
    /// Waits for the lanes of `width`, and for a runner of `runners`, best `preferred`, unless that
    /// is null. None if the deadline comes first.
    [[nodiscard]] std::optional<Admission> wait(const system::ThreadProcessors& thread,
                                                RunnerSet* runners, std::uint32_t preferred,
                                                Width width, ClientShare* client,
                                                const Urgency& urgency);
    [[nodiscard]] bool sleep(Waiter& waiter) NNBURST_EXCLUDES(mutex_);
    [[nodiscard]] bool giveUp(Waiter& waiter) NNBURST_EXCLUDES(mutex_);
    /// Whether `waiter` is of those that are let in without a free lane.
    [[nodiscard]] bool isProtected(const Waiter& waiter) const noexcept {
        return longestWait_ && waiter.client != &unnamed_ && waiter.width == Width::ONE_LANE;
    }
    [[nodiscard]] bool mayRunBeside(const Waiter& waiter) const NNBURST_REQUIRES(mutex_);
    void tryLetInBeside(TimePoint now, WakeList& admitted) NNBURST_REQUIRES(mutex_);
    [[nodiscard]] TimePoint letInBeside() NNBURST_EXCLUDES(mutex_);
    void watch() noexcept;
    [[nodiscard]] bool awakenWatch() NNBURST_REQUIRES(mutex_);
    void admitWaiters(TimePoint now, WakeList& admitted) NNBURST_REQUIRES(mutex_);
    [[nodiscard]] bool tryAdmit(Waiter& waiter, TimePoint now, WakeList& admitted)
        NNBURST_REQUIRES(mutex_);
    [[nodiscard]] std::chrono::nanoseconds& admittedUsed(ClientShare& share)
        NNBURST_REQUIRES(mutex_);
    [[nodiscard]] bool comeBack(ClientShare& client, TimePoint now) NNBURST_REQUIRES(mutex_);
    [[nodiscard]] bool precedes(const Waiter& a, const Waiter& b, TimePoint now) const
        NNBURST_REQUIRES(mutex_);
    [[nodiscard]] std::chrono::nanoseconds spinTime(const Waiter& waiter) NNBURST_REQUIRES(mutex_);
    [[nodiscard]] static bool spin(const Waiter& waiter, std::chrono::nanoseconds limit);
    /// Whether a waiting execution comes before a running one of `client`. Counts the running one
    /// from now on if it was not counted before.
    [[nodiscard]] bool hasMoreUrgent(const WaitingWork& running, ClientShare* client,
                                     std::optional<Admission>& admission);

    const std::uint32_t laneCount_;
    const std::optional<std::chrono::nanoseconds> longestWait_;
    std::atomic<std::int32_t> freeLanes_;  // negative: so many were let in beside
    std::atomic<std::uint32_t> waitingCount_{0};
    std::atomic<std::uint32_t> delayedCount_{0};

    system::Mutex mutex_;
    std::vector<Waiter*> waiters_ NNBURST_GUARDED_BY(mutex_);
    std::uint64_t arrivals_ NNBURST_GUARDED_BY(mutex_) = 0;
    /// What the user whose execution was admitted last had used. A user that comes back starts from
    /// here, less kCredit: it saves no more for later.
    std::chrono::nanoseconds admittedUsed_ NNBURST_GUARDED_BY(mutex_){};
    TimePoint admittedLast_ NNBURST_GUARDED_BY(mutex_);    // when one that waited was let in
    TimePoint contendedSince_ NNBURST_GUARDED_BY(mutex_);  // since when waiters_ is not empty
    TimePoint lightSince_ NNBURST_GUARDED_BY(mutex_);      // when the last light one came
    LaneProcessors laneProcessors_ NNBURST_GUARDED_BY(mutex_);
    ClientShare unnamed_;  // of executions without a client

    /// Lets executions in beside others: started with the first one that waits and may be.
    std::thread watch_ NNBURST_GUARDED_BY(mutex_);
    bool isWatchAsleep_ NNBURST_GUARDED_BY(mutex_) = false;      // until it is woken
    std::uint32_t watchedCount_ NNBURST_GUARDED_BY(mutex_) = 0;  // delayedCount_ at its last look
    system::Semaphore watchWakeUp_;
    std::atomic<bool> isEnding_{false};
};

/// Sleeping executions that were let in, and are still to be woken: without the gate's lock, since
/// a thread that is woken may take the processor of its waker at once, and a thread that wants the
/// lock would wait for both. They have their lanes already, so the keeper of a list must not do
/// long work before it wakes them. Used by one thread.
class ExecutionGate::WakeList {
  public:
    WakeList() noexcept = default;
    ~WakeList() { wakeAll(); }
    WakeList(const WakeList&) = delete;
    WakeList& operator=(const WakeList&) = delete;

    void wakeAll() noexcept {
        while (first_ != nullptr) {
            Waiter& waiter = *first_;
            first_ = waiter.nextAdmitted;
            if (waiter.admission.processor) {
                waiter.thread.narrowTo(*waiter.admission.processor);
            }
            waiter.wakeUp.release();  // from here on it may be destroyed
        }
    }
    [[nodiscard]] bool isEmpty() const noexcept { return first_ == nullptr; }

  private:
    friend class ExecutionGate;

    void add(Waiter& waiter) noexcept { waiter.nextAdmitted = std::exchange(first_, &waiter); }

    Waiter* first_ = nullptr;
};

/// RAII: holds lanes and a runner from `enter` until it is destroyed. Used by one thread.
class ExecutionGate::Pass {
  public:
    using Width = ExecutionGate::Width;

    /// `client` may be null: executions without one share an account. It must outlive the pass.
    /// Those that are let in at the end of the pass are left to `lateWakes`; null: woken at once.
    Pass(ExecutionGate& gate, RunnerSet& runners, Width width = Width::ONE_LANE,
         ClientShare* client = nullptr, WakeList* lateWakes = nullptr) noexcept
        : gate_(gate),
          runners_(runners),
          client_(client == nullptr ? &gate.unnamed_ : client),
          lateWakes_(lateWakes),
          width_(width),
          lanes_(gate.lanesOf(width)) {}
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    ~Pass() {
        if (holdsRunner_) {
            stayNoLonger();
            gate_.leave(&runners_, runner_, hasLanes_ ? lanes_ : 0);
            if (admission_ || gate_.hasWaiters()) {
                letOthersIn();
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

    /// To be called between operations and inside long ones: gives the lanes to executions that
    /// come first (more urgent ones of the same client, and those of clients that have used less)
    /// and waits for them again. Looks for such executions every 50 us. The runner is kept. After
    /// the deadline it does not wait.
    void letOthersPass() {
        if (gate_.waitingCount_.load(std::memory_order_relaxed) != 0) {
            yield();
        }
    }

  private:
    Result<> waitAndEnter();
    void wait(RunnerSet* runners);
    void yield();
    void letOthersIn();
    /// Lets its thread run on all of its processors again.
    void stayNoLonger() const noexcept {
        if (admission_ && admission_->processor) {
            thread_->widen();
        }
    }

    ExecutionGate& gate_;
    RunnerSet& runners_;
    ClientShare* const client_;
    WakeList* const lateWakes_;
    const Width width_;
    const std::int32_t lanes_;
    WaitingWork work_;
    std::optional<Admission> admission_;  // if it has waited, or others have while it runs
    std::optional<system::ThreadProcessors> thread_;        // once it has waited
    std::optional<system::ScopedLowPriority> lowPriority_;  // once it has made way
    TimePoint nextLook_{};                                  // for executions that come first
    std::uint32_t runner_ = kNoRunner;
    bool holdsRunner_ = false;
    bool hasLanes_ = false;
};

}  // namespace nnburst::exec
