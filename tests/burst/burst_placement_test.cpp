// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Processors of bursts whose executions fill the processors.

#include "burst/burst_placement.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "burst/contention_watch.h"
#include "fakes.h"
#include "system/affinity.h"

namespace nnburst::burst {
namespace {

/// Two bursts, on processors 3 and 5.
class BurstPlacementOnTwo : public testing::Test {
  protected:
    BurstPlacement placement{{3, 5}};
    BurstPlacement::Assignment first{placement};
    BurstPlacement::Assignment second{placement};
};

TEST_F(BurstPlacementOnTwo, aBurstAloneRunsWhereverLinuxPutsIt) {
    EXPECT_EQ(first.choose(3), std::nullopt);
    EXPECT_EQ(second.choose(3), 3);
    second.leave();
    EXPECT_EQ(first.choose(3), std::nullopt);
}

TEST_F(BurstPlacementOnTwo, burstsGetTheProcessorsOfTheirClients) {
    (void)first.choose(5);
    EXPECT_EQ(second.choose(3), 3);
    EXPECT_EQ(first.choose(5), 5);
}

TEST_F(BurstPlacementOnTwo, aBurstStaysWhereItIsForAClientOnNoProcessorOfTheDriver) {
    (void)first.choose(5);
    EXPECT_EQ(second.choose(3), 3);
    EXPECT_EQ(second.choose(4), 3);
    EXPECT_EQ(second.choose(std::nullopt), 3);
}

TEST_F(BurstPlacementOnTwo, clientsOnOneProcessorAreServedOnBoth) {
    (void)first.choose(3);
    EXPECT_EQ(second.choose(3), 3);
    EXPECT_EQ(first.choose(3), 5);
    EXPECT_EQ(second.choose(3), 3);
    EXPECT_EQ(first.choose(3), 5) << "it goes back and forth";
}

TEST_F(BurstPlacementOnTwo, burstsThatHaveEachOthersProcessorsExchangeThem) {
    (void)first.choose(3);
    EXPECT_EQ(second.choose(5), 5);
    EXPECT_EQ(first.choose(3), 3);
    EXPECT_EQ(first.choose(5), 3) << "the client of the other one was seen there";
    EXPECT_EQ(second.choose(3), 3);
    EXPECT_EQ(second.choose(3), 3) << "it goes back before the other one has moved";
    EXPECT_EQ(first.choose(5), 5);
}

TEST_F(BurstPlacementOnTwo, aProcessorThatIsLeftIsTakenAgain) {
    BurstPlacement::Assignment third(placement);
    (void)first.choose(3);
    EXPECT_EQ(second.choose(3), 3);
    EXPECT_EQ(first.choose(3), 5);
    second.leave();
    second.leave();
    EXPECT_EQ(third.choose(3), 3);
    EXPECT_EQ(first.choose(3), 5);
}

TEST_F(BurstPlacementOnTwo, burstsAreSpreadAgainWhereOthersHaveLeft) {
    {
        BurstPlacement::Assignment third(placement);
        BurstPlacement::Assignment fourth(placement);
        (void)first.choose(3);
        EXPECT_EQ(third.choose(5), 5);
        EXPECT_EQ(first.choose(3), 3);
        EXPECT_EQ(fourth.choose(5), 5);
        EXPECT_EQ(second.choose(3), 3);
    }
    EXPECT_EQ(first.choose(3), 5);
    EXPECT_EQ(second.choose(3), 3);
}

TEST(BurstPlacement, withoutProcessorsThereIsNone) {
    BurstPlacement placement({});
    BurstPlacement::Assignment first(placement);
    BurstPlacement::Assignment second(placement);
    EXPECT_EQ(first.choose(0), std::nullopt);
    EXPECT_EQ(second.choose(0), std::nullopt);
}

TEST(ContentionWatch, isContendedWithoutWaitingWhileExecutionsRunSideBySide) {
    ContentionWatch watch({});
    watch.addExecution({.delayedCount = 0, .wouldOversubscribe = false});
    EXPECT_FALSE(watch.isContendedWithoutWaiting());
    watch.addExecution({.delayedCount = 0, .wouldOversubscribe = true});
    EXPECT_TRUE(watch.isContendedWithoutWaiting());
    watch.addExecution({.delayedCount = 1, .wouldOversubscribe = true});
    EXPECT_FALSE(watch.isContendedWithoutWaiting());
    EXPECT_TRUE(watch.isContended());
    for (int i = 0; i < 100; ++i) {
        watch.addExecution({.delayedCount = 1, .wouldOversubscribe = true});
    }
    EXPECT_TRUE(watch.isContendedWithoutWaiting());
    for (int i = 0; i < 100; ++i) {
        watch.addExecution({.delayedCount = 1, .wouldOversubscribe = false});
    }
    EXPECT_FALSE(watch.isContendedWithoutWaiting());
    EXPECT_FALSE(watch.isContended());
}

TEST(ContentionWatch, countsNoDelaysFromBeforeItsBurst) {
    ContentionWatch watch({.delayedCount = 5});
    watch.addExecution({.delayedCount = 5});
    EXPECT_FALSE(watch.isContended());
    watch.addExecution({.delayedCount = 6});
    EXPECT_TRUE(watch.isContended());
}

TEST(Burst, isServedOnTheProcessorOfItsClientWhileExecutionsFillTheProcessors) {
    const std::vector<std::uint32_t> processors = system::usableProcessors();
    if (processors.size() < 2) {
        GTEST_SKIP() << "needs two processors";
    }
    BurstPair burst;
    BurstPair other({}, burst.servingThreads);
    burst.model->wouldOversubscribe = true;
    other.model->wouldOversubscribe = true;
    std::atomic<int> servedOn = -1;
    burst.model->setOnRun([&] {
        servedOn = ::sched_getcpu();
        return Result<>();
    });
    const DoublingRequest doubling;
    constexpr int kTurns = 40;
    int hits = 0;
    std::thread([&] {
        const auto executeOn = [&](std::uint32_t processor, const BurstPair& pair) {
            system::runOn({&processor, 1});
            ExecutionOutcome outcome;
            // So many that the turn of the other burst, a long pause on a slow machine, is an
            // exception among the pauses of this one.
            for (int i = 0; i < 50; ++i) {
                EXPECT_TRUE(pair.controller->execute(doubling.request, {}, outcome));
            }
        };
        executeOn(processors[0], other);
        executeOn(processors[0], burst);
        for (int turn = 0; turn < kTurns; ++turn) {
            const std::uint32_t mine = processors[turn % 2 == 0 ? 0 : 1];
            executeOn(processors[turn % 2 == 0 ? 1 : 0], other);
            executeOn(mine, burst);
            hits += servedOn == static_cast<int>(mine) ? 1 : 0;
        }
    }).join();
    // Linux moves threads, too.
    EXPECT_GE(hits, kTurns * 3 / 4);
}

}  // namespace
}  // namespace nnburst::burst
