// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "report/benchmark_json.h"

#include <gtest/gtest.h>

#include <span>

namespace nnburst::tools {
namespace {

BenchmarkRow rowOf(const char* name, double timeUs, std::optional<double> noise = std::nullopt) {
    return {.name = name, .iterations = 100, .realTimeUs = timeUs, .noise = noise};
}

TEST(BenchmarkJson, isReadBackAsItWasWritten) {
    const std::vector<BenchmarkRow> rows{rowOf("a", 12.5, 0.02), rowOf("b", 3)};
    const std::vector<std::pair<std::string, std::string>> context{{"date", "today"}};
    const Json json = benchmarkJson(context, rows);
    EXPECT_EQ(json["context"]["date"], "today");
    EXPECT_EQ(json["benchmarks"][0]["run_type"], "iteration");
    EXPECT_EQ(json["benchmarks"][0]["time_unit"], "us");
    const auto read = readBenchmarkRows(toText(json));
    ASSERT_TRUE(read);
    ASSERT_EQ(read->size(), 2U);
    EXPECT_EQ((*read)[0].name, "a");
    EXPECT_EQ((*read)[0].realTimeUs, 12.5);
    EXPECT_EQ((*read)[0].noise, 0.02);
    EXPECT_FALSE((*read)[1].noise);
}

TEST(ReadBenchmarkRows, takesTheMedianOfGoogleBenchmarksRepetitionsInAnyUnit) {
    const auto read = readBenchmarkRows(R"({"benchmarks": [
        {"name": "x", "run_type": "iteration", "real_time": 3, "time_unit": "ms"},
        {"name": "x", "run_type": "iteration", "real_time": 1, "time_unit": "ms"},
        {"name": "x", "run_type": "iteration", "real_time": 2, "time_unit": "ms"},
        {"name": "x_mean", "run_type": "aggregate", "real_time": 2, "time_unit": "ms"},
        {"name": "y", "run_type": "iteration", "real_time": 500}]})");
    ASSERT_TRUE(read);
    ASSERT_EQ(read->size(), 2U);
    EXPECT_EQ((*read)[0].realTimeUs, 2000);
    EXPECT_EQ((*read)[1].realTimeUs, 0.5);
}

TEST(ReadBenchmarkRows, refusesWhatIsNoSuchFile) {
    EXPECT_FALSE(readBenchmarkRows(""));
    EXPECT_FALSE(readBenchmarkRows("[]"));
    EXPECT_FALSE(readBenchmarkRows(R"({"benchmarks": 7})"));
    EXPECT_FALSE(readBenchmarkRows(R"({"benchmarks": [{"name": 1, "real_time": "x"}]})"));
}

TEST(CompareRows, findsWhatIsSlowerByMoreThanTwiceTheNoise) {
    const std::vector<BenchmarkRow> before{rowOf("quiet", 100), rowOf("loud", 100, 0.3),
                                           rowOf("fast", 100), rowOf("gone", 1)};
    const std::vector<BenchmarkRow> after{rowOf("quiet", 110), rowOf("loud", 140, 0.1),
                                          rowOf("fast", 80), rowOf("new", 1)};
    const BenchmarkComparison comparison = compareRows(before, after);
    ASSERT_EQ(comparison.rows.size(), 5U);
    EXPECT_EQ(comparison.rows[0].change, Change::SLOWER);
    EXPECT_DOUBLE_EQ(comparison.rows[0].ratio, 1.1);
    EXPECT_EQ(comparison.rows[1].change, Change::SAME);
    EXPECT_EQ(comparison.rows[2].change, Change::FASTER);
    EXPECT_EQ(comparison.rows[3].change, Change::NEW);
    EXPECT_EQ(comparison.rows[4].change, Change::GONE);
    EXPECT_FALSE(comparison.hasPassed());
    EXPECT_TRUE(compareRows(std::span(before).subspan(1), std::span(after).subspan(1)).hasPassed());
    EXPECT_NE(textOf(comparison).find("verdict: 1 of 3 slower, 1 faster"), std::string::npos)
        << textOf(comparison);
}

TEST(CompareRows, saysThatNothingWasMeasuredBothTimes) {
    const BenchmarkComparison comparison = compareRows({}, {});
    EXPECT_FALSE(comparison.hasPassed());
    EXPECT_NE(textOf(comparison).find("nothing was measured both times"), std::string::npos);
}

TEST(NoiseOf, isHalfOfTheRangeOfTheMiddleHalf) {
    EXPECT_FALSE(noiseOf({1, 2, 3}));
    EXPECT_EQ(noiseOf({100, 100, 100, 100, 100, 900}), 0.0);
    EXPECT_EQ(noiseOf({80, 90, 100, 110, 120}), 0.1);
}

}  // namespace
}  // namespace nnburst::tools
