// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/recorder.h"

#include <gtest/gtest.h>

namespace nnburst::stream {
namespace {

using namespace std::chrono_literals;

const TimePoint kBegin{1h};

/// A frame that was due so long after the begin and took so long.
FrameRecord frame(nanoseconds due, nanoseconds latency) {
    return {.due = kBegin + due, .completed = kBegin + due + latency};
}

TEST(Recorder, countsLatencyFromTheMomentAtWhichAFrameWasDue) {
    Recorder recorder(kBegin, 10ms, std::nullopt);
    recorder.add(frame(0ms, 100ns));
    recorder.add(frame(10ms, 300ns));
    EXPECT_EQ(recorder.latency().count(), 2U);
    EXPECT_EQ(recorder.latency().min(), 100ns);
    EXPECT_EQ(recorder.latency().max(), 300ns);
    EXPECT_EQ(recorder.series().points().at(1).time, 10ms);
    EXPECT_EQ(recorder.measuredTime(), 20ms);  // the last frame's period, too
}

TEST(Recorder, takesJitterForTheDifferenceOfIntervalsFromThePeriod) {
    Recorder recorder(kBegin, 10ms, std::nullopt);
    recorder.add(frame(0ms, 100ns));
    EXPECT_EQ(recorder.jitter().count(), 0U);
    recorder.add(frame(10ms, 400ns));  // 300 ns more than the period
    recorder.add(frame(20ms, 200ns));  // 200 ns less
    EXPECT_EQ(recorder.jitter().count(), 2U);
    EXPECT_EQ(recorder.jitter().first(), 300ns);
    EXPECT_EQ(recorder.jitter().last(), 200ns);
}

TEST(Recorder, hasNoJitterWithoutAPeriodOrAcrossSegments) {
    Recorder unpaced(kBegin, std::nullopt, std::nullopt);
    unpaced.add(frame(0ms, 1ms));
    unpaced.add(frame(1ms, 1ms));
    EXPECT_EQ(unpaced.jitter().count(), 0U);
    EXPECT_EQ(unpaced.measuredTime(), 2ms);

    Recorder recorder(kBegin, 10ms, std::nullopt);
    recorder.add(frame(0ms, 1ms));
    recorder.beginSegment();
    recorder.add(frame(50ms, 1ms));
    EXPECT_EQ(recorder.jitter().count(), 0U);
    EXPECT_EQ(recorder.measuredTime(), 20ms);  // without the time between the segments
}

TEST(Recorder, measuresTheIntervalAfterTheWarmUpButNothingElseOfIt) {
    Recorder recorder(kBegin, 10ms, 1ns);
    recorder.addWarmUp(frame(0ms, 5ms));
    recorder.addWarmUp(frame(10ms, 1us));
    EXPECT_EQ(recorder.jitter().count(), 0U);
    recorder.add(frame(20ms, 3us));
    EXPECT_EQ(recorder.jitter().count(), 1U);
    EXPECT_EQ(recorder.jitter().first(), 2us);
    EXPECT_EQ(recorder.warmUp().count(), 2U);
    EXPECT_EQ(recorder.warmUp().max(), 5ms);
    EXPECT_EQ(recorder.latency().count(), 1U);
    EXPECT_EQ(recorder.misses().late, 1U);
    EXPECT_EQ(recorder.series().points().size(), 1U);
}

TEST(Recorder, takesTheLatencyOfAFrameThatIsRefusedInTheWarmUpForEndless) {
    Recorder recorder(kBegin, 10ms, 1ms);
    FrameRecord refused = frame(0ms, 300us);
    refused.isRefused = true;
    recorder.addWarmUp(refused);
    EXPECT_EQ(recorder.warmUp().quantile(0.5), kEndless);
}

TEST(Recorder, countsFramesThatMissTheirDeadline) {
    Recorder recorder(kBegin, 10ms, 1ms);
    recorder.add(frame(0ms, 1ms));         // in time, just so
    recorder.add(frame(10ms, 1ms + 1ns));  // late
    FrameRecord refused = frame(20ms, 500us);
    refused.isRefused = true;
    recorder.add(refused);
    recorder.add(frame(30ms, 0ns));
    recorder.addUnsent(3);
    EXPECT_EQ(recorder.misses().late, 1U);
    EXPECT_EQ(recorder.misses().refused, 1U);
    EXPECT_EQ(recorder.misses().unsent, 3U);
    EXPECT_EQ(recorder.latency().count(), 7U) << "frames that were refused or not sent count";
    EXPECT_EQ(recorder.latency().quantile(0.4), 1ms + 1ns) << "the third of 7";
    EXPECT_EQ(recorder.latency().quantile(0.5), kEndless) << "the fourth";
    EXPECT_EQ(recorder.latency().max(), 1ms + 1ns);
    // The refused frame has no output, so the interval over it is twice as long.
    EXPECT_EQ(recorder.jitter().count(), 2U);
    EXPECT_EQ(recorder.jitter().max(), 10ms - 1ms - 1ns);
}

TEST(Recorder, addsUpWhatWaitingHasCost) {
    Recorder recorder(kBegin, std::nullopt, std::nullopt);
    EXPECT_FALSE(recorder.waits());
    const WaitStats before{.waits = 5, .sleeps = 4, .earlyWakes = 3, .lateWakes = 2, .burnt = 1us};
    const WaitStats after{
        .waits = 105, .sleeps = 84, .earlyWakes = 63, .lateWakes = 42, .burnt = 21us};
    for (int segment = 0; segment < 2; ++segment) {
        recorder.addWaits({.client = before, .driver = {}}, {.client = after, .driver = before});
    }
    ASSERT_TRUE(recorder.waits());
    const WaitStats& client = recorder.waits()->client;
    EXPECT_EQ(client.waits, 200U);
    EXPECT_EQ(client.sleeps, 160U);
    EXPECT_EQ(client.earlyWakes, 120U);
    EXPECT_EQ(client.lateWakes, 80U);
    EXPECT_EQ(client.burnt, 40us);
    EXPECT_EQ(recorder.waits()->driver.sleeps, 8U);
}

TEST(Recorder, keepsTheMostFramesThatWereUnderWay) {
    Recorder recorder(kBegin, std::nullopt, std::nullopt);
    EXPECT_EQ(recorder.mostInFlight(), 0U);
    for (const std::uint64_t frames : {1U, 3U, 2U}) {
        recorder.noteInFlight(frames);
    }
    EXPECT_EQ(recorder.mostInFlight(), 3U);
}

TEST(Recorder, keepsTheTimesThatADeviceSays) {
    Recorder recorder(kBegin, std::nullopt, std::nullopt);
    recorder.add(frame(0ms, 1ms));
    EXPECT_EQ(recorder.timeInDriver().count(), 0U);
    FrameRecord timed = frame(1ms, 1ms);
    timed.timing = {.timeOnDevice = 300, .timeInDriver = 350};
    recorder.add(timed);
    EXPECT_EQ(recorder.timeOnDevice().max(), 300us);
    EXPECT_EQ(recorder.timeInDriver().max(), 350us);
}

TEST(Recorder, countsNoWaitingIfTheDriversStatisticsGoBackwards) {
    Recorder recorder(TimePoint(), std::nullopt, std::nullopt);
    BurstWaitStats begin;
    begin.driver.sleeps = 100;
    recorder.addWaits(begin, {});
    ASSERT_TRUE(recorder.waits());
    EXPECT_EQ(recorder.waits()->driver.sleeps, 0U);
}

}  // namespace
}  // namespace nnburst::stream
