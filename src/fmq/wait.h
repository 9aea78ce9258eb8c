// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The one place where threads wait for another process: spin for the policy's window, then sleep
/// on an event flag.

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

/// `policy` as it makes sense in this process: no spinning on a single processor.
[[nodiscard]] WaitPolicy effectivePolicy(const WaitPolicy& policy) noexcept;

/// Waits until `ready()` is true, or `deadline` has passed. Gives whether it is true. `ready` makes
/// its loads sequentially consistent or with acquire; whoever makes it true does so with a
/// sequentially consistent store and then wakes `flag`'s sleepers if there are any. Allocates
/// nothing; the clock is read only after the first kTurnsWithoutClock turns.
template <class Ready>
[[nodiscard]] bool waitUntil(EventFlag flag, const WaitPolicy& policy,
                             std::optional<SteadyTime> deadline, Ready ready) noexcept {
    constexpr int kTurnsWithoutClock = 32;  // under a microsecond
    constexpr int kTurnsPerClockRead = 16;
    if (policy.spinWindow.count() > 0) {
        for (int turn = 0; turn < kTurnsWithoutClock; ++turn) {
            if (ready()) {
                return true;
            }
            relaxProcessor();
        }
        SteadyTime spinUntil = std::chrono::steady_clock::now() + policy.spinWindow;
        if (deadline && *deadline < spinUntil) {
            spinUntil = *deadline;
        }
        do {
            for (int turn = 0; turn < kTurnsPerClockRead; ++turn) {
                if (ready()) {
                    return true;
                }
                relaxProcessor();
            }
        } while (std::chrono::steady_clock::now() < spinUntil);
    }
    while (!ready()) {
        if (deadline && std::chrono::steady_clock::now() >= *deadline) {
            return false;
        }
        const std::uint32_t announced = flag.announceSleeper();
        if (ready()) {
            return true;
        }
        flag.sleep(announced, deadline);
    }
    return true;
}

}  // namespace nnburst::fmq
