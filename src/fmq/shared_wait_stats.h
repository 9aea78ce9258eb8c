// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// WaitStats as one thread writes them and others read them, in this process or another.

#include <atomic>
#include <chrono>
#include <cstdint>

#include "fmq/shared_layout.h"
#include "nnburst/wait_stats.h"

namespace nnburst::fmq {

/// Zero at first. One thread counts. All relaxed: each figure is right, together they may be of
/// slightly different moments.
struct alignas(kCacheLineSize) SharedWaitStats {
    std::atomic<std::uint64_t> waits;
    std::atomic<std::uint64_t> sleeps;
    std::atomic<std::uint64_t> earlyWakes;
    std::atomic<std::uint64_t> lateWakes;
    std::atomic<std::uint64_t> burntNs;
    std::uint64_t reserved[3];  ///< zero

    /// By the one thread that counts.
    static void add(std::atomic<std::uint64_t>& figure, std::uint64_t amount) noexcept {
        figure.store(figure.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
    }

    [[nodiscard]] WaitStats stats() const noexcept {
        return {.waits = waits.load(std::memory_order_relaxed),
                .sleeps = sleeps.load(std::memory_order_relaxed),
                .earlyWakes = earlyWakes.load(std::memory_order_relaxed),
                .lateWakes = lateWakes.load(std::memory_order_relaxed),
                .burnt = std::chrono::nanoseconds(
                    static_cast<std::int64_t>(burntNs.load(std::memory_order_relaxed)))};
    }
};
static_assert(isSharedLayout<SharedWaitStats> && sizeof(SharedWaitStats) == kCacheLineSize);

}  // namespace nnburst::fmq
