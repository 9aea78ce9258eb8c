// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The one place where threads wait for another process: spin for the policy's window, then sleep
/// on an event flag.

#include <algorithm>
#include <chrono>
#include <optional>

#include "fmq/event_flag.h"
#include "nnburst/wait_policy.h"

namespace nnburst::fmq {

/// Tells the processor that this is a spin loop: some 10 to 50 ns.
inline void relaxProcessor() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield" ::: "memory");
#endif
}

/// `policy` as it makes sense on this machine: no spinning on a single processor.
[[nodiscard]] WaitPolicy effectivePolicy(const WaitPolicy& policy) noexcept;

/// How long a wait may last. With neither limit it lasts until what it waits for happens.
struct WaitLimit {
    std::optional<SteadyTime> deadline;
    /// Counted from the first look at the clock, so that a short wait never looks at it.
    std::optional<std::chrono::nanoseconds> atMost;
};

/// Waits until `ready()` is true, or the limit is reached. Gives whether it is true. `ready` makes
/// its loads sequentially consistent; whoever makes it true does so with a sequentially consistent
/// store and then wakes `flag`'s sleepers if there are any. `peer` is the flag on which the thread
/// sleeps that makes it true, if it has one: while that thread was last seen on this one's
/// processor, this one does not spin, because the other could not run. Allocates nothing.
template <class Ready>
[[nodiscard]] bool waitUntil(EventFlag flag, std::optional<EventFlag> peer,
                             const WaitPolicy& policy, const WaitLimit& limit,
                             Ready ready) noexcept {
    constexpr int kTurnsWithoutClock = 32;  // under a microsecond
    constexpr int kTurnsPerClockRead = 16;
    const bool spins = policy.spinWindow.count() > 0;
    if (peer) {
        flag.publishProcessor();
    }
    for (int turn = 0; spins && turn < kTurnsWithoutClock; ++turn) {
        if (ready()) {
            return true;
        }
        relaxProcessor();
    }
    if (ready()) {
        return true;
    }
    const SteadyTime start = std::chrono::steady_clock::now();
    std::optional<SteadyTime> end = limit.deadline;
    if (limit.atMost) {
        end = std::min(end.value_or(SteadyTime::max()), start + *limit.atMost);
    }
    const SteadyTime spinUntil =
        std::min(start + policy.spinWindow, end.value_or(SteadyTime::max()));
    while (spins && std::chrono::steady_clock::now() < spinUntil) {
        if (peer) {
            flag.publishProcessor();
            if (peer->isOnThisProcessor()) {
                break;
            }
        }
        for (int turn = 0; turn < kTurnsPerClockRead; ++turn) {
            if (ready()) {
                return true;
            }
            relaxProcessor();
        }
    }
    while (!ready()) {
        if (end && std::chrono::steady_clock::now() >= *end) {
            return false;
        }
        const std::uint32_t announced = flag.announceSleeper();
        if (ready()) {
            return true;
        }
        flag.sleep(announced, end);
        flag.publishProcessor();
    }
    return true;
}

}  // namespace nnburst::fmq
