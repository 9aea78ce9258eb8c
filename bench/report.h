// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The report of a run. The writers (table, JSON, HTML) print it and add nothing.

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
    double pingPongNs = 0;           ///< the median of the run
    std::vector<Summary> summaries;  ///< one for each benchmark
    std::vector<GoalOutcome> goals;
    std::vector<NumberOutcome> numberGoals;

    std::size_t rounds = 0;       ///< of all benchmarks
    std::size_t leftOut = 0;      ///< rounds that the host disturbed
    double seconds = 0;           ///< the duration of all rounds
    double stolenSeconds = 0;     ///< stolen from the two processors in these seconds
    std::size_t met = 0;          ///< number of goals
    std::size_t missed = 0;       ///< number of goals
    std::size_t notMeasured = 0;  ///< number of goals
};

[[nodiscard]] Report makeReport(Results results, std::span<const Goal> goals,
                                std::span<const NumberGoal> numberGoals = {});

/// The part of a name before the slash.
[[nodiscard]] std::string groupOf(const BenchmarkResult& result);

/// "met", "MISS", or the missing benchmark.
[[nodiscard]] std::string verdictOf(const GoalOutcome& outcome);
[[nodiscard]] std::string verdictOf(const NumberOutcome& outcome);

/// "p50 <= 3"; for a number ">= 0.9".
[[nodiscard]] std::string boundOf(const Goal& goal);
[[nodiscard]] std::string boundOf(const NumberGoal& goal);

/// The goal's name, with what it needs of the machine, if it does not hold on every one.
[[nodiscard]] std::string nameOf(const Goal& goal);
[[nodiscard]] std::string nameOf(const NumberGoal& goal);

/// One sentence on the state of the host.
[[nodiscard]] std::string describeHost(const Report& report);

}  // namespace nnburst::bench
