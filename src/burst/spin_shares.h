// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How many of the threads that serve bursts may spin at a time. The client chooses how long a
/// serving thread spins, and a spinning thread occupies a processor. So the number of spinning
/// threads is limited: in all to the number of processors, per user and per client to an equal
/// part.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "log/assert.h"

namespace nnburst::burst {

/// Threads that spin. Thread-safe. Relaxed throughout: it only decides which threads sleep.
class SpinCount {
  public:
    /// False, and not counted, if there are `most` or more. May also be false for a moment where
    /// another thread is refused.
    [[nodiscard]] bool tryAdd(std::uint32_t most) noexcept {
        if (threads_.fetch_add(1, std::memory_order_relaxed) < most) {
            return true;
        }
        remove();
        return false;
    }
    void remove() noexcept {
        const std::uint32_t before = threads_.fetch_sub(1, std::memory_order_relaxed);
        NNBURST_ASSERT(before != 0, "a thread ends a spin that it has not begun");
    }

  private:
    std::atomic<std::uint32_t> threads_{0};
};

/// Thread-safe, without locks.
class SpinShares {
  public:
    explicit SpinShares(std::size_t processors) noexcept
        : processors_(static_cast<std::uint32_t>(std::max<std::size_t>(processors, 1))) {}

    /// Sets the number of users and clients that have served bursts.
    void setServed(std::size_t users, std::size_t clients) noexcept {
        ofUser_.store(partOf(users), std::memory_order_relaxed);
        ofClient_.store(partOf(clients), std::memory_order_relaxed);
    }

    /// Whether one more thread may spin for a client of a user, until `end`.
    [[nodiscard]] bool tryBegin(SpinCount& user, SpinCount& client) noexcept {
        if (client.tryAdd(ofClient_.load(std::memory_order_relaxed))) {
            if (user.tryAdd(ofUser_.load(std::memory_order_relaxed))) {
                if (all_.tryAdd(processors_)) {
                    return true;
                }
                user.remove();
            }
            client.remove();
        }
        return false;
    }
    void end(SpinCount& user, SpinCount& client) noexcept {
        all_.remove();
        user.remove();
        client.remove();
    }

  private:
    [[nodiscard]] std::uint32_t partOf(std::size_t sharers) const noexcept {
        return std::max<std::uint32_t>(
            processors_ / static_cast<std::uint32_t>(std::max<std::size_t>(sharers, 1)), 1);
    }

    const std::uint32_t processors_;
    std::atomic<std::uint32_t> ofUser_{processors_};
    std::atomic<std::uint32_t> ofClient_{processors_};
    SpinCount all_;
};

}  // namespace nnburst::burst
