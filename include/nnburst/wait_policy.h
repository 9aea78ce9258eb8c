// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How one side of a burst waits for the other. Spinning answers within a fraction of a microsecond
/// and burns a processor; a sleeper answers tens of microseconds late, because waking a processor
/// takes that long.

#include <chrono>
#include <cstdint>

namespace nnburst {

enum class WaitMode : std::uint8_t {
    /// Learns how long waits last. Spins through short ones; sleeps through most of a long one,
    /// until a little before its expected end, and spins the rest, for at most a fortieth of the
    /// time that it waits. Sleeps at once where spinning would keep the other side, or others'
    /// executions, from a processor.
    ADAPTIVE,
    /// Spins for the spin window, then sleeps.
    SPIN,
    /// Sleeps at once.
    BLOCK,
};

/// Spinning is limited by time, never by turns, and never done while the other side was last seen
/// on the same processor, or where this process may use one processor only: it would keep the other
/// side from running.
struct WaitPolicy {
    /// The longest time to spin before sleeping.
    std::chrono::nanoseconds spinWindow{std::chrono::milliseconds(2)};
    WaitMode mode = WaitMode::ADAPTIVE;
};

}  // namespace nnburst
