// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "collector.h"

#include <fmt/core.h>

#include <cstdio>
#include <cstring>

#include "round_counters.h"
#include "skip.h"

namespace nnburst::bench {

bool ResultCollector::ReportContext(const Context& /*context*/) {
    return true;
}

void ResultCollector::ReportRuns(const std::vector<Run>& runs) {
    for (const Run& run : runs) {
        if (run.run_type != Run::RT_Iteration) {
            continue;
        }
        BenchmarkResult& benchmark = benchmarks_[run.family_index];
        benchmark.name = run.run_name.function_name;
        benchmark.label = run.report_label;
        if (!run.error_occurred) {
            benchmark.rounds.push_back(roundOf(run.counters));
        } else if (run.error_message.rfind(kSkippedMark, 0) == 0) {
            benchmark.skipped = run.error_message.substr(std::strlen(kSkippedMark));
        } else {
            fmt::print(stderr, "{}: {}\n", benchmark.name, run.error_message);
            benchmark.skipped = "failed: " + run.error_message;
            hasFailed_ = true;
        }
    }
}

Results ResultCollector::results() const {
    Results results;
    for (const auto& [index, benchmark] : benchmarks_) {
        results.benchmarks.push_back(benchmark);
    }
    return results;
}

}  // namespace nnburst::bench
