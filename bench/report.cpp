// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <fmt/core.h>

#include <utility>

namespace nnburst::bench {

Report makeReport(Results results, std::span<const Goal> goals) {
    Report report{.results = std::move(results)};
    report.pingPongNs = medianPingPongNs(report.results);
    report.goals = judge(goals, report.results);
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
    for (const GoalOutcome& outcome : report.goals) {
        report.met += outcome.verdict == Verdict::MET ? 1 : 0;
        report.missed += outcome.verdict == Verdict::MISSED ? 1 : 0;
    }
    return report;
}

std::string groupOf(const BenchmarkResult& result) {
    return result.name.substr(0, result.name.find('/'));
}

std::string verdictOf(const GoalOutcome& outcome) {
    switch (outcome.verdict) {
        case Verdict::MET:
            return "met";
        case Verdict::MISSED:
            return "MISS";
        case Verdict::NOT_MEASURED:
            break;
    }
    return fmt::format("not measured: no figures of {}", outcome.missing);
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
