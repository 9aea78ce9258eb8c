// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What nnburst wants to reach: ratios of benchmarks of one run, because times differ from machine
/// to machine and from minute to minute, and numbers that are no times. The lists are in goals.cpp;
/// to add a goal, add a line there.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results.h"

namespace nnburst::bench {

/// Of which percentile a goal speaks. The other is shown beside it.
enum class Statistic { P50, P99 };

/// (numerator - less) / denominator <= bound.
struct Goal {
    const char* name;
    const char* numerator;    ///< a benchmark, GROUP/WHAT
    const char* denominator;  ///< another
    double bound;
    Statistic statistic = Statistic::P50;
    const char* less = nullptr;  ///< a benchmark too, if not null
};

enum class Relation { AT_MOST, AT_LEAST };

/// A number of a benchmark, or its ratio to the same number of another, against a bound.
struct NumberGoal {
    const char* name;
    const char* benchmark;  ///< GROUP/WHAT
    const char* number;     ///< as in Round::numbers
    double bound;
    Relation relation = Relation::AT_MOST;
    const char* denominator = nullptr;  ///< another benchmark, if not null
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
    double number = 0;    ///< or the ratio; 0 if not measured
    std::string missing;  ///< the benchmark without this number, if not measured
};

/// All goals of the project.
[[nodiscard]] std::span<const Goal> projectGoals() noexcept;
[[nodiscard]] std::span<const NumberGoal> projectNumberGoals() noexcept;

/// One outcome a goal, in their order.
[[nodiscard]] std::vector<GoalOutcome> judge(std::span<const Goal> goals, const Results& results);
[[nodiscard]] std::vector<NumberOutcome> judge(std::span<const NumberGoal> goals,
                                               const Results& results);

}  // namespace nnburst::bench
