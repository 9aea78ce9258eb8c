// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "goals.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "hand_made_results.h"

namespace nnburst::bench {
namespace {

/// The numerator's p50 is 3 times the denominator's, its p99 5 times.
Results threeAndFive() {
    return {.benchmarks = {measured("g/numerator", "numerator", {{300, 1000}}),
                           measured("g/denominator", "denominator", {{100, 200}}),
                           skipped("g/skipped", "skipped", "not installed")}};
}

GoalOutcome judgeOne(const Goal& goal, const Results& results) {
    return judge(std::array{goal}, results).at(0);
}

TEST(Goals, areMetUpToTheirBound) {
    for (const double bound : {3.0, 3.5}) {
        const GoalOutcome outcome =
            judgeOne({"goal", "g/numerator", "g/denominator", bound}, threeAndFive());
        EXPECT_EQ(outcome.verdict, Verdict::MET) << bound;
        EXPECT_DOUBLE_EQ(outcome.medianRatio, 3);
        EXPECT_DOUBLE_EQ(outcome.tailRatio, 5);
        EXPECT_EQ(outcome.missing, "");
    }
    EXPECT_EQ(judgeOne({"goal", "g/numerator", "g/denominator", 2.9}, threeAndFive()).verdict,
              Verdict::MISSED);
}

TEST(Goals, speakOfTheirStatistic) {
    Goal goal{"goal", "g/numerator", "g/denominator", 4, Statistic::P99};
    EXPECT_EQ(judgeOne(goal, threeAndFive()).verdict, Verdict::MISSED);
    goal.statistic = Statistic::P50;
    EXPECT_EQ(judgeOne(goal, threeAndFive()).verdict, Verdict::MET);
}

TEST(Goals, nameTheBenchmarkThatIsMissing) {
    const GoalOutcome unknown = judgeOne({"goal", "g/numerator", "g/unknown", 1}, threeAndFive());
    EXPECT_EQ(unknown.verdict, Verdict::NOT_MEASURED);
    EXPECT_EQ(unknown.missing, "g/unknown");
    EXPECT_EQ(unknown.medianRatio, 0);

    const GoalOutcome skippedPeer =
        judgeOne({"goal", "g/skipped", "g/denominator", 1}, threeAndFive());
    EXPECT_EQ(skippedPeer.verdict, Verdict::NOT_MEASURED);
    EXPECT_EQ(skippedPeer.missing, "g/skipped");
}

TEST(Goals, doNotCountDisturbedRounds) {
    Results results = threeAndFive();
    results.benchmarks[0].rounds.push_back({.medianNs = 1, .tailNs = 1, .host = calmHost()});
    results.benchmarks[0].rounds[1].host.pingPongAfterNs = 10 * kCalmPingPongNs;
    EXPECT_DOUBLE_EQ(judgeOne({"goal", "g/numerator", "g/denominator", 3}, results).medianRatio, 3);
}

TEST(Goals, comeOutInTheirOrder) {
    const std::array goals{Goal{"first", "g/unknown", "g/denominator", 1},
                           Goal{"second", "g/numerator", "g/denominator", 9}};
    const std::vector<GoalOutcome> outcomes = judge(goals, threeAndFive());
    ASSERT_EQ(outcomes.size(), 2U);
    EXPECT_STREQ(outcomes[0].goal.name, "first");
    EXPECT_STREQ(outcomes[1].goal.name, "second");
}

TEST(Goals, takeOffWhatIsLess) {
    Results results = threeAndFive();
    results.benchmarks.push_back(measured("g/part", "part", {{250, 900}}));
    Goal goal{"goal", "g/numerator", "g/denominator", 0.5, Statistic::P50, "g/part"};
    const GoalOutcome outcome = judgeOne(goal, results);
    EXPECT_DOUBLE_EQ(outcome.medianRatio, 0.5);
    EXPECT_DOUBLE_EQ(outcome.tailRatio, 0.5);
    EXPECT_EQ(outcome.verdict, Verdict::MET);

    goal.less = "g/unknown";
    EXPECT_EQ(judgeOne(goal, results).missing, "g/unknown");
}

/// The first has 6 apples, the second 2.
Results apples() {
    Results results = threeAndFive();
    results.benchmarks[0].rounds[0].numbers["apples"] = 6;
    results.benchmarks[1].rounds[0].numbers["apples"] = 2;
    return results;
}

NumberOutcome judgeNumber(const NumberGoal& goal, const Results& results) {
    return judge(std::array{goal}, results).at(0);
}

TEST(NumberGoals, areMetUpToTheirBound) {
    NumberGoal goal{"goal", "g/numerator", "apples", 6};
    EXPECT_EQ(judgeNumber(goal, apples()).verdict, Verdict::MET);
    EXPECT_DOUBLE_EQ(judgeNumber(goal, apples()).number, 6);
    goal.bound = 5;
    EXPECT_EQ(judgeNumber(goal, apples()).verdict, Verdict::MISSED);
    goal.relation = Relation::AT_LEAST;
    EXPECT_EQ(judgeNumber(goal, apples()).verdict, Verdict::MET);
    goal.bound = 7;
    EXPECT_EQ(judgeNumber(goal, apples()).verdict, Verdict::MISSED);
}

TEST(NumberGoals, mayBeRatios) {
    const NumberOutcome outcome = judgeNumber(
        {"goal", "g/numerator", "apples", 3, Relation::AT_MOST, "g/denominator"}, apples());
    EXPECT_DOUBLE_EQ(outcome.number, 3);
    EXPECT_EQ(outcome.verdict, Verdict::MET);
}

TEST(NumberGoals, nameTheBenchmarkThatIsMissing) {
    for (const char* name : {"g/unknown", "g/skipped"}) {
        const NumberOutcome outcome = judgeNumber({"goal", name, "apples", 3}, apples());
        EXPECT_EQ(outcome.verdict, Verdict::NOT_MEASURED);
        EXPECT_EQ(outcome.missing, name);
        EXPECT_EQ(
            judgeNumber({"goal", "g/numerator", "apples", 3, Relation::AT_MOST, name}, apples())
                .missing,
            name);
    }
    EXPECT_EQ(judgeNumber({"goal", "g/numerator", "pears", 3}, apples()).missing, "g/numerator");
}

TEST(ProjectGoals, haveNamesOfTheirOwnAndBounds) {
    std::set<std::string> names;
    for (const Goal& goal : projectGoals()) {
        EXPECT_TRUE(names.insert(goal.name).second) << goal.name;
        EXPECT_GT(goal.bound, 0) << goal.name;
        EXPECT_NE(std::string(goal.numerator).find('/'), std::string::npos) << goal.name;
        EXPECT_NE(std::string(goal.denominator).find('/'), std::string::npos) << goal.name;
        EXPECT_STRNE(goal.numerator, goal.denominator) << goal.name;
    }
    for (const NumberGoal& goal : projectNumberGoals()) {
        EXPECT_TRUE(names.insert(goal.name).second) << goal.name;
        EXPECT_GE(goal.bound, 0) << goal.name;
        EXPECT_NE(std::string(goal.benchmark).find('/'), std::string::npos) << goal.name;
    }
    EXPECT_FALSE(names.empty());
}

}  // namespace
}  // namespace nnburst::bench
