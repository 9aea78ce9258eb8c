// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A run and what is to be said of it. The writers (table, JSON, HTML) show it and add nothing.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "goals.h"
#include "results.h"
#include "summary.h"

namespace nnburst::bench {

struct Report {
    Results results;
    double pingPongNs = 0;           ///< the median of the run's
    std::vector<Summary> summaries;  ///< one a benchmark
    std::vector<GoalOutcome> goals;
    std::vector<NumberOutcome> numberGoals;

    std::size_t rounds = 0;    ///< of all benchmarks
    std::size_t leftOut = 0;   ///< of them, because the host disturbed them
    double seconds = 0;        ///< that the rounds took together
    double stolenSeconds = 0;  ///< of the two processors in them
    std::size_t met = 0;       ///< goals
    std::size_t missed = 0;    ///< goals; the rest was not measured
};

[[nodiscard]] Report makeReport(Results results, std::span<const Goal> goals,
                                std::span<const NumberGoal> numberGoals = {});

/// The part of a name before the slash.
[[nodiscard]] std::string groupOf(const BenchmarkResult& result);

/// "met", "MISS", or which benchmark is missing.
[[nodiscard]] std::string verdictOf(const GoalOutcome& outcome);
[[nodiscard]] std::string verdictOf(const NumberOutcome& outcome);

/// "p50 <= 3"; of a number ">= 0.9".
[[nodiscard]] std::string boundOf(const Goal& goal);
[[nodiscard]] std::string boundOf(const NumberGoal& goal);

/// How the host was, in one sentence.
[[nodiscard]] std::string describeHost(const Report& report);

}  // namespace nnburst::bench
