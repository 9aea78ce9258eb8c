// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/segment.h"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "support/allocation_counter.h"
#include "support/model_source.h"

namespace nnburst::stream {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

Options comparing(std::optional<std::uint64_t> frames, std::optional<double> seconds,
                  std::optional<double> rate = std::nullopt) {
    return {.rate = rate, .seconds = seconds, .frames = frames, .baselines = {Path::RPC}};
}

TEST(DivideIntoSegments, makesOneSegmentIfThereIsNothingToCompareWith) {
    const auto segments = divideIntoSegments({.seconds = 60, .frames = 100'000});
    EXPECT_EQ(segments, (std::vector<SegmentLength>{{.frames = 100'000, .time = 60s}}));
}

TEST(DivideIntoSegments, sharesAllFrames) {
    for (const std::uint64_t frames : {1U, 24U, 49U, 50U, 333U, 100'000U}) {
        const auto segments = divideIntoSegments(comparing(frames, std::nullopt));
        EXPECT_LE(segments.size(), 20U);
        const auto sum = std::accumulate(
            segments.begin(), segments.end(), std::uint64_t{0},
            [](std::uint64_t all, const SegmentLength& segment) { return all + segment.frames; });
        EXPECT_EQ(sum, frames);
        for (const SegmentLength& segment : segments) {
            EXPECT_TRUE(segments.size() == 1 || segment.frames >= 25) << frames;
            EXPECT_EQ(segment.time, 0ns);
        }
    }
    EXPECT_EQ(divideIntoSegments(comparing(49, std::nullopt)).size(), 1U);
    EXPECT_EQ(divideIntoSegments(comparing(50, std::nullopt)).size(), 2U);
    EXPECT_EQ(divideIntoSegments(comparing(100'000, std::nullopt)).size(), 20U);
}

TEST(DivideIntoSegments, makesSegmentsOfAQuarterOfASecondOrTenPeriods) {
    EXPECT_EQ(divideIntoSegments(comparing(std::nullopt, 0.4)).size(), 1U);
    EXPECT_EQ(divideIntoSegments(comparing(std::nullopt, 1)).size(), 4U);
    EXPECT_EQ(divideIntoSegments(comparing(std::nullopt, 100)).size(), 20U);
    const auto segments = divideIntoSegments(comparing(std::nullopt, 8, 5));  // ten periods are 2 s
    EXPECT_EQ(segments, std::vector<SegmentLength>(4, {.frames = 0, .time = 2s}));
}

TEST(ShortSegment, takesHalfASecondButFiveFrames) {
    EXPECT_EQ(shortSegment({.rate = std::nullopt}, 50, 0ns).length.frames, 50U);
    EXPECT_EQ(shortSegment({.rate = std::nullopt}, 50, 50ms).length.frames, 10U);
    EXPECT_EQ(shortSegment({.rate = 1000}, 50, 1us).length.frames, 50U);
    EXPECT_EQ(shortSegment({.rate = 50}, 50, 1ms).length.frames, 25U);
    EXPECT_EQ(shortSegment({.rate = 50}, 50, 1s).length.frames, 5U);
    EXPECT_EQ(shortSegment({.rate = 1}, 50, 1ms).length.frames, 5U);
    EXPECT_EQ(shortSegment({.rate = 1}, 2, 1ms).length.frames, 2U);
    EXPECT_EQ(shortSegment({.rate = 1, .frames = 3}, 50, 1ms).length.frames, 3U);
}

TEST(ShortSegment, waitsForNoLongPeriod) {
    EXPECT_EQ(shortSegment({.rate = 0.01}, 50, 1ms).period, 100ms);
    EXPECT_EQ(shortSegment({.rate = 50}, 50, 1ms).period, 20ms);
}

TEST(PolicyOf, spinsOrSleepsAsItIsTold) {
    for (const WaitModeName& wait : kWaitModes) {
        EXPECT_EQ(policyOf(wait.mode).mode, wait.mode) << wait.name;
    }
    EXPECT_GT(policyOf(WaitMode::SPIN).spinWindow, 1min);
    EXPECT_EQ(policyOf(WaitMode::ADAPTIVE).spinWindow, WaitPolicy().spinWindow);
}

/// A target on a device in this process.
class SendSegment : public testing::Test {
  protected:
    void SetUp() override { open("builtin:lstm", Path::BURST, {}); }

    void open(const char* modelName, Path path, const Options& options) {
        target_.reset();
        auto model = tools::loadModel(modelName);
        ASSERT_TRUE(model) << model.error().message;
        model_ = std::move(*model);
        auto frames = FrameBank::create(model_);
        ASSERT_TRUE(frames) << frames.error().message;
        frames_ = std::move(*frames);
        const auto device = makeLocalDevice();
        ASSERT_TRUE(device) << device.error().message;
        auto target = Target::create(path, **device, model_, *frames_, options);
        ASSERT_TRUE(target) << target.error().message;
        target_.emplace(std::move(*target));
        begin_ = steady_clock::now();
    }

    /// Sends a segment that begins when all was set up, and gives the number of frames that were
    /// sent.
    std::uint64_t send(Segment segment, Recorder& recorder) {
        segment.start = begin_;
        const auto sent = sendSegment(*target_, segment, recorder, stop_);
        EXPECT_TRUE(sent) << sent.error().message;
        return sent.value_or(0);
    }
    [[nodiscard]] Recorder recorderOf(const Segment& segment) const {
        return {begin_, segment.period, segment.deadline};
    }

    TimePoint begin_;
    std::atomic<bool> stop_ = false;
    TfliteModel model_;
    std::optional<FrameBank> frames_;
    std::optional<Target> target_;
};

TEST_F(SendSegment, measuresAsManyFramesAsItIsToldAfterTheWarmUp) {
    const Segment segment{.warmUp = 3, .length = {.frames = 10}};
    Recorder recorder = recorderOf(segment);
    EXPECT_EQ(send(segment, recorder), 13U);
    EXPECT_EQ(recorder.warmUp().count(), 3U);
    EXPECT_EQ(recorder.latency().count(), 10U);
    EXPECT_EQ(recorder.misses().unsent, 0U);
    EXPECT_EQ(send(segment, recorder), 13U);
    EXPECT_EQ(recorder.latency().count(), 20U);
}

TEST_F(SendSegment, keepsToTheScheduleOfAStreamThatIsTooFast) {
    // No model runs in a nanosecond: all frames but the first wait for others.
    const Segment segment{.length = {.frames = 40}, .period = 1ns};
    Recorder recorder = recorderOf(segment);
    EXPECT_EQ(send(segment, recorder), 40U);
    const std::vector<TimeSeries::Point>& points = recorder.series().points();
    ASSERT_EQ(points.size(), 40U);
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(points[i].time, nanoseconds(i)) << "a frame is due when it is due";
    }
    EXPECT_GT(points.back().min, points.front().min) << "the last one has waited for all others";
    EXPECT_EQ(recorder.latency().count(), 40U);
}

TEST_F(SendSegment, saysHowManyFramesItCouldNotSend) {
    const Segment segment{.length = {.time = 10ms}, .period = 100ns};
    Recorder recorder = recorderOf(segment);
    const std::uint64_t sent = send(segment, recorder);
    EXPECT_GT(recorder.misses().unsent, 0U);
    EXPECT_EQ(sent + recorder.misses().unsent, 100'000U);
}

TEST_F(SendSegment, sendsNoFrameBeforeItIsDue) {
    const Segment segment{.length = {.time = 20ms}, .period = 4ms};
    Recorder recorder = recorderOf(segment);
    const std::uint64_t sent = send(segment, recorder);
    EXPECT_EQ(sent + recorder.misses().unsent, 5U);
    EXPECT_GE(recorder.latency().min(), 0ns);
    EXPECT_GE(steady_clock::now() - begin_ + 4ms, 4ms * sent);
}

TEST_F(SendSegment, goesOnUntilBothFramesAndTimeAreReached) {
    const Segment manyFrames{.length = {.frames = 30, .time = 1ns}};
    Recorder ofFrames = recorderOf(manyFrames);
    EXPECT_EQ(send(manyFrames, ofFrames), 30U);
    const Segment longTime{.length = {.frames = 1, .time = 5ms}, .period = 1ms};
    Recorder ofTime = recorderOf(longTime);
    EXPECT_EQ(send(longTime, ofTime) + ofTime.misses().unsent, 5U);
}

TEST_F(SendSegment, recordsMissedDeadlinesAndGoesOn) {
    const Segment segment{.length = {.frames = 12}, .deadline = 1ns};
    Recorder recorder = recorderOf(segment);
    EXPECT_EQ(send(segment, recorder), 12U);
    EXPECT_EQ(recorder.misses().refused, 12U) << "the deadline has passed when the device looks";
    EXPECT_EQ(recorder.misses().late, 0U);
    EXPECT_EQ(recorder.latency().count(), 12U);
}

TEST_F(SendSegment, stopsWhenItIsTold) {
    stop_ = true;
    const Segment segment{.warmUp = 5, .length = {.frames = 1'000'000'000}};
    Recorder recorder = recorderOf(segment);
    EXPECT_EQ(send(segment, recorder), 0U);
}

TEST_F(SendSegment, stopsBeforeAFrameThatIsDueMuchLater) {
    std::thread stopper([this] {
        std::this_thread::sleep_for(20ms);
        stop_ = true;
    });
    const Segment segment{.length = {.frames = 10}, .period = 1h};
    Recorder recorder = recorderOf(segment);
    EXPECT_LE(send(segment, recorder), 1U) << "the second frame is due in an hour";
    stopper.join();
}

TEST_F(SendSegment, asksForTimingIfItIsTold) {
    Segment segment{.length = {.frames = 4}};
    Recorder recorder = recorderOf(segment);
    send(segment, recorder);
    EXPECT_EQ(recorder.timeInDriver().count(), 0U);
    segment.measure = MeasureTiming::YES;
    send(segment, recorder);
    EXPECT_EQ(recorder.timeInDriver().count(), 4U);
    EXPECT_EQ(recorder.timeOnDevice().count(), 4U);
}

TEST_F(SendSegment, allocatesNothing) {
    if (!test::kCountsAllocations) {
        GTEST_SKIP() << "allocations are not counted under a sanitizer";
    }
    const Segment segment{.length = {.frames = 1000}};
    Recorder recorder = recorderOf(segment);
    send(segment, recorder);
    const std::uint64_t before = test::allocationCount();
    send(segment, recorder);
    EXPECT_EQ(test::allocationCount(), before);
}

TEST_F(SendSegment, sendsDifferentFramesAndTheSameAgainLater) {
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
class SendPipelined : public SendSegment, public testing::WithParamInterface<Path> {
  protected:
    void SetUp() override { open(kStateless, GetParam(), {.inFlight = 3}); }
};

TEST_P(SendPipelined, hasAsManyFramesInFlightAsThereAreBuffers) {
    const Segment segment{.warmUp = 2, .length = {.frames = 20}};
    Recorder recorder = recorderOf(segment);
    EXPECT_EQ(send(segment, recorder), 22U);
    EXPECT_EQ(recorder.warmUp().count(), 2U);
    EXPECT_EQ(recorder.latency().count(), 20U) << "all are collected at the end";
    EXPECT_EQ(recorder.mostInFlight(), 3U);
}

TEST_P(SendPipelined, fillsAllBuffersWhenItIsLate) {
    const Segment segment{.length = {.frames = 20}, .period = 1ns};
    Recorder recorder = recorderOf(segment);
    EXPECT_EQ(send(segment, recorder), 20U);
    EXPECT_EQ(recorder.mostInFlight(), 3U);
    const std::vector<TimeSeries::Point>& points = recorder.series().points();
    ASSERT_EQ(points.size(), 20U);
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(points[i].time, nanoseconds(i)) << "in order, from when they were due";
    }
}

TEST_P(SendPipelined, collectsOutputsBeforeTheNextFrameIsDue) {
    const Segment segment{.length = {.frames = 4}, .period = 20ms};
    Recorder recorder = recorderOf(segment);
    EXPECT_EQ(send(segment, recorder), 4U);
    EXPECT_EQ(recorder.latency().count(), 4U);
    EXPECT_GE(recorder.mostInFlight(), 1U);
}

TEST_P(SendPipelined, recordsMissedDeadlinesAndGoesOn) {
    const Segment segment{.length = {.frames = 12}, .deadline = 1ns};
    Recorder recorder = recorderOf(segment);
    EXPECT_EQ(send(segment, recorder), 12U);
    EXPECT_EQ(recorder.misses().refused, 12U);
}

TEST_P(SendPipelined, asksForTimingIfItIsTold) {
    Segment segment{.length = {.frames = 4}};
    Recorder recorder = recorderOf(segment);
    for (const MeasureTiming measure : {MeasureTiming::NO, MeasureTiming::YES, MeasureTiming::NO}) {
        segment.measure = measure;
        send(segment, recorder);
    }
    EXPECT_EQ(recorder.timeInDriver().count(), 4U);
}

TEST_P(SendPipelined, allocatesNothing) {
    if (!test::kCountsAllocations) {
        GTEST_SKIP() << "allocations are not counted under a sanitizer";
    }
    const Segment segment{.length = {.frames = 100}};
    Recorder recorder = recorderOf(segment);
    send(segment, recorder);
    const std::uint64_t before = test::allocationCount();
    send(segment, recorder);
    EXPECT_EQ(test::allocationCount(), before);
}

TEST_P(SendPipelined, hasMemoryOfEachFrame) {
    ASSERT_EQ(target_->bufferCount(), 3U);
    std::vector<std::uint64_t> checksums;
    for (const bool together : {false, true}) {
        for (std::size_t buffer = 0; buffer < 3; ++buffer) {
            target_->write(buffer, buffer);
            ASSERT_TRUE(target_->send(buffer, std::nullopt));
            if (!together) {
                ASSERT_TRUE(target_->collect(buffer));
                checksums.push_back(target_->checksumOfOutputs(buffer));
            }
        }
        for (std::size_t buffer = 0; together && buffer < 3; ++buffer) {
            ASSERT_TRUE(target_->collect(buffer));
            EXPECT_EQ(target_->checksumOfOutputs(buffer), checksums[buffer]);
        }
    }
    EXPECT_NE(checksums[0], checksums[1]);
    EXPECT_NE(checksums[1], checksums[2]);
}

INSTANTIATE_TEST_SUITE_P(Path, SendPipelined, testing::Values(Path::BURST, Path::PLAIN),
                         [](const auto& instance) { return toString(instance.param); });

TEST(Target, ofAModelWithStatesHasOneFrameUnderWay) {
    const auto model = tools::loadModel("builtin:lstm");
    ASSERT_TRUE(model);
    const auto frames = FrameBank::create(*model);
    ASSERT_TRUE(frames);
    const auto device = makeLocalDevice();
    ASSERT_TRUE(device);
    const auto target = Target::create(Path::BURST, **device, *model, *frames, {.inFlight = 2});
    ASSERT_FALSE(target);
    EXPECT_EQ(target.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_TRUE(Target::create(Path::RPC, **device, *model, *frames, {.inFlight = 2}));
}

TEST(Target, inThisProcessNeverWaits) {
    const auto model = tools::loadModel(kStateless);
    ASSERT_TRUE(model);
    const auto frames = FrameBank::create(*model);
    ASSERT_TRUE(frames);
    const auto device = makeLocalDevice();
    ASSERT_TRUE(device);
    for (const Path path : {Path::BURST, Path::PLAIN, Path::IN_PROCESS, Path::RPC}) {
        const auto target =
            Target::create(path, **device, *model, *frames, {.device = "local", .inFlight = 2});
        ASSERT_TRUE(target) << target.error().message;
        EXPECT_FALSE(target->waitStats()) << toString(path);
    }
}

}  // namespace
}  // namespace nnburst::stream
