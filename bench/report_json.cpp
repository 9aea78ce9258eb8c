// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "report_json.h"

#include "report/json.h"

namespace nnburst::bench {
namespace {

using tools::Json;

Json roundsOf(const BenchmarkResult& result, double pingPongNs) {
    Json rounds = Json::array();
    for (const Round& round : result.rounds) {
        rounds.push_back({{"p50Ns", round.medianNs},
                          {"p99Ns", round.tailNs},
                          {"p99.9Ns", round.farTailNs},
                          {"numbers", round.numbers},
                          {"startSeconds", round.host.startSeconds},
                          {"seconds", round.host.seconds},
                          {"pingPongBeforeNs", round.host.pingPongBeforeNs},
                          {"pingPongAfterNs", round.host.pingPongAfterNs},
                          {"stolenSeconds", round.host.stolenSeconds},
                          {"isLeftOut", isDisturbed(round.host, pingPongNs)}});
    }
    return rounds;
}

/// What Google Benchmark's compare.py reads of a row. One without figures is an aggregate without
/// times, which compare.py leaves out.
Json comparableMembers(const BenchmarkResult& result, const Summary& summary) {
    if (!summary.figures) {
        return {{"run_type", "aggregate"}};
    }
    return {{"run_name", result.name},
            {"run_type", "iteration"},
            {"iterations", summary.counted},
            {"real_time", summary.figures->medianNs},
            {"cpu_time", 0.0},  // is not measured
            {"time_unit", "ns"}};
}

Json toJson(const BenchmarkResult& result, const Summary& summary, double pingPongNs) {
    Json json{{"name", result.name},
              {"label", result.label},
              {"skipped", result.skipped.empty() ? Json() : Json(result.skipped)},
              {"p50Ns", nullptr},
              {"p99Ns", nullptr},
              {"p99.9Ns", nullptr},
              {"leastNs", nullptr},
              {"mostNs", nullptr},
              {"counted", summary.counted},
              {"leftOut", summary.leftOut},
              {"numbers", Json::object()},
              {"rounds", roundsOf(result, pingPongNs)}};
    json.update(comparableMembers(result, summary));
    if (summary.figures) {
        json["p50Ns"] = summary.figures->medianNs;
        json["p99Ns"] = summary.figures->tailNs;
        json["p99.9Ns"] = summary.figures->farTailNs;
        json["leastNs"] = summary.figures->leastNs;
        json["mostNs"] = summary.figures->mostNs;
    }
    for (const auto& [name, figures] : summary.numbers) {
        json["numbers"][name] = {
            {"median", figures.median}, {"least", figures.least}, {"most", figures.most}};
    }
    return json;
}

const char* nameOf(Verdict verdict) {
    switch (verdict) {
        case Verdict::MET:
            return "met";
        case Verdict::MISSED:
            return "missed";
        case Verdict::NOT_MEASURED:
            break;
    }
    return "notMeasured";
}

Json toJson(const GoalOutcome& outcome) {
    const bool isMeasured = outcome.verdict != Verdict::NOT_MEASURED;
    return {{"name", outcome.goal.name},
            {"numerator", outcome.goal.numerator},
            {"less", outcome.goal.less != nullptr ? Json(outcome.goal.less) : Json()},
            {"denominator", outcome.goal.denominator},
            {"statistic", outcome.goal.statistic == Statistic::P50 ? "p50" : "p99"},
            {"bound", outcome.goal.bound},
            {"p50Ratio", isMeasured ? Json(outcome.medianRatio) : Json()},
            {"p99Ratio", isMeasured ? Json(outcome.tailRatio) : Json()},
            {"verdict", nameOf(outcome.verdict)}};
}

Json toJson(const NumberOutcome& outcome) {
    const NumberGoal& goal = outcome.goal;
    return {{"name", goal.name},
            {"benchmark", goal.benchmark},
            {"number", goal.number},
            {"denominator", goal.denominator != nullptr ? Json(goal.denominator) : Json()},
            {"relation", goal.relation == Relation::AT_MOST ? "atMost" : "atLeast"},
            {"bound", goal.bound},
            {"value", outcome.verdict != Verdict::NOT_MEASURED ? Json(outcome.number) : Json()},
            {"verdict", nameOf(outcome.verdict)}};
}

}  // namespace

std::string toJson(const Report& report) {
    const Machine& machine = report.results.machine;
    Json json{{"machine",
               {{"date", machine.date},
                {"processor", machine.processor},
                {"kernel", machine.kernel},
                {"compiler", machine.compiler}}},
              {"host",
               {{"pingPongNs", report.pingPongNs},
                {"rounds", report.rounds},
                {"leftOut", report.leftOut},
                {"seconds", report.seconds},
                {"stolenSeconds", report.stolenSeconds}}},
              {"benchmarks", Json::array()},
              {"goals", Json::array()},
              {"numberGoals", Json::array()},
              {"met", report.met},
              {"missed", report.missed}};
    for (std::size_t i = 0; i < report.summaries.size(); ++i) {
        json["benchmarks"].push_back(
            toJson(report.results.benchmarks[i], report.summaries[i], report.pingPongNs));
    }
    for (const GoalOutcome& outcome : report.goals) {
        json["goals"].push_back(toJson(outcome));
    }
    for (const NumberOutcome& outcome : report.numberGoals) {
        json["numberGoals"].push_back(toJson(outcome));
    }
    return tools::toText(json);
}

}  // namespace nnburst::bench
