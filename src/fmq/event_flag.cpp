// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "fmq/event_flag.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace nnburst::fmq {

namespace {

/// The futex is shared between processes, so not FUTEX_PRIVATE_FLAG. `until` is of CLOCK_MONOTONIC.
/// False if only the time or a signal has ended it.
bool futexWait(std::atomic<std::uint32_t>* word, std::uint32_t expected, TimePoint until) noexcept {
    const auto sinceEpoch = until.time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(sinceEpoch);
    timespec timeout{};
    timeout.tv_sec = seconds.count();
    timeout.tv_nsec = (sinceEpoch - seconds).count();
    return ::syscall(SYS_futex, word, FUTEX_WAIT_BITSET, expected, &timeout, nullptr,
                     FUTEX_BITSET_MATCH_ANY) == 0 ||
           errno == EAGAIN;
}

void futexWake(std::atomic<std::uint32_t>* word, int count) noexcept {
    ::syscall(SYS_futex, word, FUTEX_WAKE, count, nullptr, nullptr, 0);
}

}  // namespace

void EventFlag::wake(std::uint32_t bits) noexcept {
    // sync [event-set]: what happened before wake is visible to the waiter that takes the bits
    const std::uint32_t before =
        shared_->word.fetch_or(bits & ~kWaiterBits, std::memory_order_seq_cst);
    if ((before & kWaiterBits) != 0) {
        wakeSleepers();
    }
}

std::optional<std::uint32_t> EventFlag::wait(std::uint32_t mask,
                                             OptionalTimePoint deadline) noexcept {
    mask &= ~kWaiterBits;
    while (mask != 0) {
        // Relaxed: takeBits orders.
        if ((shared_->word.load(std::memory_order_relaxed) & mask) != 0) {
            if (const std::uint32_t taken = takeBits(mask); taken != 0) {
                return taken;
            }
        }
        const Announcement announcement = announceSleeper();
        if ((announcement.bits & mask) != 0) {
            continue;
        }
        if (deadline && std::chrono::steady_clock::now() >= *deadline) {
            return std::nullopt;
        }
        (void)sleep(announcement, deadline.value_or(TimePoint::max()));
    }
    return std::nullopt;
}

std::uint32_t EventFlag::takeBits(std::uint32_t mask) noexcept {
    // sync [event-set]: what happened before wake is visible
    return shared_->word.fetch_and(~mask, std::memory_order_seq_cst) & mask;
}

void EventFlag::wakeSleepers() noexcept {
    const std::uint32_t before = shared_->word.fetch_and(~kWaiterBits, std::memory_order_seq_cst);
    if ((before & kParked) != 0 && doorbell_ >= 0) {
        constexpr char kRing = 1;
        // Fails only where the doorbell is rung already, or the other side has gone.
        (void)::send(doorbell_, &kRing, sizeof(kRing), MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    if ((before & kParked) == 0 || (before & kSleeping) != 0) {
        // sync [wake-counted]: a sleeper that has announced itself and does not sleep yet finds
        // another count and does not fall asleep
        shared_->wakeCount.fetch_add(1, std::memory_order_seq_cst);
        futexWake(&shared_->wakeCount, maximumWoken_);
    }
}

EventFlag::Announcement EventFlag::announceSleeper() noexcept {
    // sync [wake-counted]: read before the announcement, so that each wake-up that answers the
    // announcement changes it
    const std::uint32_t wakeCount = shared_->wakeCount.load(std::memory_order_acquire);
    const std::uint32_t bits = shared_->word.fetch_or(kSleeping, std::memory_order_seq_cst);
    sleepersFence();
    return {.wakeCount = wakeCount, .bits = bits};
}

bool EventFlag::announceParked() noexcept {
    const std::uint32_t before = shared_->word.fetch_or(kParked, std::memory_order_seq_cst);
    sleepersFence();
    return (before & kParked) == 0;
}

void EventFlag::sleepersFence() noexcept {
    // sync [sleep-announced]: the sleeper's last look comes after its announcement
    if (!hasHeavyFences_ || (wakerMakesFences_ && hasDelegatedFences_)) {
        fullFence();
        return;
    }
    // Relaxed: only the waiting side writes it.
    const std::uint32_t state = shared_->waiter.load(std::memory_order_relaxed);
    heavyFence();
    if (wakerMakesFences_) {  // else several threads may use this object
        // sync [fences-delegated]: from here on the other side sees that this one makes no heavy
        // fences; what it stored before it looked for that, this side sees
        hasDelegatedFences_ = (state & WaiterState::kHasHeavyFences) == 0;
    }
}

void EventFlag::publishWaiterCpu() noexcept {
    const std::uint32_t processor =
        static_cast<std::uint32_t>(::sched_getcpu() + 1) & WaiterState::kProcessor;
    const bool makesHeavyFences = hasHeavyFences_ && !wakerMakesFences_;
    const std::uint32_t state =
        processor | (makesHeavyFences ? WaiterState::kHasHeavyFences : 0) | contended_;
    // Relaxed: the processor is only a hint, and announceSleeper orders the rest. Stored only when
    // it changes, so that the line stays shared.
    const std::uint32_t before = shared_->waiter.load(std::memory_order_relaxed);
    if (before != state) {
        shared_->waiter.store(state, std::memory_order_relaxed);
    }
    // Also where another view of the flag has made heavy fences meanwhile.
    if (hasDelegatedFences_ && ((before | state) & WaiterState::kHasHeavyFences) != 0) {
        hasDelegatedFences_ = false;
    }
}

bool EventFlag::isOnThisProcessor() const noexcept {
    return (shared_->waiter.load(std::memory_order_relaxed) & WaiterState::kProcessor) ==
           (static_cast<std::uint32_t>(::sched_getcpu() + 1) & WaiterState::kProcessor);
}

bool EventFlag::sleep(const Announcement& announcement, TimePoint until) noexcept {
    return futexWait(&shared_->wakeCount, announcement.wakeCount,
                     std::min(until, std::chrono::steady_clock::now() + longestSleep_));
}

}  // namespace nnburst::fmq
