// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <fmt/core.h>

#include <utility>

namespace nnburst::bench {
namespace {

std::string verdictText(Verdict verdict, const std::string& missing) {
    switch (verdict) {
        case Verdict::MET:
            return "met";
        case Verdict::MISSED:
            return "MISS";
        case Verdict::NOT_MEASURED:
            break;
    }
    return fmt::format("not measured: no figures of {}", missing);
}

std::string nameWith(const char* name, const char* dependence) {
    return dependence == nullptr ? name : fmt::format("{} ({})", name, dependence);
}

}  // namespace

Report makeReport(Results results, std::span<const Goal> goals,
                  std::span<const NumberGoal> numberGoals) {
    Report report{.results = std::move(results)};
    report.pingPongNs = medianPingPongNs(report.results);
    report.goals = judge(goals, report.results);
    report.numberGoals = judge(numberGoals, report.results);
    for (const BenchmarkResult& result : report.results.benchmarks) {
        const Summary& summary =
            report.summaries.emplace_back(summarise(result, report.pingPongNs));
        report.rounds += result.rounds.size();
        report.leftOut += summary.leftOut;
        for (const Round& round : result.rounds) {
            report.seconds += round.host.seconds;
            report.stolenSeconds += round.host.stolenSeconds;
        }
    }
    const auto count = [&](Verdict verdict) {
        report.met += verdict == Verdict::MET ? 1 : 0;
        report.missed += verdict == Verdict::MISSED ? 1 : 0;
        report.notMeasured += verdict == Verdict::NOT_MEASURED ? 1 : 0;
    };
    for (const GoalOutcome& outcome : report.goals) {
        count(outcome.verdict);
    }
    for (const NumberOutcome& outcome : report.numberGoals) {
        count(outcome.verdict);
    }
    return report;
}

std::string groupOf(const BenchmarkResult& result) {
    return result.name.substr(0, result.name.find('/'));
}

std::string verdictOf(const GoalOutcome& outcome) {
    return verdictText(outcome.verdict, outcome.missing);
}

std::string verdictOf(const NumberOutcome& outcome) {
    return verdictText(outcome.verdict, outcome.missing);
}

std::string boundOf(const Goal& goal) {
    return fmt::format("{} <= {}", goal.statistic == Statistic::P50 ? "p50" : "p99", goal.bound);
}

std::string boundOf(const NumberGoal& goal) {
    return fmt::format("{} {}", goal.relation == Relation::AT_MOST ? "<=" : ">=", goal.bound);
}

std::string nameOf(const Goal& goal) {
    return nameWith(goal.name, machineDependence(goal.numerator));
}

std::string nameOf(const NumberGoal& goal) {
    return nameWith(goal.name, machineDependence(goal.benchmark));
}

std::string describeHost(const Report& report) {
    constexpr double kProcessors = 2;  // the client's and the driver's
    const double processorSeconds = kProcessors * report.seconds;
    return fmt::format(
        "{} of {} rounds are left out: the host moved or took the processors (a word's ping-pong "
        "before or after was more than a factor {} from the median of the run, {:.3f} us). In all "
        "rounds together the host stole {:.2f} s of {:.2f} s of the two processors ({:.2f} %).",
        report.leftOut, report.rounds, kPingPongTolerance, report.pingPongNs / 1e3,
        report.stolenSeconds, processorSeconds,
        processorSeconds > 0 ? 100 * report.stolenSeconds / processorSeconds : 0.0);
}

}  // namespace nnburst::bench
