// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Statistics of waits of one kind: how long they last, and how late sleepers run again after their
/// alarm (the wake-up latency).

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace nnburst::fmq {

/// The last values of a series, and their order statistics. Adding a value is cheap, `ranked` is
/// not.
class RecentDurations {
  public:
    static constexpr std::size_t kCapacity = 32;

    void add(std::chrono::nanoseconds duration) noexcept {
        values_[next_++ % kCapacity] = duration.count();
    }
    /// Zero if there is none.
    [[nodiscard]] std::chrono::nanoseconds latest() const noexcept {
        return std::chrono::nanoseconds(values_[(next_ + kCapacity - 1) % kCapacity]);
    }
    [[nodiscard]] std::size_t count() const noexcept {
        return next_ < kCapacity ? static_cast<std::size_t>(next_) : kCapacity;
    }
    /// The value that `rank` of those remembered are below; `rank` is less than count().
    [[nodiscard]] std::chrono::nanoseconds ranked(std::size_t rank) const noexcept;

  private:
    std::array<std::int64_t, kCapacity> values_{};
    std::uint64_t next_ = 0;
};

/// Belongs to one thread at a time.
class WaitForecast {
  public:
    /// When a wait is expected to end, counted from its start: set the alarm to `sleepUntil`, then
    /// spin until `spinUntil`. Both are zero if a sleep would not pay.
    struct Range {
        std::chrono::nanoseconds sleepUntil{};
        std::chrono::nanoseconds spinUntil{};
    };

    /// Records how long a wait has lasted.
    void addDuration(std::chrono::nanoseconds duration) noexcept;
    /// Records a wake-up latency.
    void addWakeLatency(std::chrono::nanoseconds latency) noexcept { wakeLatencies_.add(latency); }

    /// The forecast for the next wait. Only a sleep of `shortestSleep` or longer pays. Cheap if the
    /// last wait was shorter than that.
    [[nodiscard]] Range expect(std::chrono::nanoseconds shortestSleep) const noexcept;

    /// Few waits last longer. Max if too few are known. Cheap.
    [[nodiscard]] std::chrono::nanoseconds longestUsual() const noexcept;

  private:
    RecentDurations durations_;
    RecentDurations wakeLatencies_;
    std::chrono::nanoseconds high_{};  ///< about the longest of the last waits, without outliers
};

}  // namespace nnburst::fmq
