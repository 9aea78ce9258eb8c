// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// A client in which an allocation fails: only the execution that needed it ends.

#include <gtest/gtest.h>

#include <future>

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

}  // namespace
}  // namespace nnburst::burst
