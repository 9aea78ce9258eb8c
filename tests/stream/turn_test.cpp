// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/turn.h"

#include <gtest/gtest.h>

#include <numeric>

#include "support/allocation_counter.h"
#include "support/model_source.h"

namespace nnburst::stream {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

Options comparing(std::optional<std::uint64_t> frames, std::optional<double> seconds,
                  std::optional<double> rate = std::nullopt) {
    return {.rate = rate, .seconds = seconds, .frames = frames, .baselines = {Way::RPC}};
}

TEST(DivideIntoTurns, makesOneTurnIfThereIsNothingToCompareWith) {
    const auto turns = divideIntoTurns({.seconds = 60, .frames = 100'000});
    EXPECT_EQ(turns, (std::vector<TurnLength>{{.frames = 100'000, .time = 60s}}));
}

TEST(DivideIntoTurns, sharesAllFrames) {
    for (const std::uint64_t frames : {1U, 24U, 49U, 50U, 333U, 100'000U}) {
        const auto turns = divideIntoTurns(comparing(frames, std::nullopt));
        EXPECT_LE(turns.size(), 20U);
        const auto sum = std::accumulate(
            turns.begin(), turns.end(), std::uint64_t{0},
            [](std::uint64_t all, const TurnLength& turn) { return all + turn.frames; });
        EXPECT_EQ(sum, frames);
        for (const TurnLength& turn : turns) {
            EXPECT_TRUE(turns.size() == 1 || turn.frames >= 25) << frames;
            EXPECT_EQ(turn.time, 0ns);
        }
    }
    EXPECT_EQ(divideIntoTurns(comparing(49, std::nullopt)).size(), 1U);
    EXPECT_EQ(divideIntoTurns(comparing(50, std::nullopt)).size(), 2U);
    EXPECT_EQ(divideIntoTurns(comparing(100'000, std::nullopt)).size(), 20U);
}

TEST(DivideIntoTurns, makesTurnsOfAQuarterOfASecondOrTenPeriods) {
    EXPECT_EQ(divideIntoTurns(comparing(std::nullopt, 0.4)).size(), 1U);
    EXPECT_EQ(divideIntoTurns(comparing(std::nullopt, 1)).size(), 4U);
    EXPECT_EQ(divideIntoTurns(comparing(std::nullopt, 100)).size(), 20U);
    const auto turns = divideIntoTurns(comparing(std::nullopt, 8, 5));  // ten periods are 2 s
    EXPECT_EQ(turns, std::vector<TurnLength>(4, {.frames = 0, .time = 2s}));
}

TEST(ShortTurn, takesHalfASecondButFiveFrames) {
    EXPECT_EQ(shortTurn({.rate = std::nullopt}, 50, 0ns).length.frames, 50U);
    EXPECT_EQ(shortTurn({.rate = std::nullopt}, 50, 50ms).length.frames, 10U);
    EXPECT_EQ(shortTurn({.rate = 1000}, 50, 1us).length.frames, 50U);
    EXPECT_EQ(shortTurn({.rate = 50}, 50, 1ms).length.frames, 25U);
    EXPECT_EQ(shortTurn({.rate = 50}, 50, 1s).length.frames, 5U);
    EXPECT_EQ(shortTurn({.rate = 1}, 50, 1ms).length.frames, 5U);
    EXPECT_EQ(shortTurn({.rate = 1}, 2, 1ms).length.frames, 2U);
}

TEST(PolicyOf, spinsOrSleepsAsItIsTold) {
    for (const WaitModeName& wait : kWaitModes) {
        EXPECT_EQ(policyOf(wait.mode).mode, wait.mode) << wait.name;
    }
    EXPECT_GT(policyOf(WaitMode::SPIN).spinWindow, 1min);
    EXPECT_EQ(policyOf(WaitMode::ADAPTIVE).spinWindow, WaitPolicy().spinWindow);
}

/// A target on a device in this process.
class SendTurn : public testing::Test {
  protected:
    void SetUp() override { open("builtin:lstm", Way::BURST, {}); }

    void open(const char* modelName, Way way, const Options& options) {
        target_.reset();
        auto model = tools::loadModel(modelName);
        ASSERT_TRUE(model) << model.error().message;
        model_ = std::move(*model);
        auto frames = FrameBank::create(model_);
        ASSERT_TRUE(frames) << frames.error().message;
        frames_ = std::move(*frames);
        const auto device = makeLocalDevice();
        ASSERT_TRUE(device) << device.error().message;
        auto target = Target::create(way, **device, model_, *frames_, options);
        ASSERT_TRUE(target) << target.error().message;
        target_.emplace(std::move(*target));
        begin_ = steady_clock::now();
    }

    /// Sends a turn that begins when all was set up, and gives the number of frames that were sent.
    std::uint64_t send(Turn turn, Recorder& recorder) {
        turn.start = begin_;
        const auto sent = sendTurn(*target_, turn, recorder, stop_);
        EXPECT_TRUE(sent) << sent.error().message;
        return sent.value_or(0);
    }
    [[nodiscard]] Recorder recorderOf(const Turn& turn) const {
        return {begin_, turn.period, turn.deadline};
    }

    TimePoint begin_;
    std::atomic<bool> stop_ = false;
    TfliteModel model_;
    std::optional<FrameBank> frames_;
    std::optional<Target> target_;
};

TEST_F(SendTurn, measuresAsManyFramesAsItIsToldAfterTheWarmUp) {
    const Turn turn{.warmUp = 3, .length = {.frames = 10}};
    Recorder recorder = recorderOf(turn);
    EXPECT_EQ(send(turn, recorder), 13U);
    EXPECT_EQ(recorder.warmUp().count(), 3U);
    EXPECT_EQ(recorder.latency().count(), 10U);
    EXPECT_EQ(recorder.misses().unsent, 0U);
    EXPECT_EQ(send(turn, recorder), 13U);
    EXPECT_EQ(recorder.latency().count(), 20U);
}

TEST_F(SendTurn, keepsToTheScheduleOfAStreamThatIsTooFast) {
    // No model runs in a nanosecond: all frames but the first wait for others.
    const Turn turn{.length = {.frames = 40}, .period = 1ns};
    Recorder recorder = recorderOf(turn);
    EXPECT_EQ(send(turn, recorder), 40U);
    const std::vector<TimeSeries::Point>& points = recorder.series().points();
    ASSERT_EQ(points.size(), 40U);
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(points[i].time, nanoseconds(i)) << "a frame is due when it is due";
    }
    EXPECT_GT(points.back().min, points.front().min) << "the last one has waited for all others";
    EXPECT_EQ(recorder.latency().count(), 40U);
}

TEST_F(SendTurn, saysHowManyFramesItCouldNotSend) {
    const Turn turn{.length = {.time = 10ms}, .period = 100ns};
    Recorder recorder = recorderOf(turn);
    const std::uint64_t sent = send(turn, recorder);
    EXPECT_GT(recorder.misses().unsent, 0U);
    EXPECT_EQ(sent + recorder.misses().unsent, 100'000U);
}

TEST_F(SendTurn, sendsNoFrameBeforeItIsDue) {
    const Turn turn{.length = {.time = 20ms}, .period = 4ms};
    Recorder recorder = recorderOf(turn);
    const std::uint64_t sent = send(turn, recorder);
    EXPECT_EQ(sent + recorder.misses().unsent, 5U);
    EXPECT_GE(recorder.latency().min(), 0ns);
    EXPECT_GE(steady_clock::now() - begin_ + 4ms, 4ms * sent);
}

TEST_F(SendTurn, goesOnUntilBothFramesAndTimeAreReached) {
    const Turn manyFrames{.length = {.frames = 30, .time = 1ns}};
    Recorder ofFrames = recorderOf(manyFrames);
    EXPECT_EQ(send(manyFrames, ofFrames), 30U);
    const Turn longTime{.length = {.frames = 1, .time = 5ms}, .period = 1ms};
    Recorder ofTime = recorderOf(longTime);
    EXPECT_EQ(send(longTime, ofTime) + ofTime.misses().unsent, 5U);
}

TEST_F(SendTurn, recordsMissedDeadlinesAndGoesOn) {
    const Turn turn{.length = {.frames = 12}, .deadline = 1ns};
    Recorder recorder = recorderOf(turn);
    EXPECT_EQ(send(turn, recorder), 12U);
    EXPECT_EQ(recorder.misses().refused, 12U) << "the deadline has passed when the device looks";
    EXPECT_EQ(recorder.misses().late, 0U);
    EXPECT_EQ(recorder.latency().count(), 12U);
}

TEST_F(SendTurn, stopsWhenItIsTold) {
    stop_ = true;
    const Turn turn{.warmUp = 5, .length = {.frames = 1'000'000'000}};
    Recorder recorder = recorderOf(turn);
    EXPECT_EQ(send(turn, recorder), 0U);
}

TEST_F(SendTurn, asksForTimingIfItIsTold) {
    Turn turn{.length = {.frames = 4}};
    Recorder recorder = recorderOf(turn);
    send(turn, recorder);
    EXPECT_EQ(recorder.timeInDriver().count(), 0U);
    turn.measure = MeasureTiming::YES;
    send(turn, recorder);
    EXPECT_EQ(recorder.timeInDriver().count(), 4U);
    EXPECT_EQ(recorder.timeOnDevice().count(), 4U);
}

TEST_F(SendTurn, allocatesNothing) {
    if (!test::kCountsAllocations) {
        GTEST_SKIP() << "allocations are not counted under a sanitizer";
    }
    const Turn turn{.length = {.frames = 1000}};
    Recorder recorder = recorderOf(turn);
    send(turn, recorder);
    const std::uint64_t before = test::allocationCount();
    send(turn, recorder);
    EXPECT_EQ(test::allocationCount(), before);
}

TEST_F(SendTurn, sendsDifferentFramesAndTheSameAgainLater) {
    ASSERT_GT(frames_->size(), 1U);
    EXPECT_EQ(frames_->frameBytes(), 64 * sizeof(float));
    std::vector<std::uint64_t> checksums;
    for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{1}, frames_->size()}) {
        target_->write(0, number);
        ASSERT_TRUE(target_->send(0, std::nullopt));
        const Result<> result = target_->collect(0);  // states are not fed back: they are zero
        ASSERT_TRUE(result) << result.error().message;
        checksums.push_back(target_->checksumOfOutputs(0));
    }
    EXPECT_NE(checksums[0], checksums[1]);
    EXPECT_EQ(checksums[0], checksums[2]);
    target_->finish();
    target_->write(0, 0);
    ASSERT_TRUE(target_->send(0, std::nullopt));
    ASSERT_TRUE(target_->collect(0));
    EXPECT_NE(target_->checksumOfOutputs(0), checksums[0]) << "states have been fed back";
}

// ---- Several frames under way

constexpr const char* kStateless = "builtin:mobilenet_v1_0.25_32";

/// A device in this process executes what is submitted at once: so nothing depends on its speed.
class SendPipelined : public SendTurn, public testing::WithParamInterface<Way> {
  protected:
    void SetUp() override { open(kStateless, GetParam(), {.inFlight = 3}); }
};

TEST_P(SendPipelined, hasAsManyFramesUnderWayAsThereArePlaces) {
    const Turn turn{.warmUp = 2, .length = {.frames = 20}};
    Recorder recorder = recorderOf(turn);
    EXPECT_EQ(send(turn, recorder), 22U);
    EXPECT_EQ(recorder.warmUp().count(), 2U);
    EXPECT_EQ(recorder.latency().count(), 20U) << "all are collected at the end";
    EXPECT_EQ(recorder.mostInFlight(), 3U);
}

TEST_P(SendPipelined, fillsAllPlacesWhenItIsLate) {
    const Turn turn{.length = {.frames = 20}, .period = 1ns};
    Recorder recorder = recorderOf(turn);
    EXPECT_EQ(send(turn, recorder), 20U);
    EXPECT_EQ(recorder.mostInFlight(), 3U);
    const std::vector<TimeSeries::Point>& points = recorder.series().points();
    ASSERT_EQ(points.size(), 20U);
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(points[i].time, nanoseconds(i)) << "in order, from when they were due";
    }
}

TEST_P(SendPipelined, collectsOutputsBeforeTheNextFrameIsDue) {
    const Turn turn{.length = {.frames = 4}, .period = 20ms};
    Recorder recorder = recorderOf(turn);
    EXPECT_EQ(send(turn, recorder), 4U);
    EXPECT_EQ(recorder.latency().count(), 4U);
    EXPECT_GE(recorder.mostInFlight(), 1U);
}

TEST_P(SendPipelined, recordsMissedDeadlinesAndGoesOn) {
    const Turn turn{.length = {.frames = 12}, .deadline = 1ns};
    Recorder recorder = recorderOf(turn);
    EXPECT_EQ(send(turn, recorder), 12U);
    EXPECT_EQ(recorder.misses().refused, 12U);
}

TEST_P(SendPipelined, asksForTimingIfItIsTold) {
    Turn turn{.length = {.frames = 4}};
    Recorder recorder = recorderOf(turn);
    for (const MeasureTiming measure : {MeasureTiming::NO, MeasureTiming::YES, MeasureTiming::NO}) {
        turn.measure = measure;
        send(turn, recorder);
    }
    EXPECT_EQ(recorder.timeInDriver().count(), 4U);
}

TEST_P(SendPipelined, allocatesNothing) {
    if (!test::kCountsAllocations) {
        GTEST_SKIP() << "allocations are not counted under a sanitizer";
    }
    const Turn turn{.length = {.frames = 100}};
    Recorder recorder = recorderOf(turn);
    send(turn, recorder);
    const std::uint64_t before = test::allocationCount();
    send(turn, recorder);
    EXPECT_EQ(test::allocationCount(), before);
}

TEST_P(SendPipelined, hasMemoryOfEachFrame) {
    ASSERT_EQ(target_->placeCount(), 3U);
    std::vector<std::uint64_t> checksums;
    for (const bool together : {false, true}) {
        for (std::size_t place = 0; place < 3; ++place) {
            target_->write(place, place);
            ASSERT_TRUE(target_->send(place, std::nullopt));
            if (!together) {
                ASSERT_TRUE(target_->collect(place));
                checksums.push_back(target_->checksumOfOutputs(place));
            }
        }
        for (std::size_t place = 0; together && place < 3; ++place) {
            ASSERT_TRUE(target_->collect(place));
            EXPECT_EQ(target_->checksumOfOutputs(place), checksums[place]);
        }
    }
    EXPECT_NE(checksums[0], checksums[1]);
    EXPECT_NE(checksums[1], checksums[2]);
}

INSTANTIATE_TEST_SUITE_P(Way, SendPipelined, testing::Values(Way::BURST, Way::PLAIN),
                         [](const auto& instance) { return toString(instance.param); });

TEST(Target, ofAModelWithStatesHasOneFrameUnderWay) {
    const auto model = tools::loadModel("builtin:lstm");
    ASSERT_TRUE(model);
    const auto frames = FrameBank::create(*model);
    ASSERT_TRUE(frames);
    const auto device = makeLocalDevice();
    ASSERT_TRUE(device);
    const auto target = Target::create(Way::BURST, **device, *model, *frames, {.inFlight = 2});
    ASSERT_FALSE(target);
    EXPECT_EQ(target.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_TRUE(Target::create(Way::RPC, **device, *model, *frames, {.inFlight = 2}));
}

TEST(Target, inThisProcessNeverWaits) {
    const auto model = tools::loadModel(kStateless);
    ASSERT_TRUE(model);
    const auto frames = FrameBank::create(*model);
    ASSERT_TRUE(frames);
    const auto device = makeLocalDevice();
    ASSERT_TRUE(device);
    for (const Way way : {Way::BURST, Way::PLAIN, Way::IN_PROCESS, Way::RPC}) {
        const auto target =
            Target::create(way, **device, *model, *frames, {.device = "local", .inFlight = 2});
        ASSERT_TRUE(target) << target.error().message;
        EXPECT_FALSE(target->waitStats()) << toString(way);
    }
}

}  // namespace
}  // namespace nnburst::stream
