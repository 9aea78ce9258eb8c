// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "fmq/event_flag.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace nnburst::fmq {
namespace {

using namespace std::chrono_literals;

SteadyTime in(std::chrono::nanoseconds duration) {
    return std::chrono::steady_clock::now() + duration;
}

TEST(EventFlag, givesAndClearsTheBitsThatWereSet) {
    EventWord word{};
    EventFlag flag(word);
    flag.wake(0b0110);
    EXPECT_EQ(flag.wait(0b0011, in(1s)), 0b0010U);
    EXPECT_EQ(flag.wait(0b0111, in(1s)), 0b0100U);
    EXPECT_EQ(flag.wait(0b0111, in(1ms)), std::nullopt);
}

TEST(EventFlag, doesNotTakeTheSleepersBitForAnEvent) {
    EventWord word{};
    EventFlag flag(word);
    flag.wake(EventFlag::kSleeping);
    EXPECT_EQ(flag.wait(UINT32_MAX, in(1ms)), std::nullopt);
}

TEST(EventFlag, wakesAWaiterOfAnotherThread) {
    EventWord word{};
    EventFlag flag(word);
    std::thread waker([&] {
        std::this_thread::sleep_for(20ms);
        flag.wake(1);
    });
    EXPECT_EQ(flag.wait(1, in(30s)), 1U);
    waker.join();
}

TEST(EventFlag, wakesEachOfManyWaitersForItsOwnBit) {
    EventWord word{};
    EventFlag flag(word);
    std::atomic<int> woken{0};
    std::vector<std::thread> waiters;
    for (std::uint32_t i = 0; i < 4; ++i) {
        waiters.emplace_back([&, i] {
            if (flag.wait(1U << i, in(30s))) {
                ++woken;
            }
        });
    }
    for (std::uint32_t i = 0; i < 4; ++i) {
        std::this_thread::sleep_for(2ms);
        flag.wake(1U << i);
    }
    for (std::thread& waiter : waiters) {
        waiter.join();
    }
    EXPECT_EQ(woken, 4);
}

TEST(EventFlag, knowsOfASleeperUntilItIsWoken) {
    EventWord word{};
    EventFlag flag(word);
    EXPECT_FALSE(flag.hasSleepers());
    const std::uint32_t announced = flag.announceSleeper();
    EXPECT_TRUE(flag.hasSleepers());
    flag.wakeSleepers();
    EXPECT_FALSE(flag.hasSleepers());
    // The word has changed since the announcement: this sleep ends at once, not after
    // kLongestSleep.
    flag.sleep(announced, std::nullopt);
}

TEST(EventFlag, sleepsNoLongerThanTheLimitThoughNobodyWakes) {
    EventWord word{};
    EventFlag flag(word);
    flag.sleep(flag.announceSleeper(),
               std::nullopt);  // a watchdog of the test run ends it otherwise
}

}  // namespace
}  // namespace nnburst::fmq
