// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How one side of a burst waits for the other. Spinning answers within a fraction of a microsecond
/// and burns a processor; a sleeper answers tens of microseconds late, because waking a processor
/// takes that long. docs/waiting.md explains how both sides wait; fmq/wait_plan.cpp implements the
/// modes.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nnburst {

/// How a thread waits.
enum class WaitMode : std::uint8_t {
    /// Learns how long waits last. Spins through short ones; sleeps through most of a long one,
    /// until a little before its expected end, and spins the rest, for at most a fortieth of the
    /// time that it waits. Sleeps at once where spinning would keep the other side, or executions
    /// of other clients, from a processor.
    ADAPTIVE,
    /// Spins for the spin window, then sleeps.
    SPIN,
    /// Sleeps at once.
    BLOCK,
};

/// A mode with its name and its description in the help of programs.
struct WaitModeName {
    WaitMode mode;
    const char* name;
    const char* meaning;
};

/// All modes, in the order of their codes.
inline constexpr std::array kWaitModes{
    WaitModeName{WaitMode::ADAPTIVE, "adaptive",
                 "spins through short waits, sleeps through most of a long one"},
    WaitModeName{WaitMode::SPIN, "spin",
                 "spins for the spin window (in the driver at most 10 ms), then sleeps"},
    WaitModeName{WaitMode::BLOCK, "block", "sleeps at once"},
};
static_assert([] {
    for (std::size_t code = 0; code < kWaitModes.size(); ++code) {
        if (kWaitModes[code].mode != static_cast<WaitMode>(code)) {
            return false;
        }
    }
    return true;
}());

/// "adaptive", "spin" or "block".
[[nodiscard]] constexpr const char* toString(WaitMode mode) noexcept {
    const auto code = static_cast<std::size_t>(mode);
    return code < kWaitModes.size() ? kWaitModes[code].name : "unknown wait mode";
}

/// The mode of that name; nullopt if there is none.
[[nodiscard]] constexpr std::optional<WaitMode> waitModeOf(std::string_view name) noexcept {
    for (const WaitModeName& mode : kWaitModes) {
        if (name == mode.name) {
            return mode.mode;
        }
    }
    return std::nullopt;
}

/// A mode with its limit. Spinning is limited by time, not by a count of iterations. A side does
/// not spin while the other one was last seen on the same processor, nor on a machine with one
/// processor: it would keep the other side from running.
struct WaitPolicy {
    /// The longest time to spin before sleeping. Negative counts as 0. In the driver at most 10 ms.
    std::chrono::nanoseconds spinWindow{std::chrono::milliseconds(2)};
    WaitMode mode = WaitMode::ADAPTIVE;
};

}  // namespace nnburst
