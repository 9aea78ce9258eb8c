// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "table.h"

#include <fmt/core.h>

#include <optional>

namespace nnburst::bench {

std::string benchmarkTable(const Report& report) {
    std::string text =
        "| | p50, us | p99, us | p99.9, us | p50, ratio | p99, ratio | p99.9, ratio | p50 of the "
        "rounds, us | left out |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|\n";
    std::string group;
    std::optional<Figures> base;
    for (std::size_t i = 0; i < report.summaries.size(); ++i) {
        const BenchmarkResult& result = report.results.benchmarks[i];
        const Summary& summary = report.summaries[i];
        if (groupOf(result) != group) {
            group = groupOf(result);
            base.reset();
        }
        if (!base) {
            base = summary.figures;
        }
        if (!result.skipped.empty()) {
            text += fmt::format("| {}: {} | | | | | | | | |\n", result.label, result.skipped);
        } else if (!summary.figures) {
            text += fmt::format("| {}: no round counts | | | | | | | | {} |\n", result.label,
                                summary.leftOut);
        } else {
            const Figures& figures = *summary.figures;
            text += fmt::format(
                "| {} | {:.3f} | {:.3f} | {:.3f} | {:.2f} | {:.2f} | {:.2f} | {:.3f} to {:.3f} | "
                "{} |\n",
                result.label, figures.medianNs / 1e3, figures.tailNs / 1e3, figures.farTailNs / 1e3,
                figures.medianNs / base->medianNs, figures.tailNs / base->tailNs,
                figures.farTailNs / base->farTailNs, figures.leastNs / 1e3, figures.mostNs / 1e3,
                summary.leftOut);
        }
    }
    return text;
}

std::string numberTable(const Report& report) {
    std::string text =
        "| | number | median of the rounds | rounds |\n"
        "|---|---|---:|---:|\n";
    for (std::size_t i = 0; i < report.summaries.size(); ++i) {
        for (const auto& [name, figures] : report.summaries[i].numbers) {
            text += fmt::format("| {} | {} | {:.4g} | {:.4g} to {:.4g} |\n",
                                report.results.benchmarks[i].label, name, figures.median,
                                figures.least, figures.most);
        }
    }
    return text;
}

std::string goalTable(const Report& report) {
    std::string text =
        "| goal | bound | p50, ratio | p99, ratio | |\n"
        "|---|---:|---:|---:|---|\n";
    for (const GoalOutcome& outcome : report.goals) {
        if (outcome.verdict != Verdict::NOT_MEASURED) {
            text += fmt::format("| {} | {} | {:.4f} | {:.4f} | {} |\n", nameOf(outcome.goal),
                                boundOf(outcome.goal), outcome.medianRatio, outcome.tailRatio,
                                verdictOf(outcome));
        }
    }
    return text;
}

std::string numberGoalTable(const Report& report) {
    std::string text =
        "| goal | bound | number | |\n"
        "|---|---:|---:|---|\n";
    for (const NumberOutcome& outcome : report.numberGoals) {
        if (outcome.verdict != Verdict::NOT_MEASURED) {
            text += fmt::format("| {} | {} | {:.4g} | {} |\n", nameOf(outcome.goal),
                                boundOf(outcome.goal), outcome.number, verdictOf(outcome));
        }
    }
    return text;
}

}  // namespace nnburst::bench
