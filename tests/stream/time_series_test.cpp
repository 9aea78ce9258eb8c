// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/time_series.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/allocation_counter.h"

namespace nnburst::stream {
namespace {

using std::chrono::nanoseconds;

TEST(TimeSeries, hasAPointOfEachFrameOfAShortStream) {
    TimeSeries series;
    for (std::int64_t i = 0; i < 100; ++i) {
        series.add(nanoseconds(1000 * i), nanoseconds(i));
    }
    ASSERT_EQ(series.points().size(), 100U);
    EXPECT_EQ(series.points()[42].time, nanoseconds(42'000));
    EXPECT_EQ(series.points()[42].mean(), 42);
    EXPECT_EQ(series.points()[42].count, 1U);
}

TEST(TimeSeries, keepsSumsExtremesAndOrderOfALongStream) {
    constexpr std::int64_t kFrames = 10'000;
    TimeSeries series;
    for (std::int64_t i = 0; i < kFrames; ++i) {
        series.add(nanoseconds(1000 * i), nanoseconds(i == 7777 ? 1'000'000 : 10 + i % 3));
    }
    EXPECT_LE(series.points().size(), TimeSeries::kMaximumPoints);
    EXPECT_GT(series.points().size(), TimeSeries::kMaximumPoints / 2);
    std::uint64_t count = 0;
    std::int64_t frame = 0;
    nanoseconds most{};
    double sum = 0;
    for (const TimeSeries::Point& point : series.points()) {
        EXPECT_EQ(point.time, nanoseconds(1000 * frame));
        EXPECT_EQ(point.min, nanoseconds(10));
        most = std::max(most, point.max);
        sum += point.sum;
        count += point.count;
        frame += static_cast<std::int64_t>(point.count);
    }
    EXPECT_EQ(count, static_cast<std::uint64_t>(kFrames));
    EXPECT_EQ(most, nanoseconds(1'000'000));
    EXPECT_EQ(sum, 10.0 * kFrames + kFrames - 1 + 1'000'000 - 11) << "0, 1 and 2 more in segments";
}

TEST(TimeSeries, beginsAPointWithEachSegment) {
    TimeSeries series;
    for (std::int64_t i = 0; i < 2000; ++i) {
        series.add(nanoseconds(i), nanoseconds(1));
    }
    const std::size_t points = series.points().size();
    ASSERT_GT(series.points()[1].count, 2U);
    const std::uint64_t segment = series.points().back().segment;
    series.beginSegment();
    series.add(nanoseconds(5000), nanoseconds(1));
    series.add(nanoseconds(5001), nanoseconds(1));
    ASSERT_EQ(series.points().size(), points + 1);
    EXPECT_EQ(series.points().back().time, nanoseconds(5000));
    EXPECT_EQ(series.points().back().count, 2U);
    EXPECT_NE(series.points().back().segment, segment);
}

TEST(TimeSeries, neverAllocatesAfterItsBegin) {
    if (!test::kCountsAllocations) {
        GTEST_SKIP() << "allocations are not counted under a sanitizer";
    }
    TimeSeries series;
    const std::uint64_t before = test::allocationCount();
    for (std::int64_t i = 0; i < 100'000; ++i) {
        series.add(nanoseconds(i), nanoseconds(i));
    }
    EXPECT_EQ(test::allocationCount(), before);
}

}  // namespace
}  // namespace nnburst::stream
