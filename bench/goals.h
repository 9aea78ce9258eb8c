// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What nnburst wants to reach: ratios of benchmarks of one run, because times differ from machine
/// to machine and from minute to minute. The list is in goals.cpp; to add a goal, add a line there.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results.h"

namespace nnburst::bench {

/// Of which percentile a goal speaks. The other is shown beside it.
enum class Statistic { P50, P99 };

/// numerator / denominator <= bound.
struct Goal {
    const char* name;
    const char* numerator;    ///< a benchmark, GROUP/WHAT
    const char* denominator;  ///< another
    double bound;
    Statistic statistic = Statistic::P50;
};

enum class Verdict { MET, MISSED, NOT_MEASURED };

struct GoalOutcome {
    Goal goal;
    Verdict verdict = Verdict::NOT_MEASURED;
    double medianRatio = 0;  ///< of the figures' p50; 0 if not measured
    double tailRatio = 0;    ///< of the figures' p99
    std::string missing;     ///< the benchmark without figures, if not measured
};

/// All goals of the project.
[[nodiscard]] std::span<const Goal> projectGoals() noexcept;

/// One outcome a goal, in their order.
[[nodiscard]] std::vector<GoalOutcome> judge(std::span<const Goal> goals, const Results& results);

}  // namespace nnburst::bench
