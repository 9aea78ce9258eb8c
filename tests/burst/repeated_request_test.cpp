// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/repeated_request.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "burst/request_frame.h"
#include "fakes.h"

namespace nnburst::burst {
namespace {

using namespace std::chrono_literals;

std::vector<FrameLine> frameOf(const Request& request, std::uint64_t serial = 1,
                               const ExecutionOptions& options = {}, const ExecutionName& name = {},
                               std::uint32_t slot = 0) {
    const std::vector<FramePool> pools(request.pools.size(), {.kind = 0, .value = slot});
    std::vector<FrameLine> lines(requestLineCount(request));
    encodeRequest(serial, name, request, pools, options, lines);
    return lines;
}

TEST(RepeatedRequest, isTheSameWithAnotherSerialAndDeadline) {
    const DoublingRequest doubling;
    RepeatedRequest repeated;
    EXPECT_FALSE(repeated.isSameAgain(frameOf(doubling.request)));
    EXPECT_TRUE(repeated.isSameAgain(frameOf(doubling.request, 2)));
    EXPECT_TRUE(repeated.isSameAgain(frameOf(doubling.request, 3, {.deadline = TimePoint(5ns)})));
}

TEST(RepeatedRequest, isAnotherIfAnyWordThatMattersDiffers) {
    const DoublingRequest doubling;
    const std::vector<FrameLine> frame = frameOf(doubling.request);
    constexpr std::size_t kSerial = 0;
    constexpr std::size_t kDeadline = 2;
    for (std::size_t word = 0; word < frame.size() * FrameLine::kWords; ++word) {
        RepeatedRequest repeated;
        EXPECT_FALSE(repeated.isSameAgain(frame));
        std::vector<FrameLine> changed = frame;
        changed[word / FrameLine::kWords].words[word % FrameLine::kWords] ^= std::uint64_t{1} << 32;
        EXPECT_EQ(repeated.isSameAgain(changed), word == kSerial || word == kDeadline) << word;
    }
}

TEST(RepeatedRequest, isAnotherIfItIsLonger) {
    const DoublingRequest doubling;
    const std::vector<FrameLine> frame = frameOf(doubling.request);
    std::vector<FrameLine> longer = frame;
    longer.emplace_back();
    RepeatedRequest repeated;
    EXPECT_FALSE(repeated.isSameAgain(frame));
    EXPECT_FALSE(repeated.isSameAgain(longer));
}

TEST(RepeatedRequest, isNoneThatIsToBeRememberedUnderAName) {
    const DoublingRequest doubling;
    RepeatedRequest repeated;
    const ExecutionName name{.number = 1, .generation = 1};
    EXPECT_FALSE(repeated.isSameAgain(frameOf(doubling.request, 1, {}, name)));
    EXPECT_FALSE(repeated.isSameAgain(frameOf(doubling.request, 2, {}, name)));
}

class RepeatedRequests : public testing::Test {
  protected:
    void execute(const DoublingRequest& doubling, const ExecutionOptions& options = {}) {
        doubling.in()[0] = ++number;
        ASSERT_TRUE(burst.controller->execute(doubling.request, options, outcome));
        ASSERT_EQ(doubling.out()[0], 2 * number);
        ASSERT_EQ(outcome.outputShapes,
                  (std::vector<OutputShape>{{.dimensions = {1}, .isSufficient = true}}));
    }

    BurstPair burst;
    ExecutionOutcome outcome;
    float number = 0;
};

TEST_F(RepeatedRequests, areResolvedTwiceAndThenNoMore) {
    const DoublingRequest doubling(1);
    execute(doubling);
    EXPECT_EQ(burst.model->binds, 1);
    for (int i = 0; i < 10; ++i) {
        execute(doubling);
    }
    EXPECT_EQ(burst.model->binds, 3) << "twice to run it, and once to keep it";
}

TEST_F(RepeatedRequests, haveOneAnswerEachWhereThereIsNoMemoryToKeepThem) {
    const DoublingRequest doubling(1);
    burst.model->bindWithoutMemory = 3;
    for (int i = 0; i < 4; ++i) {
        execute(doubling);
    }
    EXPECT_EQ(burst.model->binds, 5) << "it is kept at the next one";
}

TEST_F(RepeatedRequests, useTheirOwnMemoryWhereTwoTakeTurns) {
    const DoublingRequest one(1);
    const DoublingRequest other(1);
    for (int i = 0; i < 12; ++i) {
        execute(i % 5 < 3 ? one : other);
    }
}

TEST_F(RepeatedRequests, useTheMemoryThatASlotHasNow) {
    const DoublingRequest doubling(1);
    for (int i = 0; i < 4; ++i) {
        execute(doubling);
    }
    burst.controller->freeMemory(doubling.pool.region());
    const int binds = burst.model->binds;
    for (int i = 0; i < 4; ++i) {
        execute(doubling);
    }
    EXPECT_EQ(burst.driver->fetched, 2);
    EXPECT_EQ(burst.model->binds - binds, 2) << "it is kept again";
}

TEST_F(RepeatedRequests, haveADeadlineEach) {
    const DoublingRequest doubling(1);
    const TimePoint start = std::chrono::steady_clock::now();
    for (int i = 0; i < 4; ++i) {
        execute(doubling, {.deadline = start + std::chrono::hours(i + 1)});
        EXPECT_EQ(burst.model->lastOptions().deadline, start + std::chrono::hours(i + 1));
    }
    execute(doubling);
    EXPECT_EQ(burst.model->lastOptions().deadline, std::nullopt);
}

TEST_F(RepeatedRequests, tellErrorsAndGoOnAfterThem) {
    const DoublingRequest doubling(1);
    for (int i = 0; i < 3; ++i) {
        execute(doubling);
    }
    burst.model->setOnRun([] { return failure(ErrorStatus::GENERAL_FAILURE, "a bad day"); });
    const Result<> result = burst.controller->execute(doubling.request, {}, outcome);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "a bad day");
    EXPECT_TRUE(outcome.outputShapes.empty());
    burst.model->setOnRun([] { return Result<>(); });
    execute(doubling);
}

TEST_F(RepeatedRequests, areMeasuredWhenTheyAreToBe) {
    const DoublingRequest doubling(1);
    for (int i = 0; i < 8; ++i) {
        const bool measures = i >= 4;
        execute(doubling, {.measure = measures ? MeasureTiming::YES : MeasureTiming::NO});
        EXPECT_EQ(outcome.timing.timeOnDevice != kTimeNotAvailable, measures);
        EXPECT_EQ(outcome.timing.timeInDriver != kTimeNotAvailable, measures);
    }
}

TEST_F(RepeatedRequests, tellTheTimingOfEachRun) {
    const DoublingRequest doubling(1);
    for (int i = 0; i < 8; ++i) {
        const std::chrono::milliseconds duration(i == 6 ? 20 : 0);
        burst.model->setOnRun([duration] {
            std::this_thread::sleep_for(duration);
            return Result<>();
        });
        execute(doubling, {.measure = MeasureTiming::YES});
        EXPECT_EQ(outcome.timing.timeOnDevice, static_cast<std::uint64_t>(burst.model->runs));
        EXPECT_GE(std::chrono::microseconds(outcome.timing.timeInDriver), duration);
    }
}

TEST_F(RepeatedRequests, tellTheShapesOfEachRun) {
    const DoublingRequest doubling(1);
    for (const std::uint32_t shape : {3U, 3U, 3U, 3U, 4U, 4U, 4U, 3U, 4U, 4U}) {
        burst.model->shape = shape;
        ASSERT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
        EXPECT_EQ(outcome.outputShapes,
                  (std::vector<OutputShape>{{.dimensions = {shape}, .isSufficient = true}}));
    }
}

TEST_F(RepeatedRequests, tellTheShapesAfterAnError) {
    const DoublingRequest doubling(1);
    burst.model->shape = 3;
    for (int i = 0; i < 4; ++i) {
        ASSERT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
    }
    burst.model->setOnRun([] { return failure(ErrorStatus::GENERAL_FAILURE, "a bad day"); });
    ASSERT_FALSE(burst.controller->execute(doubling.request, {}, outcome));
    burst.model->setOnRun([] { return Result<>(); });
    for (const std::uint32_t shape : {3U, 3U, 4U, 4U}) {
        burst.model->shape = shape;
        ASSERT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
        EXPECT_EQ(outcome.outputShapes,
                  (std::vector<OutputShape>{{.dimensions = {shape}, .isSufficient = true}}));
    }
}

}  // namespace
}  // namespace nnburst::burst
