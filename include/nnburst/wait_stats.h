// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What waiting for the other side of a burst has cost. A new member of WaitStats also needs a row
/// in kWaitStats, over which shared memory, sums and reports loop.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace nnburst {

/// Counts of one side of a burst since the burst was configured. Times are wall time.
struct WaitStats {
    std::uint64_t waits = 0;           ///< waits that did not end within the first microsecond
    std::uint64_t sleeps = 0;          ///< system calls that slept
    std::uint64_t earlyWakes = 0;      ///< sleeps that the alarm ended before the awaited event
    std::uint64_t lateWakes = 0;       ///< sleeps with an alarm that the awaited event ended
    std::chrono::nanoseconds burnt{};  ///< time spent spinning in these waits
};

/// The counts of both sides.
struct BurstWaitStats {
    WaitStats client;
    WaitStats driver;
};

/// One member of WaitStats: a count or a time.
struct WaitStat {
    const char* name;   ///< name of the member, used in JSON
    const char* label;  ///< the name in reports for people
    std::uint64_t WaitStats::*count = nullptr;
    std::chrono::nanoseconds WaitStats::*time = nullptr;

    /// Times in nanoseconds.
    [[nodiscard]] constexpr std::uint64_t of(const WaitStats& stats) const noexcept {
        return time == nullptr ? stats.*count : static_cast<std::uint64_t>((stats.*time).count());
    }
    constexpr void set(WaitStats& stats, std::uint64_t value) const noexcept {
        if (time == nullptr) {
            stats.*count = value;
        } else {
            stats.*time = std::chrono::nanoseconds(static_cast<std::int64_t>(value));
        }
    }
};

/// All members. The order is that of SharedWaitStats (fmq/shared_wait_stats.h): new ones come last.
inline constexpr std::array kWaitStats{
    WaitStat{.name = "waits", .label = "waits", .count = &WaitStats::waits},
    WaitStat{.name = "sleeps", .label = "sleeps", .count = &WaitStats::sleeps},
    WaitStat{.name = "earlyWakes", .label = "early wakes", .count = &WaitStats::earlyWakes},
    WaitStat{.name = "lateWakes", .label = "late wakes", .count = &WaitStats::lateWakes},
    WaitStat{.name = "burnt", .label = "burnt", .time = &WaitStats::burnt},
};

}  // namespace nnburst
