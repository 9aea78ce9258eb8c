// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "goals.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "summary.h"

namespace nnburst::bench {
namespace {

constexpr std::array kGoals{
    Goal{"plain execution with 2 operands, empty model, spinning / 56-byte mailbox ping-pong",
         "roundTrip/burst", "roundTrip/cacheLineMailbox", 3},
    Goal{"empty execution, adaptive / gRPC over a Unix socket", "roundTrip/burst", "roundTrip/grpc",
         0.01},
    Goal{"MobileNet float32 through a burst / direct XNNPACK calls", "mobilenetFloat32/burst",
         "mobilenetFloat32/direct", 1.02},
    Goal{"MobileNet quant8 through a burst / direct XNNPACK calls", "mobilenetQuant8/burst",
         "mobilenetQuant8/direct", 1.02},
};

/// The figures of the benchmark `name`, if it was measured.
std::optional<Figures> figuresOf(const Results& results, std::string_view name) {
    const auto found =
        std::find_if(results.benchmarks.begin(), results.benchmarks.end(),
                     [&](const BenchmarkResult& result) { return result.name == name; });
    if (found == results.benchmarks.end()) {
        return std::nullopt;
    }
    return summarise(*found, medianPingPongNs(results)).figures;
}

}  // namespace

std::span<const Goal> projectGoals() noexcept {
    return kGoals;
}

std::vector<GoalOutcome> judge(std::span<const Goal> goals, const Results& results) {
    std::vector<GoalOutcome> outcomes;
    for (const Goal& goal : goals) {
        GoalOutcome& outcome = outcomes.emplace_back(GoalOutcome{.goal = goal});
        const std::optional<Figures> numerator = figuresOf(results, goal.numerator);
        const std::optional<Figures> denominator = figuresOf(results, goal.denominator);
        if (!numerator || !denominator) {
            outcome.missing = numerator ? goal.denominator : goal.numerator;
            continue;
        }
        outcome.medianRatio = numerator->medianNs / denominator->medianNs;
        outcome.tailRatio = numerator->tailNs / denominator->tailNs;
        const double ratio =
            goal.statistic == Statistic::P50 ? outcome.medianRatio : outcome.tailRatio;
        outcome.verdict = ratio <= goal.bound ? Verdict::MET : Verdict::MISSED;
    }
    return outcomes;
}

}  // namespace nnburst::bench
