// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Where executions run that had to wait.

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "exec/threads/await_waiters.h"
#include "exec/threads/execution_gate.h"
#include "exec/threads/lane_processors.h"
#include "system/affinity.h"

namespace nnburst::exec {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Pass = ExecutionGate::Pass;

/// As the program began.
const std::vector<std::uint32_t> kAllProcessors = system::usableProcessors();

TEST(LaneProcessors, putsOneExecutionOnEachProcessor) {
    const system::ThreadProcessors here;
    const std::size_t count = system::usableProcessors().size();
    LaneProcessors lanes;
    std::vector<bool> isTaken(CPU_SETSIZE);
    for (std::size_t i = 0; i < count; ++i) {
        const std::optional<std::uint32_t> processor = lanes.take(here.all());
        ASSERT_TRUE(processor);
        EXPECT_TRUE(CPU_ISSET(*processor, &here.all()));
        EXPECT_FALSE(isTaken.at(*processor));
        isTaken.at(*processor) = true;
    }
    EXPECT_FALSE(lanes.take(here.all())) << "each has one";
    const std::uint32_t last = system::usableProcessors().back();
    lanes.giveBack(last);
    EXPECT_EQ(lanes.take(here.all()), last);
    EXPECT_FALSE(LaneProcessors().take(cpu_set_t{})) << "it may run on none";
}

/// The executions that wait when two others leave keep to a processor each until they leave, too.
TEST(ExecutionGate, anExecutionThatHasWaitedStaysOnAProcessorOfItsOwn) {
    ExecutionGate gate(2);
    std::vector<RunnerSet> models(4);
    for (int round = 0; round < 2; ++round) {
        auto first = std::make_unique<Pass>(gate, models[0]);
        auto second = std::make_unique<Pass>(gate, models[1]);
        ASSERT_TRUE(first->enter({}));
        ASSERT_TRUE(second->enter({}));
        EXPECT_EQ(system::usableProcessors(), kAllProcessors) << "it has not waited";
        std::vector<std::vector<std::uint32_t>> during(2);
        std::barrier both(2);
        const auto wait = [&](std::size_t i) {
            {
                Pass pass(gate, models[2 + i]);
                EXPECT_TRUE(pass.enter({}));
                during[i] = system::usableProcessors();
                both.arrive_and_wait();
            }
            EXPECT_EQ(system::usableProcessors(), kAllProcessors);
        };
        std::thread one(wait, 0);
        std::thread other(wait, 1);
        awaitWaiters(gate, 2);
        // A third one that does not wait, as the second may still be about to sleep: where it sees
        // a free lane then, it spins, and is bound to no processor.
        EXPECT_FALSE(Pass(gate, models[0]).enter({.deadline = TimePoint::min()}));
        first.reset();
        second.reset();
        one.join();
        other.join();
        if (kAllProcessors.size() > 1) {
            EXPECT_EQ(during[0].size(), 1U);
            EXPECT_EQ(during[1].size(), 1U);
            EXPECT_NE(during[0], during[1]);
        }
    }
}

/// One that gives its lane to others inside waits again, and gets all its processors back in the
/// end.
TEST(ExecutionGate, anExecutionThatYieldsMayRunAnywhereAfterwards) {
    ExecutionGate gate(2);
    std::vector<RunnerSet> models(4);
    auto first = std::make_unique<Pass>(gate, models[0]);
    Pass second(gate, models[1]);
    ASSERT_TRUE(first->enter({}));
    ASSERT_TRUE(second.enter({}));
    std::atomic<bool> isIn{false};
    std::thread low([&] {
        {
            Pass pass(gate, models[2]);
            EXPECT_TRUE(pass.enter({.priority = Priority::LOW, .deadline = {}}));
            isIn = true;
            awaitWaiters(gate, 1);
            pass.yieldToOthers();
        }
        EXPECT_EQ(system::usableProcessors(), kAllProcessors);
    });
    awaitWaiters(gate, 1);
    first.reset();
    while (!isIn) {
        std::this_thread::yield();
    }
    {
        Pass high(gate, models[3]);
        EXPECT_TRUE(high.enter({.priority = Priority::HIGH, .deadline = {}}));
    }
    low.join();
}

/// `heavy` waits and is let in while `light` has just come: where may it run?
TEST(ExecutionGate, executionsMayRunAnywhereBesideThoseOfAClientThatUsesLess) {
    constexpr auto kLessThanAlone = 20ms;
    for (int attempt = 0; attempt < 100; ++attempt) {
        ExecutionGate gate(2);
        LaneShare heavy;
        LaneShare light;
        std::vector<RunnerSet> models(5);
        const auto holder = [&](std::size_t model) {
            auto pass = std::make_unique<Pass>(gate, models[model], Pass::Width::ONE_LANE, &heavy);
            EXPECT_TRUE(pass->enter({}));
            return pass;
        };
        auto first = holder(0);
        auto second = holder(1);
        std::unique_ptr<Pass> third;
        std::thread([&] {
            std::thread release([&] {
                awaitWaiters(gate, 1);
                std::this_thread::sleep_for(3ms);  // that the heavy client uses meanwhile
                first.reset();
            });
            Pass pass(gate, models[2], Pass::Width::ONE_LANE, &heavy);
            EXPECT_TRUE(pass.enter({}));
            release.join();
        }).join();
        third = holder(2);
        const TimePoint lightCame = Clock::now();
        std::thread lightThread([&] {
            Pass pass(gate, models[3], Pass::Width::ONE_LANE, &light);
            EXPECT_TRUE(pass.enter({}));
        });
        awaitWaiters(gate, 1);
        std::vector<std::uint32_t> during;
        TimePoint heavyCame;
        std::thread heavyThread([&] {
            Pass pass(gate, models[4], Pass::Width::ONE_LANE, &heavy);
            EXPECT_TRUE(pass.enter({}));
            during = system::usableProcessors();
            heavyCame = Clock::now();
        });
        awaitWaiters(gate, 2);
        third.reset();
        second.reset();
        lightThread.join();
        heavyThread.join();
        if (heavyCame - lightCame < kLessThanAlone) {
            EXPECT_EQ(during, kAllProcessors);
            return;
        }
    }
    GTEST_SKIP() << "the machine is too busy";
}

}  // namespace
}  // namespace nnburst::exec
