// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What is known of something that is waited for again and again: how long it takes, and how much
/// later than it wished a sleeper ran again.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace nnburst::fmq {

/// The last values of something, and their order statistics. Remembering is cheap, asking is not.
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

/// Of one thread.
class WaitForecast {
  public:
    /// When to sleep and how long to spin, counted from the start of a wait.
    struct Plan {
        std::chrono::nanoseconds sleepUntil{};  ///< zero: do not sleep first
        std::chrono::nanoseconds spinUntil{};   ///< zero: as the policy says
    };

    /// A wait took so long.
    void addDuration(std::chrono::nanoseconds duration) noexcept { durations_.add(duration); }
    /// A sleeper ran again so long after it wished to.
    void addOversleep(std::chrono::nanoseconds oversleep) noexcept { oversleeps_.add(oversleep); }

    /// For waits that last at least `shortestSleep` longer than it takes to wake up. Costs next to
    /// nothing where the last one was shorter.
    [[nodiscard]] Plan plan(std::chrono::nanoseconds shortestSleep) const noexcept;

  private:
    RecentDurations durations_;
    RecentDurations oversleeps_;
};

}  // namespace nnburst::fmq
