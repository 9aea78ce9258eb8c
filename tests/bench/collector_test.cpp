// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "collector.h"

#include <gtest/gtest.h>

#include <string>

#include "hand_made_results.h"
#include "round_counters.h"
#include "skip.h"

namespace nnburst::bench {
namespace {

using BenchmarkRun = benchmark::BenchmarkReporter::Run;

BenchmarkRun makeRun(std::int64_t index, const std::string& name) {
    BenchmarkRun run;
    run.run_name.function_name = name;
    run.report_label = "label of " + name;
    run.family_index = index;
    return run;
}

BenchmarkRun makeRound(std::int64_t index, const std::string& name, const Round& round) {
    BenchmarkRun run = makeRun(index, name);
    setCounters(run.counters, round);
    return run;
}

/// As collector.cpp reads it, in the form of the installed Google Benchmark.
template <class AnyRun>
void setError(AnyRun& run, const std::string& message) {
    if constexpr (requires { run.error_occurred; }) {
        run.error_occurred = true;
        run.error_message = message;
    } else {
        run.skipped = static_cast<decltype(run.skipped)>(2);  // SkippedWithError
        run.skip_message = message;
    }
}

BenchmarkRun makeError(std::int64_t index, const std::string& name, const std::string& message) {
    BenchmarkRun run = makeRun(index, name);
    setError(run, message);
    return run;
}

TEST(RoundCounters, bringARoundUnchanged) {
    const Round round{.medianNs = 1,
                      .tailNs = 2,
                      .farTailNs = 8,
                      .host = {.startSeconds = 3,
                               .seconds = 4,
                               .pingPongBeforeNs = 5,
                               .pingPongAfterNs = 6,
                               .stolenSeconds = 7},
                      .numbers = {{"burnt, %", 9}, {"calls", 10}}};
    benchmark::UserCounters counters;
    setCounters(counters, round);
    const Round same = roundOf(counters);
    EXPECT_EQ(same.medianNs, 1);
    EXPECT_EQ(same.tailNs, 2);
    EXPECT_EQ(same.host.startSeconds, 3);
    EXPECT_EQ(same.host.seconds, 4);
    EXPECT_EQ(same.host.pingPongBeforeNs, 5);
    EXPECT_EQ(same.host.pingPongAfterNs, 6);
    EXPECT_EQ(same.host.stolenSeconds, 7);
    EXPECT_EQ(same.farTailNs, 8);
    EXPECT_EQ(same.numbers, round.numbers);
}

TEST(ResultCollector, keepsRoundsInTheOrderOfRegistration) {
    ResultCollector collector;
    collector.ReportRuns({makeRound(1, "g/second", {.medianNs = 20})});
    collector.ReportRuns(
        {makeRound(0, "g/first", {.medianNs = 10}), makeRound(0, "g/first", {.medianNs = 11})});
    const Results results = collector.results();
    ASSERT_EQ(results.benchmarks.size(), 2U);
    EXPECT_EQ(results.benchmarks[0].name, "g/first");
    EXPECT_EQ(results.benchmarks[0].label, "label of g/first");
    ASSERT_EQ(results.benchmarks[0].rounds.size(), 2U);
    EXPECT_EQ(results.benchmarks[0].rounds[1].medianNs, 11);
    EXPECT_EQ(results.benchmarks[1].name, "g/second");
    EXPECT_FALSE(collector.hasFailed());
}

TEST(ResultCollector, ignoresAggregates) {
    ResultCollector collector;
    BenchmarkRun mean = makeRun(0, "g/first");
    mean.run_type = BenchmarkRun::RT_Aggregate;
    collector.ReportRuns({makeRound(0, "g/first", {}), mean});
    EXPECT_EQ(collector.results().benchmarks.at(0).rounds.size(), 1U);
}

TEST(ResultCollector, tellsSkippedFromFailed) {
    ResultCollector collector;
    collector.ReportRuns({makeError(0, "g/peer", std::string(kSkippedMark) + "not installed")});
    EXPECT_EQ(collector.results().benchmarks.at(0).skipped, "not installed");
    EXPECT_FALSE(collector.hasFailed());

    testing::internal::CaptureStderr();
    collector.ReportRuns({makeError(1, "g/broken", "socketpair failed")});
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "g/broken: socketpair failed\n");
    EXPECT_EQ(collector.results().benchmarks.at(1).skipped, "failed: socketpair failed");
    EXPECT_TRUE(collector.hasFailed());
}

}  // namespace
}  // namespace nnburst::bench
