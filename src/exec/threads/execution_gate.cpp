// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/threads/execution_gate.h"

#include <algorithm>
#include <chrono>

#include "system/relax_processor.h"

namespace nnburst::exec {

namespace {

using Clock = std::chrono::steady_clock;

/// Who comes and is next spins for so long, and sleeps if that was in vain.
constexpr std::chrono::microseconds kSpin{800};
/// Then so many of those who come and are next do not try.
constexpr std::uint32_t kSleepsAfterVainSpin = 16;

}  // namespace

void ExecutionGate::admitAfterLeaving() {
    const std::lock_guard lock(mutex_);
    admitWaiters();
}

/// Gives lanes to those who wait for them, the most urgent first. Under the lock.
void ExecutionGate::admitWaiters() {
    const TimePoint now = Clock::now();
    std::sort(waiters_.begin(), waiters_.end(),
              [now](const Waiter* a, const Waiter* b) { return a->work.precedes(b->work, now); });
    for (auto next = waiters_.begin(); next != waiters_.end();) {
        Waiter& waiter = **next;
        // The lanes first: see leave. Who needs more than are free is not overtaken.
        if (!tryTake(waiter.lanes)) {
            return;
        }
        if (waiter.turn != nullptr &&
            waiter.turn->isTaken_.exchange(true, std::memory_order_seq_cst)) {
            // the next one may take them
            freeLanes_.fetch_add(waiter.lanes, std::memory_order_seq_cst);
            ++next;
            continue;
        }
        next = waiters_.erase(next);
        waitingCount_.fetch_sub(1, std::memory_order_seq_cst);
        const bool isSpinning = waiter.isSpinning;
        // sync [gate-admitted]: who spins leaves without the lock, and takes `waiter` along
        waiter.isAdmitted.store(true, std::memory_order_release);
        if (!isSpinning) {
            waiter.admitted.notify_one();
        }
    }
}

/// `waiter`, which is among those who wait, is the only one that waits for its model, and a
/// processor is free to spin on. Under the lock.
bool ExecutionGate::maySpin(const Waiter& waiter) {
    if (waiter.turn == nullptr || freeLanes_.load(std::memory_order_relaxed) <= 0 ||
        std::any_of(waiters_.begin(), waiters_.end(), [&](const Waiter* other) {
            return other != &waiter && other->turn == waiter.turn;
        })) {
        return false;
    }
    if (waiter.turn->sleepsAhead_ > 0) {
        --waiter.turn->sleepsAhead_;
        return false;
    }
    return true;
}

bool ExecutionGate::spin(const Waiter& waiter, const std::optional<TimePoint>& deadline) {
    constexpr int kTurnsPerClockRead = 64;
    const TimePoint end = std::min(Clock::now() + kSpin, deadline.value_or(TimePoint::max()));
    do {
        for (int turn = 0; turn < kTurnsPerClockRead; ++turn) {
            // sync [gate-admitted]
            if (waiter.isAdmitted.load(std::memory_order_acquire)) {
                return true;
            }
            system::relaxProcessor();
        }
    } while (Clock::now() < end);
    return false;
}

bool ExecutionGate::wait(Turn* turn, std::int32_t lanes, const Urgency& urgency) {
    std::unique_lock lock(mutex_);
    Waiter waiter{.turn = turn,
                  .lanes = lanes,
                  .work = {.urgency = urgency, .since = Clock::now(), .turn = arrivals_++},
                  .admitted = {}};
    waiters_.push_back(&waiter);
    waitingCount_.fetch_add(1, std::memory_order_seq_cst);
    delayedCount_.fetch_add(1, std::memory_order_relaxed);  // only counts
    admitWaiters();
    const auto isAdmitted = [&waiter] { return waiter.isAdmitted.load(std::memory_order_relaxed); };
    if (!isAdmitted() && maySpin(waiter)) {
        waiter.isSpinning = true;
        lock.unlock();
        if (spin(waiter, urgency.deadline)) {
            return true;
        }
        lock.lock();
        waiter.isSpinning = false;
        turn->sleepsAhead_ = kSleepsAfterVainSpin;
    }
    if (!urgency.deadline) {
        waiter.admitted.wait(lock, isAdmitted);
        return true;
    }
    if (!waiter.admitted.wait_until(lock, *urgency.deadline, isAdmitted)) {
        std::erase(waiters_, &waiter);
        waitingCount_.fetch_sub(1, std::memory_order_seq_cst);
        admitWaiters();  // those who did not overtake it
        return false;
    }
    return true;
}

bool ExecutionGate::hasMoreUrgent(const WaitingWork& running) {
    const std::lock_guard lock(mutex_);
    const TimePoint now = Clock::now();
    return std::any_of(waiters_.begin(), waiters_.end(), [&](const Waiter* waiter) {
        const bool canRun =
            waiter->turn == nullptr || !waiter->turn->isTaken_.load(std::memory_order_relaxed);
        return canRun &&
               waiter->work.level(now) > static_cast<std::int64_t>(running.urgency.priority);
    });
}

Result<> ExecutionGate::Pass::enterInTurn() {
    if (!gate_.wait(&turn_, lanes_, work_.urgency)) {
        return failure(ErrorStatus::MISSED_DEADLINE_TRANSIENT,
                       "the deadline passed while other executions were running");
    }
    hasTurn_ = true;
    hasLanes_ = true;
    return {};
}

void ExecutionGate::Pass::yield() {
    if (!hasLanes_ || !gate_.hasMoreUrgent(work_)) {
        return;
    }
    gate_.leave(nullptr, lanes_);
    hasLanes_ = gate_.wait(nullptr, lanes_, work_.urgency);
}

}  // namespace nnburst::exec
