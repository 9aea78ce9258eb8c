// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Waits for the moment at which a frame is due.

#include <atomic>
#include <chrono>

#include "nnburst/types.h"

namespace nnburst::stream {

/// A sleeping thread wakes up some tens of microseconds after the time it asked for. So it sleeps
/// until this long before that time, and spins for the rest.
inline constexpr std::chrono::microseconds kSpinBeforeDue{200};

/// Longer than any wait: the thread only spins, and makes no system call.
inline constexpr std::chrono::hours kSpinAllTime{24};

/// The longest sleep between two looks at the flag that ends a wait.
inline constexpr std::chrono::milliseconds kLongestSleep{200};

/// Makes timers of the calling thread exact: the kernel may not delay them to save power (prctl(2),
/// PR_SET_TIMERSLACK).
void useExactTimers() noexcept;

/// Waits until `due`: sleeps (clock_nanosleep(2), to an absolute time) until `spin` before it, then
/// spins. Returns the time afterwards; returns at once if `due` has passed, and within
/// kLongestSleep when `stop` is set.
TimePoint waitUntil(TimePoint due, const std::atomic<bool>& stop,
                    std::chrono::nanoseconds spin = kSpinBeforeDue) noexcept;

}  // namespace nnburst::stream
