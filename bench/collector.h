// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Collects the results of Google Benchmark.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>

#include "results.h"

namespace nnburst::bench {

/// Collects the rounds of all benchmarks. Prints nothing but errors.
class ResultCollector final : public benchmark::BenchmarkReporter {
  public:
    bool ReportContext(const Context& context) override;
    void ReportRuns(const std::vector<Run>& runs) override;

    /// All that was reported, in the order of registration.
    [[nodiscard]] Results results() const;

    /// Whether a benchmark ended with an error. A skipped one did not.
    [[nodiscard]] bool hasFailed() const noexcept { return hasFailed_; }

  private:
    std::map<std::int64_t, BenchmarkResult> benchmarks_;  ///< by the order of registration
    bool hasFailed_ = false;
};

}  // namespace nnburst::bench
