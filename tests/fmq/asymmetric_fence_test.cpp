// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "fmq/asymmetric_fence.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <thread>

#include "fmq/shared_layout.h"
#include "spin_until.h"

namespace nnburst::fmq {
namespace {

using namespace std::chrono_literals;

struct alignas(kFalseSharingSize) Word {
    std::atomic<std::uint32_t> value{0};
};

/// Each of two threads stores and then loads what the other stores: the store buffering test. With
/// a fence between the two on both sides, not both can miss the other.
TEST(AsymmetricFence, letsOneOfTwoThreadsSeeTheOther) {
    if (!hasHeavyFences()) {
        GTEST_SKIP() << "the kernel does not allow membarrier here";
    }
    constexpr std::uint32_t kTurns = 50'000;
    constexpr std::uint32_t kEnd = UINT32_MAX;  // as a turn
    // A turn takes time slices where other processes want the processors.
    const auto latest = std::chrono::steady_clock::now() + 30s;
    Word published;
    Word announced;
    Word turn;
    Word seenByPublisher;
    std::thread publisher([&] {
        for (std::uint32_t i = 1; i <= kTurns; ++i) {
            std::uint32_t now = 0;
            spinUntil([&] {
                now = turn.value.load(std::memory_order_acquire);
                return now == i || now == kEnd;
            });
            if (now == kEnd) {
                return;
            }
            published.value.store(i, std::memory_order_release);
            lightFence();
            const std::uint32_t seen = announced.value.load(std::memory_order_relaxed);
            seenByPublisher.value.store(2 * i + (seen == i ? 1 : 0), std::memory_order_release);
        }
    });
    std::uint32_t missed = 0;
    for (std::uint32_t i = 1; i <= kTurns && std::chrono::steady_clock::now() < latest; ++i) {
        turn.value.store(i, std::memory_order_release);
        for (std::uint32_t delay = 0; delay < i % 512; ++delay) {
            lightFence();  // keeps the loop: until about the time at which the other one stores
        }
        announced.value.store(i, std::memory_order_relaxed);
        heavyFence();
        const bool seesPublished = published.value.load(std::memory_order_acquire) == i;
        std::uint32_t answer = 0;
        spinUntil([&] {
            answer = seenByPublisher.value.load(std::memory_order_acquire);
            return answer / 2 == i;
        });
        missed += !seesPublished && answer % 2 == 0 ? 1 : 0;
    }
    turn.value.store(kEnd, std::memory_order_release);
    publisher.join();
    EXPECT_EQ(missed, 0U);
}

}  // namespace
}  // namespace nnburst::fmq
