// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The goals of nnburst: ratios of benchmarks of one run, because times differ between machines and
/// between minutes, and numbers that are not times. The lists are in goals.cpp; to add a goal, add
/// a line there.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results.h"

namespace nnburst::bench {

/// The percentile that a goal is about. The other one is shown beside it.
enum class Statistic { P50, P99 };

/// (numerator - less) / denominator <= bound.
struct Goal {
    const char* name;
    const char* numerator;    ///< a benchmark, GROUP/WHAT
    const char* denominator;  ///< another benchmark
    double bound;
    Statistic statistic = Statistic::P50;
    const char* less = nullptr;  ///< a benchmark that is subtracted; may be null
};

enum class Relation { AT_MOST, AT_LEAST };

/// A bound of a number of a benchmark, or of its ratio to the same number of another benchmark.
struct NumberGoal {
    const char* name;
    const char* benchmark;  ///< GROUP/WHAT
    const char* number;     ///< as in Round::numbers
    double bound;
    Relation relation = Relation::AT_MOST;
    const char* denominator = nullptr;  ///< another benchmark; may be null
};

enum class Verdict { MET, MISSED, NOT_MEASURED };

struct GoalOutcome {
    Goal goal;
    Verdict verdict = Verdict::NOT_MEASURED;
    double medianRatio = 0;  ///< of the figures' p50; 0 if not measured
    double tailRatio = 0;    ///< of the figures' p99
    std::string missing;     ///< the benchmark without figures, if not measured
};

struct NumberOutcome {
    NumberGoal goal;
    Verdict verdict = Verdict::NOT_MEASURED;
    double number = 0;    ///< the number or the ratio; 0 if not measured
    std::string missing;  ///< the benchmark without this number, if not measured
};

/// What of the machine decides whether a goal about the benchmark `name` (GROUP/WHAT) can be met;
/// null if it holds everywhere.
[[nodiscard]] const char* machineDependence(std::string_view name) noexcept;

/// All goals of the project.
[[nodiscard]] std::span<const Goal> projectGoals() noexcept;
[[nodiscard]] std::span<const NumberGoal> projectNumberGoals() noexcept;

/// Compares the results with the goals. Returns one outcome a goal, in their order.
[[nodiscard]] std::vector<GoalOutcome> judge(std::span<const Goal> goals, const Results& results);
[[nodiscard]] std::vector<NumberOutcome> judge(std::span<const NumberGoal> goals,
                                               const Results& results);

}  // namespace nnburst::bench
