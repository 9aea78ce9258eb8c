// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "collector.h"

#include <fmt/core.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "round_counters.h"
#include "skip.h"

namespace nnburst::bench {

namespace {

/// The message of a run that ended with an error; null if there was none. Google Benchmark has two
/// forms of it: that of 1.7 (Debian 12), and that of 1.8 and later.
template <class AnyRun>
const std::string* errorOf(const AnyRun& run) {
    if constexpr (requires { run.error_occurred; }) {
        return run.error_occurred ? &run.error_message : nullptr;
    } else {
        return static_cast<int>(run.skipped) != 0 ? &run.skip_message : nullptr;
    }
}

}  // namespace

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
        const std::string* const error = errorOf(run);
        if (error == nullptr) {
            benchmark.rounds.push_back(roundOf(run.counters));
        } else if (error->rfind(kSkippedMark, 0) == 0) {
            benchmark.skipped = error->substr(std::strlen(kSkippedMark));
        } else {
            fmt::print(stderr, "{}: {}\n", benchmark.name, *error);
            benchmark.skipped = "failed: " + *error;
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
