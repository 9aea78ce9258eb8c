// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// How many executions the gate admits at a time.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "exec/threads/execution_gate.h"

namespace nnburst::exec {
namespace {

using namespace std::chrono_literals;
using Pass = ExecutionGate::Pass;

TEST(ExecutionGate, letsAsManyInAsItHasLanes) {
    ExecutionGate gate(2);
    RunnerSet a;
    RunnerSet b;
    RunnerSet c;
    const Urgency soon{.deadline = TimePoint(std::chrono::steady_clock::now()) + 20ms};
    Pass first(gate, a);
    ASSERT_TRUE(first.enter({}));
    EXPECT_FALSE(gate.isBusy());
    {
        Pass second(gate, b);
        ASSERT_TRUE(second.enter({}));
        EXPECT_TRUE(gate.isBusy());
        Pass third(gate, c);
        const Result<> late = third.enter(soon);
        ASSERT_FALSE(late);
        EXPECT_EQ(late.error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT);
    }
    Pass again(gate, a);
    EXPECT_FALSE(again.enter(soon)) << "one execution of a model at a time";
    Pass third(gate, c);
    EXPECT_TRUE(third.enter({}));
    EXPECT_EQ(gate.waitingCount(), 0U);
    EXPECT_EQ(gate.delayedCount(), 2U);
}

TEST(ExecutionGate, letsAsManyOfAModelInAsItHasRunners) {
    ExecutionGate gate(3);
    RunnerSet model;
    const Urgency soon{.deadline = TimePoint(std::chrono::steady_clock::now()) + 20ms};
    auto first = std::make_unique<Pass>(gate, model);
    ASSERT_TRUE(first->enter({}));
    EXPECT_EQ(first->runner(), 0U);
    {
        Pass second(gate, model);
        EXPECT_FALSE(second.enter(soon)) << "it has one runner";
    }
    model.add();
    auto second = std::make_unique<Pass>(gate, model);
    ASSERT_TRUE(second->enter({}));
    EXPECT_EQ(second->runner(), 1U) << "the preferred one is in use";
    {
        Pass third(gate, model);
        EXPECT_FALSE(third.enter(soon));
    }
    first.reset();
    first = std::make_unique<Pass>(gate, model);
    ASSERT_TRUE(first->enter({}, 1));
    EXPECT_EQ(first->runner(), 0U);
    first.reset();
    second.reset();
    second = std::make_unique<Pass>(gate, model);
    ASSERT_TRUE(second->enter({}, 1));
    EXPECT_EQ(second->runner(), 1U) << "the preferred one is free";
}

TEST(ExecutionGate, anExecutionThatLetsOthersPassKeepsItsRunner) {
    ExecutionGate gate(1);
    RunnerSet model;
    model.add();
    Pass low(gate, model);
    ASSERT_TRUE(low.enter({.priority = Priority::LOW, .deadline = {}}));
    std::uint32_t runner = 0;
    std::thread urgent([&] {
        Pass high(gate, model);
        EXPECT_TRUE(high.enter({.priority = Priority::HIGH,
                                .deadline = TimePoint(std::chrono::steady_clock::now() + 20s)}));
        runner = high.runner();
    });
    while (gate.waitingCount() == 0) {
        std::this_thread::yield();
    }
    low.yieldToOthers();  // comes back when the urgent one has left
    urgent.join();
    EXPECT_EQ(low.runner(), 0U);
    EXPECT_EQ(runner, 1U) << "the same model, beside the one that waits";
}

TEST(ExecutionGate, tellsWhenSpinningClientsWouldTakeTheProcessorsOfExecutions) {
    ExecutionGate gate(4);
    std::vector<RunnerSet> models(2);
    EXPECT_FALSE(gate.spinningWouldOversubscribe());
    Pass first(gate, models[0]);
    ASSERT_TRUE(first.enter({}));
    EXPECT_FALSE(gate.spinningWouldOversubscribe())
        << "two executions and two clients on four processors";
    Pass second(gate, models[1]);
    ASSERT_TRUE(second.enter({}));
    EXPECT_TRUE(gate.spinningWouldOversubscribe()) << "three of each";
}

TEST(ExecutionGate, aSpinningWaiterIsAdmittedOrTimesOut) {
    ExecutionGate gate(2);
    RunnerSet model;
    for (int i = 0; i < 100; ++i) {
        std::optional<Pass> holder(std::in_place, gate, model);
        ASSERT_TRUE(holder->enter({}));
        std::thread next([&] {
            Pass late(gate, model);
            EXPECT_FALSE(late.enter({.deadline = std::chrono::steady_clock::now() + 50us}));
            Pass pass(gate, model);
            EXPECT_TRUE(pass.enter({}));
        });
        while (gate.delayedCount() != 2 * static_cast<std::uint32_t>(i + 1)) {
            std::this_thread::yield();
        }
        if (i % 10 == 0) {
            std::this_thread::sleep_for(2ms);  // it sleeps by now
        }
        holder.reset();
        next.join();
        EXPECT_EQ(gate.waitingCount(), 0U);
        EXPECT_FALSE(gate.isBusy());
    }
}

TEST(ExecutionGate, aDeadlineBeforeTheStartOfTheClockHasPassed) {
    ExecutionGate gate(1);
    RunnerSet model;
    Pass holder(gate, model);
    ASSERT_TRUE(holder.enter({}));
    Pass late(gate, model);
    EXPECT_FALSE(late.enter({.deadline = TimePoint::min()}));
    EXPECT_EQ(gate.waitingCount(), 0U);
}

TEST(ExecutionGate, letsAnExecutionThatNeedsAllLanesInAlone) {
    ExecutionGate gate(2);
    RunnerSet narrow;
    RunnerSet wide;
    RunnerSet late;
    const Urgency soon{.deadline = TimePoint(std::chrono::steady_clock::now()) + 20ms};
    std::atomic<bool> wasIn{false};
    std::thread waiting;
    {
        Pass one(gate, narrow);
        ASSERT_TRUE(one.enter({}));
        waiting = std::thread([&] {
            Pass all(gate, wide, Pass::Width::ALL_LANES);
            EXPECT_TRUE(all.enter({.priority = Priority::HIGH, .deadline = {}}));
            wasIn = true;
        });
        while (gate.waitingCount() != 1 && !wasIn) {
            std::this_thread::yield();
        }
        Pass another(gate, late);
        EXPECT_FALSE(another.enter(soon)) << "the more urgent one is not overtaken";
        EXPECT_FALSE(wasIn);
    }
    waiting.join();
    Pass all(gate, wide, Pass::Width::ALL_LANES);
    ASSERT_TRUE(all.enter({}));
    EXPECT_TRUE(gate.isBusy());
    Pass one(gate, narrow);
    EXPECT_FALSE(one.enter(soon));
}

TEST(ExecutionGate, letsOthersInWhenAnExecutionThatNeedsAllLanesGivesUp) {
    ExecutionGate gate(2);
    RunnerSet first;
    RunnerSet wide;
    RunnerSet second;
    Pass one(gate, first);
    ASSERT_TRUE(one.enter({}));
    const TimePoint soon = std::chrono::steady_clock::now() + 100ms;
    std::thread givingUp([&] {
        Pass all(gate, wide, Pass::Width::ALL_LANES);
        EXPECT_FALSE(all.enter({.priority = Priority::HIGH, .deadline = soon}));
    });
    while (gate.waitingCount() == 0 && std::chrono::steady_clock::now() < soon) {
        std::this_thread::yield();
    }
    // The first execution runs all the time.
    Pass another(gate, second);
    EXPECT_TRUE(another.enter({.deadline = TimePoint(std::chrono::steady_clock::now() + 20s)}));
    givingUp.join();
}

TEST(ExecutionGate, admitsEveryExecutionUnderLoad) {
    ExecutionGate gate(2);
    std::vector<RunnerSet> models(3);
    std::vector<int> counts(models.size());  // each guarded by its model lock
    std::atomic<int> inside{0};
    std::atomic<bool> isRight{true};
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < 6; ++thread) {
        threads.emplace_back([&, thread] {
            for (int i = 0; i < 5000; ++i) {
                const std::size_t model = (thread + static_cast<std::size_t>(i)) % models.size();
                Pass pass(gate, models[model]);
                if (!pass.enter({.priority = static_cast<Priority>(i % 3), .deadline = {}})) {
                    isRight = false;
                }
                if (++inside > 2) {
                    isRight = false;
                }
                ++counts[model];
                --inside;
                if (i % 7 == 0) {
                    pass.yieldToOthers();
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_TRUE(isRight);
    EXPECT_EQ(counts[0] + counts[1] + counts[2], 6 * 5000);
    EXPECT_FALSE(gate.isBusy());
    EXPECT_EQ(gate.waitingCount(), 0U);
}

}  // namespace
}  // namespace nnburst::exec
