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

TEST(ServingPlaces, aBurstGetsTheProcessorOfItsClient) {
    ServingPlaces places({3, 5});
    ServingPlaces::Place burst(places);
    EXPECT_EQ(burst.choose(5), 5);
    EXPECT_EQ(burst.choose(3), 3);
}

TEST(ServingPlaces, aBurstStaysWhereItIsForAClientOnNoProcessorOfTheDriver) {
    ServingPlaces places({3, 5});
    ServingPlaces::Place burst(places);
    EXPECT_EQ(burst.choose(5), 5);
    EXPECT_EQ(burst.choose(4), 5);
    EXPECT_EQ(burst.choose(std::nullopt), 5);
}

TEST(ServingPlaces, clientsOnOneProcessorAreServedOnSeveral) {
    ServingPlaces places({0, 1});
    ServingPlaces::Place first(places);
    ServingPlaces::Place second(places);
    EXPECT_EQ(first.choose(0), 0);
    EXPECT_EQ(second.choose(0), 1);
    EXPECT_EQ(first.choose(0), 0);
    EXPECT_EQ(second.choose(0), 1) << "it goes back and forth";
}

TEST(ServingPlaces, burstsThatHaveEachOthersProcessorsExchangeThem) {
    ServingPlaces places({0, 1});
    ServingPlaces::Place first(places);
    ServingPlaces::Place second(places);
    EXPECT_EQ(first.choose(0), 0);
    EXPECT_EQ(second.choose(1), 1);
    EXPECT_EQ(first.choose(1), 0) << "the client of the other one was seen there";
    EXPECT_EQ(second.choose(0), 0);
    EXPECT_EQ(first.choose(1), 1);
}

TEST(ServingPlaces, aProcessorThatIsLeftIsTakenAgain) {
    ServingPlaces places({0, 1});
    ServingPlaces::Place first(places);
    ServingPlaces::Place second(places);
    EXPECT_EQ(first.choose(0), 0);
    EXPECT_EQ(second.choose(0), 1);
    first.leave();
    first.leave();
    EXPECT_EQ(second.choose(0), 0);
    EXPECT_EQ(first.choose(0), 1) << "it has lost its place";
}

TEST(ServingPlaces, burstsAreSpreadAgainWhereOthersHaveLeft) {
    ServingPlaces places({0, 1});
    ServingPlaces::Place first(places);
    ServingPlaces::Place second(places);
    {
        ServingPlaces::Place third(places);
        ServingPlaces::Place fourth(places);
        EXPECT_EQ(third.choose(1), 1);
        EXPECT_EQ(first.choose(0), 0);
        EXPECT_EQ(fourth.choose(1), 1);
        EXPECT_EQ(second.choose(0), 0);
    }
    EXPECT_EQ(first.choose(0), 1);
    EXPECT_EQ(second.choose(0), 0);
}

TEST(ServingPlaces, withoutProcessorsThereIsNone) {
    ServingPlaces places({});
    ServingPlaces::Place burst(places);
    EXPECT_EQ(burst.choose(0), std::nullopt);
}

TEST(ContentionWatch, isCrowdedWhileExecutionsRunSideBySideAndNoneWaits) {
    ContentionWatch watch;
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

TEST(Burst, isServedOnTheProcessorOfItsClientWhileExecutionsFillTheProcessors) {
    const std::vector<std::uint32_t> processors = system::usableProcessors();
    if (processors.size() < 2) {
        GTEST_SKIP() << "needs two processors";
    }
    BurstPair burst;
    burst.model->isCrowded = true;
    std::atomic<int> servedOn = -1;
    burst.model->setOnRun([&] {
        servedOn = ::sched_getcpu();
        return Result<>();
    });
    const DoublingRequest doubling;
    ExecutionOutcome outcome;
    constexpr int kTurns = 40;
    int hits = 0;
    std::thread([&] {
        for (int turn = 0; turn < kTurns; ++turn) {
            const std::uint32_t mine = processors[static_cast<std::size_t>(turn) % 2];
            system::runOn({&mine, 1});
            // The first one says where the client is, the second one is served there.
            for (int i = 0; i < 2; ++i) {
                EXPECT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
            }
            hits += servedOn == static_cast<int>(mine) ? 1 : 0;
        }
    }).join();
    // Linux moves threads, too.
    EXPECT_GE(hits, kTurns * 3 / 4);
}

}  // namespace
}  // namespace nnburst::burst
