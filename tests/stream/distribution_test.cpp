// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "support/allocation_counter.h"

namespace nnburst::stream {
namespace {

using namespace std::chrono_literals;

/// The nearest rank of sorted durations.
nanoseconds exactQuantile(const std::vector<nanoseconds>& sorted, double fraction) {
    const auto rank =
        static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(sorted.size())));
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

/// From nanoseconds to minutes.
std::vector<nanoseconds> randomDurations(std::size_t count) {
    std::mt19937 random(7);
    std::lognormal_distribution<double> distribution(13, 4);
    std::vector<nanoseconds> durations;
    for (std::size_t i = 0; i < count; ++i) {
        durations.emplace_back(std::llround(std::min(distribution(random), 4e12)));
    }
    return durations;
}

TEST(Histogram, givesQuantilesWithinTwoPerThousand) {
    std::vector<nanoseconds> durations = randomDurations(20'000);
    Histogram histogram;
    for (const nanoseconds duration : durations) {
        histogram.add(duration);
    }
    std::ranges::sort(durations);
    EXPECT_EQ(histogram.count(), durations.size());
    for (const double fraction : {0.0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
        const auto exact = static_cast<double>(exactQuantile(durations, fraction).count());
        const auto found = static_cast<double>(histogram.quantile(fraction).count());
        EXPECT_NEAR(found, exact, exact * 0.002) << fraction;
    }
}

TEST(Histogram, isExactForShortDurations) {
    Histogram histogram;
    for (std::int64_t i = 1; i <= 511; ++i) {
        histogram.add(nanoseconds(i));
    }
    EXPECT_EQ(histogram.quantile(0.5), 256ns);
    EXPECT_EQ(histogram.quantile(1), 511ns);
    EXPECT_EQ(histogram.quantile(0), 1ns);
}

TEST(Histogram, takesTheNearestRank) {
    Histogram histogram;
    for (const nanoseconds duration : {10ns, 20ns, 30ns, 40ns}) {
        histogram.add(duration);
    }
    EXPECT_EQ(histogram.quantile(0.25), 10ns);
    EXPECT_EQ(histogram.quantile(0.26), 20ns);
    EXPECT_EQ(histogram.quantile(0.5), 20ns);
    EXPECT_EQ(histogram.quantile(0.75), 30ns);
    EXPECT_EQ(histogram.quantile(0.76), 40ns);
}

TEST(Histogram, bucketsHoldEverythingOnceAndAreNarrow) {
    Histogram histogram;
    const std::vector<nanoseconds> durations = randomDurations(5'000);
    for (const nanoseconds duration : durations) {
        histogram.add(duration);
    }
    std::uint64_t count = 0;
    nanoseconds end = 0ns;
    for (const Histogram::Bucket& bucket : histogram.buckets()) {
        EXPECT_GE(bucket.begin, end);
        EXPECT_LE(bucket.end - bucket.begin, std::max(1ns, bucket.begin / 256));
        const auto inside = std::ranges::count_if(durations, [&](nanoseconds duration) {
            return duration >= bucket.begin && duration < bucket.end;
        });
        EXPECT_EQ(bucket.count, static_cast<std::uint64_t>(inside));
        count += bucket.count;
        end = bucket.end;
    }
    EXPECT_EQ(count, durations.size());
}

TEST(Histogram, takesWhatIsOutOfRangeForItsNearestEnd) {
    Histogram histogram;
    histogram.add(-5ns);
    EXPECT_EQ(histogram.quantile(1), 0ns);
    histogram.add(24h);
    EXPECT_GT(histogram.quantile(1), 73min);
    EXPECT_LT(histogram.quantile(1), 74min);
}

TEST(Histogram, addsAnother) {
    Histogram one;
    Histogram other;
    one.add(10ns);
    other.add(10ns);
    other.add(1ms);
    one.add(other);
    EXPECT_EQ(one.count(), 3U);
    EXPECT_EQ(one.quantile(0.6), 10ns);
    EXPECT_EQ(other.count(), 2U);
}

TEST(Distribution, isEmptyAtFirst) {
    const Distribution distribution;
    const Summary summary = summarise(distribution);
    EXPECT_EQ(summary.count, 0U);
    EXPECT_EQ(summary.p50, 0);
    EXPECT_EQ(summary.max, 0);
    EXPECT_EQ(summary.standardDeviation, 0);
}

TEST(Distribution, knowsExactlyWhatNeedsNoBuckets) {
    Distribution distribution;
    for (const nanoseconds duration :
         {2000ns, 4000ns, 4000ns, 4000ns, 5000ns, 5000ns, 7000ns, 9000ns}) {
        distribution.add(duration);
    }
    const Summary summary = summarise(distribution);
    EXPECT_EQ(summary.count, 8U);
    EXPECT_EQ(summary.first, 2.0);
    EXPECT_EQ(summary.last, 9.0);
    EXPECT_EQ(summary.min, 2.0);
    EXPECT_EQ(summary.max, 9.0);
    EXPECT_NEAR(summary.mean, 5.0, 1e-9);
    EXPECT_NEAR(summary.standardDeviation, 2.0, 1e-9);
    EXPECT_NEAR(summary.p50, 4.0, 4.0 * 0.002);
    EXPECT_NEAR(summary.p90, 9.0, 9.0 * 0.002);
}

TEST(Distribution, hasNoQuantileBeyondItsExtremes) {
    Distribution distribution;
    distribution.add(1'000'003ns);  // neither the begin nor the middle of a bucket
    EXPECT_NE(distribution.histogram().quantile(1), 1'000'003ns);
    EXPECT_EQ(distribution.quantile(0), 1'000'003ns);
    EXPECT_EQ(distribution.quantile(1), 1'000'003ns);
}

TEST(Distribution, ofTwoHalvesIsThatOfTheWhole) {
    const std::vector<nanoseconds> durations = randomDurations(1'001);
    Distribution whole;
    Distribution first;
    Distribution second;
    for (std::size_t i = 0; i < durations.size(); ++i) {
        whole.add(durations[i]);
        (i < 300 ? first : second).add(durations[i]);
    }
    Distribution sum;
    sum.add(Distribution());
    sum.add(first);
    sum.add(second);
    sum.add(Distribution());
    const Summary expected = summarise(whole);
    const Summary found = summarise(sum);
    EXPECT_EQ(found.count, expected.count);
    EXPECT_EQ(found.first, expected.first);
    EXPECT_EQ(found.last, expected.last);
    EXPECT_EQ(found.min, expected.min);
    EXPECT_EQ(found.max, expected.max);
    EXPECT_EQ(found.p99, expected.p99);
    EXPECT_NEAR(found.mean, expected.mean, expected.mean * 1e-9);
    EXPECT_NEAR(found.standardDeviation, expected.standardDeviation,
                expected.standardDeviation * 1e-9);
}

TEST(Distribution, addsWithoutAllocating) {
    if (!test::kCountsAllocations) {
        GTEST_SKIP() << "allocations are not counted under a sanitizer";
    }
    Distribution distribution;
    const std::uint64_t before = test::allocationCount();
    for (std::int64_t i = 0; i < 100'000; ++i) {
        distribution.add(nanoseconds(i * i));
    }
    EXPECT_EQ(test::allocationCount(), before);
}

}  // namespace
}  // namespace nnburst::stream
