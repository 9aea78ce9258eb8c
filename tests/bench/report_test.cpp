// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "hand_made_results.h"
#include "report_html.h"
#include "report_json.h"
#include "table.h"

namespace nnburst::bench {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::array kGoals{
    Goal{"queue near the limit", "trip/queue", "trip/limit", 3},
    Goal{"queue at the limit", "trip/queue", "trip/limit", 1.5, Statistic::P99},
    Goal{"queue far from the peer", "trip/queue", "trip/peer", 0.1},
};

constexpr std::array kNumberGoals{
    NumberGoal{"queue burns little", "trip/queue", "burnt, %", 5},
    NumberGoal{"queue is fast", "trip/queue", "turns a second", 100, Relation::AT_LEAST},
    NumberGoal{"peer burns little", "trip/peer", "burnt, %", 5},
};

/// Two benchmarks with figures, one that was skipped, one that the host disturbed throughout, and a
/// group of its own. One goal of each kind is met, missed and not measured.
Report makeExample() {
    Results results{.machine = {.date = "2026-01-02 03:04 UTC",
                                .processor = "2 x Abacus <fast>",
                                .kernel = "Linux 1.2",
                                .compiler = "compiled by hand"},
                    .benchmarks = {measured("trip/limit", "the limit", {{200, 400}, {210, 410}}),
                                   measured("trip/queue", "a queue", {{500, 1200}, {520, 1230}}),
                                   skipped("trip/peer", "a peer", "not installed, apt install p"),
                                   measured("trip/moved", "moved by the host", {{1, 2}}),
                                   measured("net/direct", "a network", {{400'000, 500'000}})}};
    results.benchmarks[3].rounds[0].host.pingPongBeforeNs = 5 * kCalmPingPongNs;
    results.benchmarks[0].rounds[0].host.stolenSeconds = 0.25;
    for (Round& round : results.benchmarks[1].rounds) {
        round.numbers = {{"burnt, %", 2.5}, {"turns a second", 50}};
    }
    return makeReport(std::move(results), kGoals, kNumberGoals);
}

TEST(Report, countsGoalsAndRounds) {
    const Report report = makeExample();
    EXPECT_EQ(report.met, 2U);
    EXPECT_EQ(report.missed, 2U);
    EXPECT_EQ(report.notMeasured, 2U);
    EXPECT_EQ(report.rounds, 6U);
    EXPECT_EQ(report.leftOut, 1U);
    EXPECT_EQ(report.pingPongNs, kCalmPingPongNs);
    EXPECT_DOUBLE_EQ(report.seconds, 3);
    EXPECT_DOUBLE_EQ(report.stolenSeconds, 0.25);
}

TEST(Report, saysHowTheHostWas) {
    const std::string text = describeHost(makeExample());
    EXPECT_THAT(text, HasSubstr("1 of 6 rounds are left out"));
    EXPECT_THAT(text, HasSubstr("0.200 us"));
    EXPECT_THAT(text, HasSubstr("0.25 s of 6.00 s of the two processors (4.17 %)"));
    EXPECT_THAT(describeHost(makeReport({}, {})), HasSubstr("0 of 0 rounds"));
}

TEST(BenchmarkTable, comparesWithTheFirstOfEachGroup) {
    EXPECT_EQ(
        benchmarkTable(makeExample()),
        "| | p50, us | p99, us | p99.9, us | p50, ratio | p99, ratio | p99.9, ratio | p50 of "
        "the rounds, us | left out |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|\n"
        "| the limit | 0.200 | 0.400 | 0.800 | 1.00 | 1.00 | 1.00 | 0.200 to 0.210 | 0 |\n"
        "| a queue | 0.500 | 1.200 | 2.400 | 2.50 | 3.00 | 3.00 | 0.500 to 0.520 | 0 |\n"
        "| a peer: not installed, apt install p | | | | | | | | |\n"
        "| moved by the host: no round counts | | | | | | | | 1 |\n"
        "| a network | 400.000 | 500.000 | 1000.000 | 1.00 | 1.00 | 1.00 | 400.000 to 400.000 "
        "| 0 |\n");
}

TEST(BenchmarkTable, comparesWithTheFirstThatHasFigures) {
    const Results results{.benchmarks = {skipped("trip/peer", "a peer", "why"),
                                         measured("trip/queue", "a queue", {{500, 1200}})}};
    EXPECT_THAT(benchmarkTable(makeReport(results, {})),
                HasSubstr("| a queue | 0.500 | 1.200 | 2.400 | 1.00 | 1.00 | 1.00 |"));
}

TEST(GoalTable, hasAVerdictBesideEachFigure) {
    EXPECT_EQ(goalTable(makeExample()),
              "| goal | bound | p50, ratio | p99, ratio | |\n"
              "|---|---:|---:|---:|---|\n"
              "| queue near the limit | p50 <= 3 | 2.5000 | 3.0000 | met |\n"
              "| queue at the limit | p99 <= 1.5 | 2.5000 | 3.0000 | MISS |\n");
}

TEST(NumberTable, hasWhatIsNoDuration) {
    EXPECT_EQ(numberTable(makeExample()),
              "| | number | median of the rounds | rounds |\n"
              "|---|---|---:|---:|\n"
              "| a queue | burnt, % | 2.5 | 2.5 to 2.5 |\n"
              "| a queue | turns a second | 50 | 50 to 50 |\n");
}

TEST(NumberGoalTable, hasAVerdictBesideEachNumber) {
    EXPECT_EQ(numberGoalTable(makeExample()),
              "| goal | bound | number | |\n"
              "|---|---:|---:|---|\n"
              "| queue burns little | <= 5 | 2.5 | met |\n"
              "| queue is fast | >= 100 | 50 | MISS |\n");
}

TEST(ReportJson, hasEverything) {
    const nlohmann::json json = nlohmann::json::parse(toJson(makeExample()));
    EXPECT_EQ(json["machine"]["processor"], "2 x Abacus <fast>");
    EXPECT_EQ(json["host"]["leftOut"], 1);
    EXPECT_EQ(json["host"]["pingPongNs"], kCalmPingPongNs);
    EXPECT_EQ(json["met"], 2);
    EXPECT_EQ(json["missed"], 2);

    ASSERT_EQ(json["benchmarks"].size(), 5U);
    const nlohmann::json& queue = json["benchmarks"][1];
    EXPECT_EQ(queue["name"], "trip/queue");
    EXPECT_EQ(queue["p50Ns"], 500);
    EXPECT_EQ(queue["p99Ns"], 1200);
    EXPECT_EQ(queue["p99.9Ns"], 2400);
    EXPECT_EQ(queue["numbers"]["burnt, %"]["median"], 2.5);
    EXPECT_EQ(queue["rounds"][0]["numbers"]["turns a second"], 50);
    EXPECT_TRUE(queue["skipped"].is_null());
    EXPECT_EQ(queue["real_time"], 500);
    EXPECT_EQ(queue["time_unit"], "ns");
    EXPECT_EQ(json["benchmarks"][2]["run_type"], "aggregate");
    ASSERT_EQ(queue["rounds"].size(), 2U);
    EXPECT_EQ(queue["rounds"][1]["p50Ns"], 520);
    EXPECT_EQ(queue["rounds"][1]["isLeftOut"], false);
    EXPECT_EQ(json["benchmarks"][2]["skipped"], "not installed, apt install p");
    EXPECT_TRUE(json["benchmarks"][2]["p50Ns"].is_null());
    EXPECT_EQ(json["benchmarks"][3]["rounds"][0]["isLeftOut"], true);
    EXPECT_TRUE(json["benchmarks"][3]["p50Ns"].is_null());

    ASSERT_EQ(json["goals"].size(), 3U);
    EXPECT_EQ(json["goals"][0]["verdict"], "met");
    EXPECT_EQ(json["goals"][0]["p50Ratio"], 2.5);
    EXPECT_EQ(json["goals"][1]["verdict"], "missed");
    EXPECT_EQ(json["goals"][1]["statistic"], "p99");
    EXPECT_EQ(json["goals"][2]["verdict"], "notMeasured");
    EXPECT_TRUE(json["goals"][2]["p50Ratio"].is_null());

    ASSERT_EQ(json["numberGoals"].size(), 3U);
    EXPECT_EQ(json["numberGoals"][0]["verdict"], "met");
    EXPECT_EQ(json["numberGoals"][0]["value"], 2.5);
    EXPECT_EQ(json["numberGoals"][1]["relation"], "atLeast");
    EXPECT_TRUE(json["numberGoals"][2]["value"].is_null());
}

TEST(ReportHtml, isOnePageThatNeedsNothingElse) {
    const std::string html = toHtml(makeExample());
    EXPECT_EQ(html.rfind("<!DOCTYPE html>", 0), 0U);
    EXPECT_THAT(html, HasSubstr("2 met, 2 missed"));
    EXPECT_THAT(html, HasSubstr("2 x Abacus &lt;fast&gt;"));
    EXPECT_THAT(html, HasSubstr("<td class=\"good\" data-head=\"verdict\">met</td>"));
    EXPECT_THAT(html, HasSubstr("<td class=\"bad\" data-head=\"verdict\">MISS</td>"));
    EXPECT_THAT(html, HasSubstr("not measured: no figures of trip/peer"));
    EXPECT_THAT(html, HasSubstr("<h2>trip</h2>"));
    EXPECT_THAT(html, HasSubstr("<h2>net</h2>"));
    EXPECT_THAT(html, HasSubstr(">turns a second</td><td data-head=\"median\">50</td>"));
    EXPECT_THAT(html, HasSubstr("<svg"));
    EXPECT_THAT(html, HasSubstr("not installed, apt install p"));
    for (const char* elsewhere : {"http", "src=", "@import", "url(", "nan"}) {
        EXPECT_THAT(html, Not(HasSubstr(elsewhere)));
    }
}

TEST(Goal, saysWhatItNeedsOfTheMachine) {
    EXPECT_EQ(nameOf(Goal{"a network", "mobilenetFloat32/burst", "x/y", 1}), "a network");
    EXPECT_THAT(nameOf(Goal{"a network", "mobilenetQuant8/burst", "x/y", 1}),
                HasSubstr("a network (needs a processor with dot-product instructions"));
    EXPECT_EQ(nameOf(Goal{"ours", "onnxV2Float32Threads2/burst", "x/y", 1}), "ours");
    EXPECT_THAT(nameOf(Goal{"ours", "onnxV2SignedThreads2/burst", "x/y", 1}),
                HasSubstr("ours (needs a processor with dot-product instructions"));
    EXPECT_THAT(nameOf(NumberGoal{"many", "throughput/4", "n", 1}), HasSubstr("(depends on "));
}

TEST(ReportHtml, showsARunWithoutResults) {
    EXPECT_THAT(toHtml(makeReport({}, kGoals)), HasSubstr("0 met, 0 missed"));
}

}  // namespace
}  // namespace nnburst::bench
