// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// A client in which an allocation fails: only the execution that needed it ends.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <vector>

#include "fakes.h"
#include "support/failing_allocations.h"

namespace nnburst::burst {
namespace {

using namespace std::chrono_literals;

/// Calls `execute` for a new burst each time, with one more allocation that succeeds before one
/// fails, until none fails. Each burst executes another request after that.
template <class Execute>
void expectThatEachBurstGoesOn(Execute execute) {
    constexpr int kMaximumAllocations = 100;
    for (int count = 0; count < kMaximumAllocations; ++count) {
        BurstPair burst;
        const DoublingRequest first;
        ExecutionOutcome outcome;
        test::failAllocationAfter(count);
        const Result<> result = execute(*burst.controller, first.request, outcome);
        if (!test::stopFailingAllocations()) {
            EXPECT_TRUE(result) << result.error().message;
            return;
        }
        ASSERT_FALSE(result) << "allocation " << count;
        EXPECT_EQ(result.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
        EXPECT_TRUE(outcome.outputShapes.empty());
        const DoublingRequest second;
        const Result<> next = burst.controller->execute(second.request, {}, outcome);
        ASSERT_TRUE(next) << "allocation " << count << ": " << next.error().message;
        EXPECT_EQ(second.out()[0], 1.0F);
        EXPECT_EQ(outcome.outputShapes.size(), 1U);
    }
    ADD_FAILURE() << "each execution takes more allocations";
}

TEST(MemoryShortage, endsAnExecutionAlone) {
    expectThatEachBurstGoesOn(
        [](Burst& burst, const Request& request, ExecutionOutcome& outcome) -> Result<> {
            return burst.execute(request, {}, outcome);
        });
}

TEST(MemoryShortage, endsASubmissionAlone) {
    expectThatEachBurstGoesOn(
        [](Burst& burst, const Request& request, ExecutionOutcome& outcome) -> Result<> {
            NNBURST_TRY_ASSIGN(const Submission submission, burst.submit(request, {}));
            return burst.wait(submission, outcome);
        });
}

/// Without memory nothing can say that the driver may still write its outputs.
TEST(MemoryShortage, losesTheDriverWhereAnExecutionCannotBeGivenUp) {
    BurstPair burst{BurstOptions{.deadlineGrace = 1ms}};
    DoublingRequest doubling;
    ExecutionOutcome outcome;
    const auto reusable =
        std::move(*burst.controller->createReusableExecution(doubling.request, {}));
    ASSERT_TRUE(reusable->compute({}, outcome));
    std::promise<void> mayRun;
    burst.model->setOnRun([held = mayRun.get_future().share()] {
        held.wait();
        return Result<>();
    });
    test::failAllocationAfter(0);
    const Result<> result = reusable->compute(TimePoint(std::chrono::steady_clock::now()), outcome);
    const bool hasFailed = test::stopFailingAllocations();
    mayRun.set_value();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    if (!hasFailed) {
        GTEST_SKIP() << "sanitizers have an allocator of their own";
    }
    EXPECT_FALSE(burst.controller->isMemoryInUse());
    const Result<> next = reusable->compute({}, outcome);
    ASSERT_FALSE(next);
    EXPECT_EQ(next.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
}

/// What fails is made before the driver is asked, or the outputs are remembered.
TEST(MemoryShortage, forgetsNoOutputsThatTheDriverMayStillWrite) {
    constexpr int kMaximumAllocations = 100;
    for (int count = 0; count < kMaximumAllocations; ++count) {
        BurstPair burst{BurstOptions{.deadlineGrace = 1ms}};
        burst.client->answered = std::make_shared<std::atomic<bool>>(false);
        DoublingRequest doubling;
        doubling.request.inputs.resize(600, doubling.request.inputs[0]);  // too many for the queue
        const ExecutionOptions options{.deadline = std::chrono::steady_clock::now() + 2ms};
        ExecutionOutcome outcome;
        test::failAllocationAfter(count);
        const Result<> result = burst.controller->execute(doubling.request, options, outcome);
        const bool hasFailed = test::stopFailingAllocations();
        ASSERT_FALSE(result);
        const bool isAsked = burst.client->fallbacks == 1;
        EXPECT_EQ(result.error().status, isAsked ? ErrorStatus::DEVICE_UNAVAILABLE
                                                 : ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
        ASSERT_EQ(burst.controller->isMemoryInUse(), isAsked) << "allocation " << count;
        if (isAsked) {
            ASSERT_FALSE(burst.controller->execute(doubling.request, options, outcome));
            EXPECT_EQ(burst.client->fallbacks, 1) << "the same outputs are in use";
        }
        if (!hasFailed) {
            EXPECT_TRUE(isAsked);
            return;
        }
    }
    ADD_FAILURE() << "each execution takes more allocations";
}

TEST(MemoryShortage, endsCallsWithAnErrorWhileMemoryIsInUse) {
    BurstPair burst{BurstOptions{.deadlineGrace = 1ms}};
    burst.client->answered = std::make_shared<std::atomic<bool>>(false);
    DoublingRequest unanswered;
    unanswered.request.inputs.resize(600, unanswered.request.inputs[0]);
    ExecutionOutcome outcome;
    ASSERT_FALSE(burst.controller->execute(
        unanswered.request, {.deadline = std::chrono::steady_clock::now() + 2ms}, outcome));
    const DoublingRequest doubling;
    test::failAllocationAfter(0);
    const Result<> executed = burst.controller->execute(doubling.request, {}, outcome);
    const bool hasFailed = test::stopFailingAllocations();
    test::failAllocationAfter(0);
    const Result<Submission> submitted = burst.controller->submit(doubling.request, {});
    (void)test::stopFailingAllocations();
    if (!hasFailed) {
        GTEST_SKIP() << "sanitizers have an allocator of their own";
    }
    ASSERT_FALSE(executed);
    EXPECT_EQ(executed.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    ASSERT_FALSE(submitted);
    EXPECT_EQ(submitted.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
}

TEST(MemoryShortage, delaysARequestThatTheDriverHasForgotten) {
    LonelyClient lonely;
    const DoublingRequest doubling;
    ExecutionOutcome outcome;
    const auto reusable =
        std::move(*lonely.controller->createReusableExecution(doubling.request, {}));
    const Submission first = *reusable->submit({});
    lonely.publish(1, kRemembered);
    ASSERT_TRUE(lonely.controller->wait(first, outcome));
    const Submission second = *reusable->submit({});
    lonely.client->forgetsSlots = false;  // so that naming the memory anew allocates
    lonely.controller->freeMemory(doubling.pool.region());
    lonely.publish(2, kUnknownExecution);
    test::failAllocationAfter(0);
    (void)lonely.controller->isDone(second);
    (void)test::stopFailingAllocations();
    lonely.publish(3);
    EXPECT_TRUE(lonely.controller->wait(second, outcome));
    EXPECT_EQ(lonely.client->fallbacks, 0) << "it was not sent through the queue";
}

TEST(MemoryShortage, losesADriverThatAnswersWithoutAFrame) {
    LonelyClient lonely;
    const DoublingRequest doubling;
    ExecutionOutcome outcome;
    const Submission submission = *lonely.controller->submit(doubling.request, {});
    ASSERT_TRUE(lonely.results.tryWrite(std::vector<FrameLine>(1)));
    test::failAllocationAfter(0);
    EXPECT_TRUE(lonely.controller->isDone(submission)) << "the connection is lost";
    (void)test::stopFailingAllocations();
    EXPECT_FALSE(lonely.controller->wait(submission, outcome));
}

}  // namespace
}  // namespace nnburst::burst
