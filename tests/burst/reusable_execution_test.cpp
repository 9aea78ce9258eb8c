// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Reusable executions: remembered by the driver, and the same as plain ones in every case.

#include <gtest/gtest.h>

#include "burst/channel.h"
#include "burst/request_frame.h"
#include "fakes.h"

namespace nnburst::burst {
namespace {

using namespace std::chrono_literals;

class ReusableExecutionTest : public testing::Test {
  protected:
    std::unique_ptr<ReusableExecution> make(const DoublingRequest& doubling,
                                            const ExecutionOptions& options = {}) {
        return std::move(*burst.controller->createReusableExecution(doubling.request, options));
    }
    Result<> compute(ReusableExecution& reusable) { return reusable.compute({}, outcome); }

    BurstPair burst;
    ExecutionOutcome outcome;
};

TEST_F(ReusableExecutionTest, computesAgainWithNewContents) {
    DoublingRequest doubling(4);
    const auto reusable = make(doubling);
    for (int i = 0; i < 1000; ++i) {
        doubling.in()[2] = static_cast<float>(i);
        ASSERT_TRUE(compute(*reusable));
        ASSERT_EQ(doubling.out()[2], 2.0F * static_cast<float>(i));
        ASSERT_EQ(outcome.outputShapes,
                  (std::vector<OutputShape>{{.dimensions = {4}, .isSufficient = true}}));
    }
    EXPECT_EQ(burst.driver->fetched, 1);
    EXPECT_EQ(burst.client->fallbacks, 0);
}

TEST_F(ReusableExecutionTest, isDecodedOnceAndThenOneLineEachWay) {
    DoublingRequest doubling;
    const auto reusable = make(doubling);
    ASSERT_TRUE(compute(*reusable));
    EXPECT_EQ(burst.model->binds, 2);  // to run it, and to remember it
    const auto position = [&](const fmq::QueueDescriptor& queue) {
        const Channel channel = std::move(*Channel::open(burst.controller->channel()));
        return reinterpret_cast<fmq::QueuePosition*>(channel.memory().data() + queue.offset +
                                                     fmq::kReadPositionOffset)
            ->value.load();
    };
    const Channel channel = std::move(*Channel::open(burst.controller->channel()));
    const std::uint64_t requests = position(channel.requests());
    const std::uint64_t results = position(channel.results());
    for (int i = 0; i < 10; ++i) {
        ASSERT_TRUE(compute(*reusable));
    }
    EXPECT_EQ(burst.model->binds, 2);
    EXPECT_EQ(position(channel.requests()) - requests, 10U);
    EXPECT_EQ(position(channel.results()) - results, 10U);
}

TEST_F(ReusableExecutionTest, fillsAnyOutcomeThatItIsGiven) {
    DoublingRequest doubling(3);
    const auto reusable = make(doubling);
    for (int i = 0; i < 3; ++i) {
        ExecutionOutcome fresh;
        fresh.outputShapes.resize(static_cast<std::size_t>(i));
        fresh.timing = {.timeOnDevice = 1, .timeInDriver = 2};
        ASSERT_TRUE(reusable->compute({}, fresh));
        EXPECT_EQ(fresh.outputShapes,
                  (std::vector<OutputShape>{{.dimensions = {3}, .isSufficient = true}}));
        EXPECT_EQ(fresh.timing, Timing{});
    }
}

TEST_F(ReusableExecutionTest, carriesItsOptionsAndADeadlineOfEachComputation) {
    DoublingRequest doubling;
    const auto reusable = make(doubling, {.measure = MeasureTiming::YES, .loopTimeout = 5s});
    for (int i = 0; i < 3; ++i) {
        const TimePoint deadline = std::chrono::steady_clock::now() + 1h;
        ASSERT_TRUE(reusable->compute(deadline, outcome));
        EXPECT_EQ(outcome.timing.timeOnDevice, static_cast<std::uint64_t>(burst.model->runs));
        EXPECT_NE(outcome.timing.timeInDriver, kTimeNotAvailable);
        const ExecutionOptions arrived = burst.model->lastOptions();
        EXPECT_EQ(arrived.measure, MeasureTiming::YES);
        EXPECT_EQ(arrived.loopTimeout, OptionalTimeoutDuration(5s));
        EXPECT_EQ(arrived.deadline, OptionalTimePoint(deadline));
        ASSERT_TRUE(compute(*reusable));
        EXPECT_EQ(burst.model->lastOptions().deadline, std::nullopt);
    }
}

TEST_F(ReusableExecutionTest, tellsErrorsAndGoesOnAfterThem) {
    DoublingRequest doubling;
    const auto reusable = make(doubling);
    for (int i = 0; i < 6; ++i) {
        const bool fails = i % 2 == 0;
        burst.model->setOnRun([fails]() -> Result<> {
            if (fails) {
                return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT, "not now");
            }
            return {};
        });
        const Result<> result = compute(*reusable);
        ASSERT_EQ(result.has_value(), !fails) << i;
        EXPECT_EQ(outcome.outputShapes.size(), fails ? 0U : 1U);
        if (fails) {
            EXPECT_EQ(result.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
            EXPECT_EQ(result.error().message, "not now");
        }
    }
}

TEST_F(ReusableExecutionTest, reportsTheShapesOfAnOutputThatIsTooSmallEachTime) {
    DoublingRequest doubling(4, 8);
    const auto reusable = make(doubling);
    for (int i = 0; i < 3; ++i) {
        const Result<> result = compute(*reusable);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().status, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
        EXPECT_EQ(outcome.outputShapes,
                  (std::vector<OutputShape>{{.dimensions = {4}, .isSufficient = false}}));
    }
}

TEST_F(ReusableExecutionTest, reportsShapesThatChange) {
    DoublingRequest doubling(4);
    const auto reusable = make(doubling);
    for (const std::uint32_t count : {4U, 4U, 2U, 2U, 3U}) {
        burst.model->shape = count;
        ASSERT_TRUE(compute(*reusable));
        EXPECT_EQ(outcome.outputShapes[0].dimensions, Dimensions{count});
    }
}

TEST_F(ReusableExecutionTest, isRefusedAsItsRequestWouldBe) {
    DoublingRequest doubling;
    doubling.request.inputs.clear();
    const auto reusable = make(doubling);
    for (int i = 0; i < 2; ++i) {
        const Result<> result = compute(*reusable);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
    }
    doubling.request.pools = {SharedRegion()};
    const Result<> result = compute(*make(doubling));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
}

TEST_F(ReusableExecutionTest, fetchesItsMemoryAnewWhenThatWasFreed) {
    DoublingRequest doubling;
    const auto reusable = make(doubling);
    for (int i = 1; i <= 3; ++i) {
        ASSERT_TRUE(compute(*reusable));
        const int binds = burst.model->binds;
        ASSERT_TRUE(compute(*reusable));
        EXPECT_EQ(burst.model->binds, binds) << "it was sent as a whole once more";
        EXPECT_EQ(burst.driver->fetched, i);
        burst.controller->freeMemory(doubling.pool.region());
    }
}

TEST_F(ReusableExecutionTest, goesOnWhenTheDriverHasLetItsMemoryGo) {
    DoublingRequest doubling;
    const auto reusable = make(doubling);
    ASSERT_TRUE(compute(*reusable));
    burst.server->freeMemory(0);  // as if the client had asked for it
    doubling.in()[0] = 4.0F;
    ASSERT_TRUE(compute(*reusable));
    EXPECT_EQ(doubling.out()[0], 8.0F);
    EXPECT_EQ(burst.driver->fetched, 2);
    burst.server->freeMemory(0);
    const TimePoint deadline = std::chrono::steady_clock::now() + 1h;
    ASSERT_TRUE(reusable->compute(deadline, outcome));
    EXPECT_EQ(burst.model->lastOptions().deadline, deadline);
    EXPECT_EQ(burst.driver->fetched, 3);
}

TEST_F(ReusableExecutionTest, isSentAnewWhenTheDriverHasForgottenIt) {
    DoublingRequest doubling;
    const auto reusable = make(doubling);
    ASSERT_TRUE(compute(*reusable));
    burst.server->freeMemory(0);
    burst.driver->setMemories([](std::span<const std::int32_t>) {
        return Result<std::vector<SharedRegion>>(failure(ErrorStatus::GENERAL_FAILURE, "not now"));
    });
    const Result<> result = compute(*reusable);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "not now");
    burst.driver->setMemories([this](std::span<const std::int32_t> slots) {
        return Result<std::vector<SharedRegion>>(asReceived(burst.controller->getMemories(slots)));
    });
    doubling.in()[0] = 4.0F;
    ASSERT_TRUE(compute(*reusable));
    EXPECT_EQ(doubling.out()[0], 8.0F);
    EXPECT_EQ(burst.model->binds, 4) << "decoded once more";
}

TEST_F(ReusableExecutionTest, ofWhichThereAreMoreThanTheDriverRemembersComputesAsWell) {
    std::vector<std::unique_ptr<DoublingRequest>> requests;
    std::vector<std::unique_ptr<ReusableExecution>> executions;
    for (std::uint32_t i = 0; i < kMaximumReusableExecutions + 3; ++i) {
        requests.push_back(std::make_unique<DoublingRequest>());
        executions.push_back(make(*requests.back()));
    }
    for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < executions.size(); ++i) {
            requests[i]->in()[1] = static_cast<float>(i + static_cast<std::size_t>(round));
            ASSERT_TRUE(compute(*executions[i]));
            ASSERT_EQ(requests[i]->out()[1], 2 * requests[i]->in()[1]);
        }
    }
}

TEST_F(ReusableExecutionTest, leavesItsNumberToOthersThatAreNotTakenForIt) {
    for (int i = 0; i < 200; ++i) {
        DoublingRequest doubling;
        const auto reusable = make(doubling);
        doubling.in()[0] = static_cast<float>(i);
        const int binds = burst.model->binds;
        ASSERT_TRUE(compute(*reusable));
        ASSERT_TRUE(compute(*reusable));
        ASSERT_TRUE(compute(*reusable));
        ASSERT_EQ(burst.model->binds, binds + 2) << "it has no number";
        ASSERT_EQ(doubling.out()[0], 2.0F * static_cast<float>(i));
    }
}

TEST_F(ReusableExecutionTest, outlivesItsBurst) {
    DoublingRequest doubling;
    const auto reusable = make(doubling);
    ASSERT_TRUE(compute(*reusable));
    burst.controller->connectionLost();
    burst.controller = nullptr;
    const Result<> result = compute(*reusable);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
}

TEST_F(ReusableExecutionTest, usesBuffersOfTheDriverByTheirTokensOfTheMoment) {
    DoublingRequest doubling;
    doubling.request.pools.emplace_back(BufferToken{5});
    const auto reusable = make(doubling);
    for (int i = 0; i < 2; ++i) {
        const Result<> result = compute(*reusable);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
    }
}

}  // namespace
}  // namespace nnburst::burst
