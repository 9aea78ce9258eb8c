// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "table.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "measure.h"

namespace nnburst::bench {

bool TableReporter::ReportContext(const Context& /*context*/) {
    return true;
}

void TableReporter::ReportRuns(const std::vector<Run>& runs) {
    for (const Run& run : runs) {
        if (run.error_occurred) {
            fmt::print(stderr, "{}: {}\n", run.benchmark_name(), run.error_message);
            hasFailed_ = true;
        } else if (run.run_type == Run::RT_Iteration) {
            const std::string name = run.run_name.function_name;
            Row& row = rows_[run.family_index];
            row.group = name.substr(0, name.find('/'));
            row.label = run.report_label;
            row.mediansNs.push_back(run.counters.at(kMedianCounter));
            row.tailsNs.push_back(run.counters.at(kTailCounter));
        }
    }
}

void TableReporter::Finalize() {
    fmt::print("| | p50, us | p99, us | p50, ratio | p99, ratio | p50 of the rounds, us |\n");
    fmt::print("|---|---:|---:|---:|---:|---:|\n");
    std::string group;
    double baseMedianNs = 0;
    double baseTailNs = 0;
    for (auto& [index, row] : rows_) {
        const double medianNs = percentile(row.mediansNs, 0.5);
        const double tailNs = percentile(row.tailsNs, 0.5);
        if (row.group != group) {
            group = row.group;
            baseMedianNs = medianNs;
            baseTailNs = tailNs;
        }
        const auto [least, most] = std::minmax_element(row.mediansNs.begin(), row.mediansNs.end());
        fmt::print("| {} | {:.3f} | {:.3f} | {:.2f} | {:.2f} | {:.3f} to {:.3f} |\n", row.label,
                   medianNs / 1e3, tailNs / 1e3, medianNs / baseMedianNs, tailNs / baseTailNs,
                   *least / 1e3, *most / 1e3);
    }
}

}  // namespace nnburst::bench
