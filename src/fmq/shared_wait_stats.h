// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// WaitStats that one thread writes and others read, in this process or another.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "fmq/shared_layout.h"
#include "nnburst/wait_stats.h"

namespace nnburst::fmq {

/// Zero at first. One thread counts. All accesses are relaxed: each value is right, but values may
/// be of slightly different moments.
struct alignas(kCacheLineSize) SharedWaitStats {
    /// In the order of kWaitStats, times in nanoseconds; the rest is reserved and zero.
    std::atomic<std::uint64_t> values[kCacheLineSize / sizeof(std::uint64_t)];

    /// By the one thread that counts: `add<&WaitStats::sleeps>(1)`.
    template <auto Member>
    void add(std::uint64_t amount) noexcept {
        std::atomic<std::uint64_t>& value = values[kIndexOf<Member>];
        value.store(value.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
    }

    [[nodiscard]] WaitStats stats() const noexcept {
        WaitStats stats;
        for (std::size_t i = 0; i < kWaitStats.size(); ++i) {
            kWaitStats[i].set(stats, values[i].load(std::memory_order_relaxed));
        }
        return stats;
    }

  private:
    template <auto Member>
    static constexpr std::size_t indexOf() noexcept {
        std::size_t index = 0;
        for (const WaitStat& stat : kWaitStats) {
            if constexpr (std::is_same_v<decltype(Member), decltype(stat.time)>) {
                if (stat.time == Member) {
                    return index;
                }
            } else if (stat.count == Member) {
                return index;
            }
            ++index;
        }
        return index;  // too large: kIndexOf does not compile
    }
    template <auto Member>
    static constexpr std::size_t kIndexOf = [] {
        constexpr std::size_t index = indexOf<Member>();
        static_assert(index < kWaitStats.size(), "the member has no row in kWaitStats");
        return index;
    }();
};
static_assert(isSharedLayout<SharedWaitStats> && sizeof(SharedWaitStats) == kCacheLineSize);
static_assert(kWaitStats.size() <= std::size(SharedWaitStats{}.values));

}  // namespace nnburst::fmq
