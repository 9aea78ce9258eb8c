// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/threads/execution_gate.h"

#include <algorithm>
#include <chrono>
#include <functional>

#include "log/assert.h"
#include "system/relax_processor.h"

namespace nnburst::exec {

namespace {

using Clock = std::chrono::steady_clock;

/// An execution that is the next for its model spins for so long before it sleeps.
constexpr std::chrono::microseconds kSpin{800};
/// After a spin without success so many of the next executions sleep at once.
constexpr std::uint32_t kSleepsAfterVainSpin = 16;
/// A running execution keeps its lanes for at least this long before those of other clients get
/// them: passing them on takes some 20 microseconds.
constexpr std::chrono::microseconds kQuantum{200};
/// What an execution counts whose duration is not known, so that clients take turns.
constexpr std::chrono::nanoseconds kLeastUse{1000};

}  // namespace

bool ExecutionGate::RunnerSet::areAllHeld() const noexcept {
    const auto end = runners_.begin() + count();
    return std::all_of(runners_.begin(), end, [](const Runner& runner) {
        return runner.isHeld.load(std::memory_order_relaxed);  // only an estimate
    });
}

void ExecutionGate::RunnerSet::add() noexcept {
    const std::uint32_t count = count_.load(std::memory_order_relaxed);  // only this changes it
    NNBURST_ASSERT(count < kMaximumRunners, "a model with more than {} runners", count);
    // sync [runner-added]: whoever sees the number may use the runner
    count_.store(count + 1, std::memory_order_release);
}

std::uint32_t ExecutionGate::RunnerSet::tryHoldAny() noexcept {
    for (std::uint32_t runner = 0; runner < count(); ++runner) {
        std::atomic<bool>& isHeld = runners_[runner].isHeld;
        // sync [gate-left]: looks first, because an exchange takes the cache line from its user
        if (!isHeld.load(std::memory_order_seq_cst) &&
            !isHeld.exchange(true, std::memory_order_seq_cst)) {
            return runner;
        }
    }
    return kNoRunner;
}

void ExecutionGate::chargeAndAdmit(ClientShare* client, const OptionalTimePoint& start) {
    const system::MutexLock lock(mutex_);
    client->used_ +=
        start ? std::max<std::chrono::nanoseconds>(Clock::now() - *start, kLeastUse) : kLeastUse;
    admitWaiters();
}

/// The client that has used less comes first, among the executions of one client the most urgent.
bool ExecutionGate::precedes(const Waiter& a, const Waiter& b, TimePoint now) const {
    if (a.client == b.client) {
        return a.work.precedes(b.work, now);
    }
    if (a.client->used_ != b.client->used_) {
        return a.client->used_ < b.client->used_;
    }
    return std::less<const ClientShare*>()(a.client, b.client);  // any order
}

/// Gives free lanes to executions that wait for them, in order.
void ExecutionGate::admitWaiters() {
    const TimePoint now = Clock::now();
    std::sort(waiters_.begin(), waiters_.end(),
              [&](const Waiter* a, const Waiter* b)
                  NNBURST_REQUIRES(mutex_) { return precedes(*a, *b, now); });
    for (auto next = waiters_.begin(); next != waiters_.end();) {
        Waiter& waiter = **next;
        // The lanes first: see leave. A waiter that needs more lanes than are free blocks the
        // others.
        if (!tryTake(waiter.lanes)) {
            return;
        }
        if (waiter.runners != nullptr) {
            const std::uint32_t runner = waiter.runners->tryHold(waiter.runner);
            if (runner == kNoRunner) {
                // The next waiter may take them.
                freeLanes_.fetch_add(waiter.lanes, std::memory_order_seq_cst);
                ++next;
                continue;
            }
            waiter.runner = runner;
        }
        next = waiters_.erase(next);
        admittedUsed_ = std::max(admittedUsed_, waiter.client->used_);
        waitingCount_.fetch_sub(1, std::memory_order_seq_cst);
        const bool isSpinning = waiter.isSpinning;
        // sync [gate-admitted]: a spinning waiter returns without the lock, which destroys `waiter`
        waiter.isAdmitted.store(true, std::memory_order_release);
        if (!isSpinning) {
            waiter.admitted.notifyOne();
        }
    }
}

/// True if `waiter` is the only one that waits for its model, and a lane is free to spin on.
bool ExecutionGate::maySpin(const Waiter& waiter) {
    if (waiter.runners == nullptr || freeLanes_.load(std::memory_order_relaxed) <= 0 ||
        std::any_of(waiters_.begin(), waiters_.end(), [&](const Waiter* other) {
            return other != &waiter && other->runners == waiter.runners;
        })) {
        return false;
    }
    if (waiter.runners->sleepsAhead_ > 0) {
        --waiter.runners->sleepsAhead_;
        return false;
    }
    return true;
}

bool ExecutionGate::spin(const Waiter& waiter, const OptionalTimePoint& deadline) {
    constexpr int kSpinsPerClockRead = 64;
    const TimePoint end = std::min(Clock::now() + kSpin, deadline.value_or(TimePoint::max()));
    do {
        for (int spin = 0; spin < kSpinsPerClockRead; ++spin) {
            // sync [gate-admitted]
            if (waiter.isAdmitted.load(std::memory_order_acquire)) {
                return true;
            }
            system::relaxProcessor();
        }
    } while (Clock::now() < end);
    return false;
}

bool ExecutionGate::wait(RunnerSet* runners, std::uint32_t& runner, std::int32_t lanes,
                         ClientShare* client, const Urgency& urgency) {
    Waiter waiter{.runners = runners,
                  .runner = runner,
                  .lanes = lanes,
                  .client = client,
                  .work = {.urgency = urgency, .since = Clock::now()},
                  .admitted = {}};
    bool spins = false;
    {
        const system::MutexLock lock(mutex_);
        waiter.work.arrival = arrivals_++;
        client->used_ = std::max(client->used_, admittedUsed_);
        waiters_.push_back(&waiter);
        waitingCount_.fetch_add(1, std::memory_order_seq_cst);
        delayedCount_.fetch_add(1, std::memory_order_relaxed);  // only counts
        admitWaiters();
        if (waiter.isAdmitted.load(std::memory_order_relaxed)) {
            runner = waiter.runner;
            return true;
        }
        spins = maySpin(waiter);
        waiter.isSpinning = spins;
    }
    if (spins && spin(waiter, urgency.deadline)) {
        runner = waiter.runner;
        return true;
    }
    const system::MutexLock lock(mutex_);
    if (spins) {
        waiter.isSpinning = false;
        runners->sleepsAhead_ = kSleepsAfterVainSpin;
    }
    const bool isAdmitted = sleep(waiter);
    runner = waiter.runner;
    return isAdmitted;
}

bool ExecutionGate::sleep(Waiter& waiter) {
    const OptionalTimePoint& deadline = waiter.work.urgency.deadline;
    while (!waiter.isAdmitted.load(std::memory_order_relaxed)) {
        if (!deadline) {
            waiter.admitted.wait(mutex_);
        } else if (!waiter.admitted.waitUntil(mutex_, *deadline) &&
                   !waiter.isAdmitted.load(std::memory_order_relaxed)) {
            std::erase(waiters_, &waiter);
            waitingCount_.fetch_sub(1, std::memory_order_seq_cst);
            admitWaiters();  // those that this one has blocked
            return false;
        }
    }
    return true;
}

bool ExecutionGate::hasMoreUrgent(const WaitingWork& running, const ClientShare* client,
                                  TimePoint start) {
    const system::MutexLock lock(mutex_);
    const TimePoint now = Clock::now();
    const auto comesFirst = [&](const Waiter* waiter) NNBURST_REQUIRES(mutex_) {
        if (waiter->client == client) {
            return waiter->work.level(now) > static_cast<std::int64_t>(running.urgency.priority);
        }
        return waiter->client->used_ + kQuantum <= client->used_ + (now - start);
    };
    return std::any_of(
        waiters_.begin(), waiters_.end(), [&](const Waiter* waiter) NNBURST_REQUIRES(mutex_) {
            const bool canRun = waiter->runners == nullptr || !waiter->runners->areAllHeld();
            return canRun && comesFirst(waiter);
        });
}

Result<> ExecutionGate::Pass::waitAndEnter() {
    if (!gate_.wait(&runners_, runner_, lanes_, client_, work_.urgency)) {
        return failure(ErrorStatus::MISSED_DEADLINE_TRANSIENT,
                       "the deadline passed while other executions were running");
    }
    holdsRunner_ = true;
    hasLanes_ = true;
    start_ = Clock::now();
    return {};
}

void ExecutionGate::Pass::yield() {
    if (!hasLanes_) {
        return;
    }
    if (!start_) {
        start_ = Clock::now();
    }
    if (!gate_.hasMoreUrgent(work_, client_, *start_)) {
        return;
    }
    gate_.leave(nullptr, runner_, lanes_);
    gate_.chargeAndAdmit(client_, start_);
    hasLanes_ = gate_.wait(nullptr, runner_, lanes_, client_, work_.urgency);
    start_ = Clock::now();
}

}  // namespace nnburst::exec
