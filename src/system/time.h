// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Saturating arithmetic on times that callers and peers give. Such a time may be any 64-bit
/// number: a deadline of `TimePoint::max()` means "never", and adding to it must not give a time in
/// the past. These functions return the earliest or latest time instead of overflowing.

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

#include "nnburst/types.h"

namespace nnburst::system {

/// `time` + `duration`, clamped to the range of times.
[[nodiscard]] constexpr TimePoint saturatingAdd(TimePoint time,
                                                std::chrono::nanoseconds duration) noexcept {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(time.time_since_epoch().count(), duration.count(), &sum)) {
        return duration.count() > 0 ? TimePoint::max() : TimePoint::min();
    }
    return TimePoint(std::chrono::nanoseconds(sum));
}

/// `end` - `start`, clamped to the range of durations; negative if `end` is before `start`.
[[nodiscard]] constexpr std::chrono::nanoseconds saturatingDifference(TimePoint end,
                                                                      TimePoint start) noexcept {
    std::int64_t difference = 0;
    if (__builtin_sub_overflow(end.time_since_epoch().count(), start.time_since_epoch().count(),
                               &difference)) {
        return end > start ? std::chrono::nanoseconds::max() : std::chrono::nanoseconds::min();
    }
    return std::chrono::nanoseconds(difference);
}

/// `count` nanoseconds from a message, where they are unsigned, clamped to the range of durations.
[[nodiscard]] constexpr std::chrono::nanoseconds saturatingNanoseconds(
    std::uint64_t count) noexcept {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    return std::chrono::nanoseconds(
        count < static_cast<std::uint64_t>(kMost) ? static_cast<std::int64_t>(count) : kMost);
}

/// A duration of any unit in nanoseconds, clamped to the range of durations.
template <class Period>
[[nodiscard]] constexpr std::chrono::nanoseconds saturatingNanoseconds(
    std::chrono::duration<std::int64_t, Period> duration) noexcept {
    constexpr auto kLongest =
        std::chrono::duration_cast<std::chrono::duration<std::int64_t, Period>>(
            std::chrono::nanoseconds::max());
    if (duration > kLongest) {
        return std::chrono::nanoseconds::max();
    }
    return duration < -kLongest ? std::chrono::nanoseconds::min()
                                : std::chrono::nanoseconds(duration);
}

/// `to` = `from`. The compiler copies an optional time or duration in one piece; if its two parts
/// were stored just before, the processor has to wait until both have left its store buffer.
template <class Time>
void copyByParts(const std::optional<Time>& from, std::optional<Time>& to) noexcept {
    if (from) {
        to = *from;
    } else {
        to.reset();
    }
}

}  // namespace nnburst::system
