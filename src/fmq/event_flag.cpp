// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "fmq/event_flag.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>

namespace nnburst::fmq {

namespace {

/// The futex is shared between processes, so not FUTEX_PRIVATE_FLAG. `until` is of CLOCK_MONOTONIC.
void futexWait(std::atomic<std::uint32_t>* word, std::uint32_t expected,
               SteadyTime until) noexcept {
    const auto sinceEpoch = until.time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(sinceEpoch);
    timespec timeout{};
    timeout.tv_sec = seconds.count();
    timeout.tv_nsec = (sinceEpoch - seconds).count();
    ::syscall(SYS_futex, word, FUTEX_WAIT_BITSET, expected, &timeout, nullptr,
              FUTEX_BITSET_MATCH_ANY);
}

void futexWakeAll(std::atomic<std::uint32_t>* word) noexcept {
    ::syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

void EventFlag::wake(std::uint32_t bits) noexcept {
    // sync [event-set]: what happened before wake is visible to the waiter that takes the bits
    const std::uint32_t before =
        word_->fetch_or(bits & ~(kSleeping | kParked), std::memory_order_seq_cst);
    if ((before & (kSleeping | kParked)) != 0) {
        wakeSleepers();
    }
}

std::optional<std::uint32_t> EventFlag::wait(std::uint32_t mask,
                                             std::optional<SteadyTime> deadline) noexcept {
    mask &= ~(kSleeping | kParked);
    while (true) {
        std::uint32_t value = word_->load(std::memory_order_relaxed);  // fetch_and below orders
        if ((value & mask) == 0) {
            value = announceSleeper();
        }
        if ((value & mask) != 0) {
            // sync [event-set]
            const std::uint32_t taken = word_->fetch_and(~mask, std::memory_order_seq_cst) & mask;
            if (taken != 0) {
                return taken;
            }
            continue;  // another waiter took them
        }
        if (deadline && std::chrono::steady_clock::now() >= *deadline) {
            return std::nullopt;
        }
        sleep(value, deadline);
    }
}

void EventFlag::wakeSleepers() noexcept {
    // Changing the word also keeps those from sleeping who have announced it and do not sleep yet.
    const std::uint32_t before =
        word_->fetch_and(~(kSleeping | kParked), std::memory_order_seq_cst);
    if ((before & kParked) != 0 && doorbell_ >= 0) {
        constexpr char kRing = 1;  // fails only where it is rung already, or nobody is there
        (void)::send(doorbell_, &kRing, sizeof(kRing), MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    if ((before & kParked) == 0 || (before & kSleeping) != 0) {
        futexWakeAll(word_);
    }
}

std::uint32_t EventFlag::announceSleeper() noexcept {
    const std::uint32_t announced =
        word_->fetch_or(kSleeping, std::memory_order_seq_cst) | kSleeping;
    sleepersFence();
    return announced;
}

void EventFlag::announceParked() noexcept {
    word_->fetch_or(kParked, std::memory_order_seq_cst);
    sleepersFence();
}

void EventFlag::sleepersFence() noexcept {
    // sync [sleep-announced]: the sleeper's last look comes after it
    if (hasHeavyFences_) {
        heavyFence();
    } else {
        fullFence();
    }
}

void EventFlag::publishWaiterCpu() noexcept {
    const std::uint32_t processor =
        static_cast<std::uint32_t>(::sched_getcpu() + 1) & WaiterState::kProcessor;
    const std::uint32_t state =
        processor | (hasHeavyFences_ ? WaiterState::kHasHeavyFences : 0) | contended_;
    // Relaxed: only a hint of where it is, and announceSleeper orders the rest. Stored only when it
    // changes, so that the line stays shared.
    if (waiter_->load(std::memory_order_relaxed) != state) {
        waiter_->store(state, std::memory_order_relaxed);
    }
}

bool EventFlag::isOnThisProcessor() const noexcept {
    return (waiter_->load(std::memory_order_relaxed) & WaiterState::kProcessor) ==
           (static_cast<std::uint32_t>(::sched_getcpu() + 1) & WaiterState::kProcessor);
}

void EventFlag::sleep(std::uint32_t announced, std::optional<SteadyTime> until) noexcept {
    SteadyTime limit = std::chrono::steady_clock::now() + kLongestSleep;
    if (until) {
        limit = std::min(limit, *until);
    }
    futexWait(word_, announced, limit);
}

}  // namespace nnburst::fmq
