// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Waiting for the moment at which a frame is due.

#include <chrono>

#include "nnburst/types.h"

namespace nnburst::stream {

/// A thread that sleeps until a moment runs some tens of microseconds after it. So it sleeps until
/// this long before, and spins for the rest.
inline constexpr std::chrono::microseconds kSpinBeforeDue{200};

/// Longer than any wait: only spin, and make no system call.
inline constexpr std::chrono::hours kSpinAllTime{24};

/// Timers of the calling thread may not be late for the sake of saving power (prctl(2),
/// PR_SET_TIMERSLACK).
void useExactTimers() noexcept;

/// Waits until `due`: sleeps (clock_nanosleep(2), to an absolute time) until `spin` before, then
/// spins. Gives the time at its end; returns at once if `due` has passed.
TimePoint waitUntil(TimePoint due, std::chrono::nanoseconds spin = kSpinBeforeDue) noexcept;

}  // namespace nnburst::stream
