// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace nnburst::device {

/// How long jobs have waited for a thread, as a histogram.
struct JobWaits {
    /// Entry i counts those that waited for at most 2^i microseconds and for more than entry i - 1;
    /// the last entry, all that waited longer: for more than 4 s.
    static constexpr std::size_t kBuckets = 24;

    std::array<std::uint64_t, kBuckets> counts{};
    std::chrono::nanoseconds sum{};

    void add(std::chrono::nanoseconds wait) noexcept {
        const auto microseconds =
            static_cast<std::uint64_t>((wait.count() > 0 ? wait.count() + 999 : 0) / 1000);
        const auto bucket =
            static_cast<std::size_t>(microseconds <= 1 ? 0 : std::bit_width(microseconds - 1));
        ++counts[bucket < kBuckets ? bucket : kBuckets - 1];
        sum += wait;
    }
};

}  // namespace nnburst::device
