// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The report of nnburst-bench: one Markdown table of all rows, with ratios.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nnburst::bench {

/// Collects the rounds of each benchmark and prints the table at the end: the medians, over the
/// rounds, of the rounds' p50 and p99, and what they are relative to the first row of the group.
class TableReporter final : public benchmark::BenchmarkReporter {
  public:
    bool ReportContext(const Context& context) override;
    void ReportRuns(const std::vector<Run>& runs) override;
    void Finalize() override;

    /// Whether a benchmark ended with an error.
    [[nodiscard]] bool hasFailed() const noexcept { return hasFailed_; }

  private:
    struct Row {
        std::string group;
        std::string label;
        std::vector<double> mediansNs;  ///< p50 of each round
        std::vector<double> tailsNs;    ///< p99 of each round
    };

    std::map<std::int64_t, Row> rows_;  ///< in the order of registration
    bool hasFailed_ = false;
};

}  // namespace nnburst::bench
