// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "summary.h"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

#include "hand_made_results.h"
#include "percentile.h"

namespace nnburst::bench {
namespace {

TEST(Percentile, isAValueOfTheSamples) {
    std::vector<double> samples{5, 1, 4, 2, 3};
    EXPECT_EQ(percentile(samples, 0), 1);
    EXPECT_EQ(percentile(samples, 0.5), 3);
    EXPECT_EQ(percentile(samples, 1), 5);
    std::vector<double> one{7};
    EXPECT_EQ(percentile(one, 0.99), 7);
}

TEST(Percentile, isNotExceededByThatFractionOfTheSamples) {
    for (const auto& [count, expected] : {std::pair(10, 10), {60, 60}, {100, 99}, {1000, 990}}) {
        std::vector<double> samples(static_cast<std::size_t>(count));
        std::iota(samples.begin(), samples.end(), 1);
        EXPECT_EQ(percentile(samples, 0.99), expected) << count;
    }
}

TEST(Summary, takesMediansOverTheRounds) {
    const Summary summary =
        summarise(measured("a/b", "b", {{10, 90}, {30, 70}, {20, 80}}), kCalmPingPongNs);
    ASSERT_TRUE(summary.figures);
    EXPECT_EQ(summary.figures->medianNs, 20);
    EXPECT_EQ(summary.figures->tailNs, 80);
    EXPECT_EQ(summary.figures->leastNs, 10);
    EXPECT_EQ(summary.figures->mostNs, 30);
    EXPECT_EQ(summary.counted, 3U);
    EXPECT_EQ(summary.leftOut, 0U);
}

TEST(Summary, leavesOutRoundsWithAFarPingPongBeforeOrAfter) {
    BenchmarkResult result = measured("a/b", "b", {{10, 11}, {20, 21}, {30, 31}, {999, 1000}});
    result.rounds[0].host.pingPongAfterNs = kCalmPingPongNs / kPingPongTolerance * 0.99;
    result.rounds[3].host.pingPongBeforeNs = kCalmPingPongNs * kPingPongTolerance * 1.01;
    const Summary summary = summarise(result, kCalmPingPongNs);
    ASSERT_TRUE(summary.figures);
    EXPECT_EQ(summary.figures->leastNs, 20);
    EXPECT_EQ(summary.figures->mostNs, 30);
    EXPECT_EQ(summary.counted, 2U);
    EXPECT_EQ(summary.leftOut, 2U);
}

TEST(Summary, countsRoundsWithinTheTolerance) {
    HostState host = calmHost();
    host.pingPongBeforeNs = kCalmPingPongNs * kPingPongTolerance * 0.99;
    host.pingPongAfterNs = kCalmPingPongNs / kPingPongTolerance * 1.01;
    EXPECT_FALSE(isDisturbed(host, kCalmPingPongNs));
}

TEST(Summary, hasNoFiguresWithoutARoundThatCounts) {
    BenchmarkResult result = measured("a/b", "b", {{10, 11}});
    result.rounds[0].host.pingPongBeforeNs = 10 * kCalmPingPongNs;
    const Summary summary = summarise(result, kCalmPingPongNs);
    EXPECT_FALSE(summary.figures);
    EXPECT_EQ(summary.leftOut, 1U);
    EXPECT_FALSE(summarise(skipped("a/b", "b", "why"), kCalmPingPongNs).figures);
}

TEST(MedianPingPong, isOfAllBenchmarksBeforeAndAfter) {
    Results results{.benchmarks = {measured("a/b", "b", {{1, 2}}), measured("a/c", "c", {{1, 2}})}};
    results.benchmarks[0].rounds[0].host.pingPongBeforeNs = 1;
    results.benchmarks[1].rounds[0].host.pingPongAfterNs = 1000;
    EXPECT_EQ(medianPingPongNs(results), kCalmPingPongNs);
    EXPECT_EQ(medianPingPongNs({}), 0);
}

}  // namespace
}  // namespace nnburst::bench
