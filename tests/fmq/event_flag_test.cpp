// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "fmq/event_flag.h"

#include <gtest/gtest.h>
#include <sched.h>

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
    const auto hasSleepers = [&word] { return (word.word & EventFlag::kSleeping) != 0; };
    flag.wakeAnnounced();
    EXPECT_FALSE(hasSleepers());
    const std::uint32_t announced = flag.announceSleeper();
    EXPECT_TRUE(hasSleepers());
    flag.wakeAnnounced();
    EXPECT_FALSE(hasSleepers());
    // The word has changed since the announcement: this sleep ends at once, not after
    // kLongestSleep.
    flag.sleep(announced, std::nullopt);
}

TEST(EventFlag, forgetsASleeperThatRetracts) {
    EventWord word{};
    EventFlag flag(word);
    (void)flag.announceSleeper();
    flag.retractSleeper();
    EXPECT_EQ(word.word, 0U);
}

TEST(EventFlag, knowsOnWhichProcessorItsSleeperWasSeen) {
    EventWord word{};
    EventFlag flag(word);
    EXPECT_FALSE(flag.isOnThisProcessor());
    std::thread([&] {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(::sched_getcpu(), &one);
        ::sched_setaffinity(0, sizeof(one), &one);
        flag.publishWaiterCpu();
        EXPECT_TRUE(flag.isOnThisProcessor());
    }).join();
    EXPECT_EQ((word.waiter & WaiterState::kHasHeavyFences) != 0, hasHeavyFences());
}

/// Each side stores and then looks, as a publisher and a sleeper do: one must see the other.
TEST(EventFlag, aSleeperOrItsPublisherSeesTheOther) {
    for (const bool presents : {true, false}) {
        EventWord word{};
        std::atomic<std::uint32_t> published{0};
        std::atomic<std::uint32_t> turn{0};
        constexpr std::uint32_t kTurns = 20000;
        std::thread publisher([&] {
            EventFlag flag(word);
            for (std::uint32_t i = 1; i <= kTurns; ++i) {
                while (turn.load(std::memory_order_acquire) != i) {
                }
                published.store(i, std::memory_order_release);
                flag.wakeAnnounced();
            }
        });
        EventFlag flag(word);
        for (std::uint32_t i = 1; i <= kTurns; ++i) {
            if (presents) {
                flag.publishWaiterCpu();
            }
            turn.store(i, std::memory_order_release);
            const std::uint32_t announced = flag.announceSleeper();
            const SteadyTime start = std::chrono::steady_clock::now();
            while (published.load(std::memory_order_acquire) != i) {
                flag.sleep(announced, std::nullopt);
                ASSERT_LT(std::chrono::steady_clock::now() - start, kLongestSleep)
                    << "turn " << i << " was never told of";
            }
        }
        publisher.join();
    }
}

TEST(EventFlag, sleepsNoLongerThanTheLimitThoughNobodyWakes) {
    EventWord word{};
    EventFlag flag(word);
    flag.sleep(flag.announceSleeper(),
               std::nullopt);  // a watchdog of the test run ends it otherwise
}

}  // namespace
}  // namespace nnburst::fmq
