// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Processors of bursts whose executions fill the processors.

#include "burst/serving_places.h"

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
class ServingPlacesOfTwo : public testing::Test {
  protected:
    ServingPlaces places{{3, 5}};
    ServingPlaces::Place first{places};
    ServingPlaces::Place second{places};
};

TEST_F(ServingPlacesOfTwo, aBurstAloneRunsWhereverLinuxPutsIt) {
    EXPECT_EQ(first.choose(3), std::nullopt);
    EXPECT_EQ(second.choose(3), 3);
    second.leave();
    EXPECT_EQ(first.choose(3), std::nullopt);
}

TEST_F(ServingPlacesOfTwo, burstsGetTheProcessorsOfTheirClients) {
    (void)first.choose(5);
    EXPECT_EQ(second.choose(3), 3);
    EXPECT_EQ(first.choose(5), 5);
}

TEST_F(ServingPlacesOfTwo, aBurstStaysWhereItIsForAClientOnNoProcessorOfTheDriver) {
    (void)first.choose(5);
    EXPECT_EQ(second.choose(3), 3);
    EXPECT_EQ(second.choose(4), 3);
    EXPECT_EQ(second.choose(std::nullopt), 3);
}

TEST_F(ServingPlacesOfTwo, clientsOnOneProcessorAreServedOnBoth) {
    (void)first.choose(3);
    EXPECT_EQ(second.choose(3), 3);
    EXPECT_EQ(first.choose(3), 5);
    EXPECT_EQ(second.choose(3), 3);
    EXPECT_EQ(first.choose(3), 5) << "it goes back and forth";
}

TEST_F(ServingPlacesOfTwo, burstsThatHaveEachOthersProcessorsExchangeThem) {
    (void)first.choose(3);
    EXPECT_EQ(second.choose(5), 5);
    EXPECT_EQ(first.choose(3), 3);
    EXPECT_EQ(first.choose(5), 3) << "the client of the other one was seen there";
    EXPECT_EQ(second.choose(3), 3);
    EXPECT_EQ(first.choose(5), 5);
}

TEST_F(ServingPlacesOfTwo, aProcessorThatIsLeftIsTakenAgain) {
    ServingPlaces::Place third(places);
    (void)first.choose(3);
    EXPECT_EQ(second.choose(3), 3);
    EXPECT_EQ(first.choose(3), 5);
    second.leave();
    second.leave();
    EXPECT_EQ(third.choose(3), 3);
    EXPECT_EQ(first.choose(3), 5);
}

TEST_F(ServingPlacesOfTwo, burstsAreSpreadAgainWhereOthersHaveLeft) {
    {
        ServingPlaces::Place third(places);
        ServingPlaces::Place fourth(places);
        (void)first.choose(3);
        EXPECT_EQ(third.choose(5), 5);
        EXPECT_EQ(first.choose(3), 3);
        EXPECT_EQ(fourth.choose(5), 5);
        EXPECT_EQ(second.choose(3), 3);
    }
    EXPECT_EQ(first.choose(3), 5);
    EXPECT_EQ(second.choose(3), 3);
}

TEST(ServingPlaces, withoutProcessorsThereIsNone) {
    ServingPlaces places({});
    ServingPlaces::Place first(places);
    ServingPlaces::Place second(places);
    EXPECT_EQ(first.choose(0), std::nullopt);
    EXPECT_EQ(second.choose(0), std::nullopt);
}

TEST(ContentionWatch, isCrowdedWhileExecutionsRunSideBySideAndNoneWaits) {
    ContentionWatch watch({});
    watch.addExecution({.delayedCount = 0, .isCrowded = false});
    EXPECT_FALSE(watch.isCrowded());
    watch.addExecution({.delayedCount = 0, .isCrowded = true});
    EXPECT_TRUE(watch.isCrowded());
    watch.addExecution({.delayedCount = 1, .isCrowded = true});
    EXPECT_FALSE(watch.isCrowded());
    EXPECT_TRUE(watch.isContended());
    for (int i = 0; i < 100; ++i) {
        watch.addExecution({.delayedCount = 1, .isCrowded = true});
    }
    EXPECT_TRUE(watch.isCrowded());
    for (int i = 0; i < 100; ++i) {
        watch.addExecution({.delayedCount = 1, .isCrowded = false});
    }
    EXPECT_FALSE(watch.isCrowded());
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
    burst.model->isCrowded = true;
    other.model->isCrowded = true;
    std::atomic<int> servedOn = -1;
    burst.model->setOnRun([&] {
        servedOn = ::sched_getcpu();
        return Result<>();
    });
    const DoublingRequest doubling;
    constexpr int kTurns = 40;
    int hits = 0;
    std::thread([&] {
        const auto executeOn = [&](std::uint32_t processor, const BurstPair& pair, int count,
                                   const auto& isEnough) {
            system::runOn({&processor, 1});
            ExecutionOutcome outcome;
            for (int i = 0; i < count && !isEnough(); ++i) {
                EXPECT_TRUE(pair.controller->execute(doubling.request, {}, outcome));
            }
        };
        constexpr auto kAll = [] { return false; };
        constexpr int kUntilForecast = 50;
        executeOn(processors[0], other, kUntilForecast, kAll);
        executeOn(processors[0], burst, kUntilForecast, kAll);
        for (int turn = 0; turn < kTurns; ++turn) {
            const std::uint32_t mine = processors[turn % 2 == 0 ? 0 : 1];
            executeOn(processors[turn % 2 == 0 ? 1 : 0], other, 3, kAll);
            // The first one says where the client is. On a busy machine the turn of the other burst
            // may be a long pause, which some executions make up for.
            const auto isThere = [&] { return servedOn == static_cast<int>(mine); };
            executeOn(mine, burst, 100, isThere);
            hits += isThere() ? 1 : 0;
        }
    }).join();
    // Linux moves threads, too.
    EXPECT_GE(hits, kTurns * 3 / 4);
}

}  // namespace
}  // namespace nnburst::burst
