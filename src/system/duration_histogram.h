// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How often durations of each length occurred.

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace nnburst::system {

/// A histogram of durations.
struct DurationHistogram {
    /// Entry i counts those that took at most 2^i microseconds and more than entry i - 1; the last
    /// entry, all that took longer: more than 4 s.
    static constexpr std::size_t kBuckets = 24;

    std::array<std::uint64_t, kBuckets> counts{};
    std::chrono::nanoseconds sum{};

    /// The entry that counts `duration`.
    [[nodiscard]] static std::size_t bucketOf(std::chrono::nanoseconds duration) noexcept {
        const auto microseconds =
            static_cast<std::uint64_t>((duration.count() > 0 ? duration.count() + 999 : 0) / 1000);
        const auto bucket =
            static_cast<std::size_t>(microseconds <= 1 ? 0 : std::bit_width(microseconds - 1));
        return bucket < kBuckets ? bucket : kBuckets - 1;
    }

    void add(std::chrono::nanoseconds duration) noexcept {
        ++counts[bucketOf(duration)];
        sum += duration;
    }

    void add(const DurationHistogram& other) noexcept {
        for (std::size_t i = 0; i < kBuckets; ++i) {
            counts[i] += other.counts[i];
        }
        sum += other.sum;
    }
};

}  // namespace nnburst::system
