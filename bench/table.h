// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The report of nnburst-bench on a terminal: Markdown tables of all benchmarks and goals.

#include <string>

#include "report.h"

namespace nnburst::bench {

/// One row a benchmark: its figures, and their ratios to those of the first row with figures in its
/// group; or why it has none.
[[nodiscard]] std::string benchmarkTable(const Report& report);

/// One row for each number that is not a duration, with the range of its rounds.
[[nodiscard]] std::string numberTable(const Report& report);

/// One row for each goal that was measured: its bound, both ratios, and whether it is met.
[[nodiscard]] std::string goalTable(const Report& report);

/// The same of numbers.
[[nodiscard]] std::string numberGoalTable(const Report& report);

}  // namespace nnburst::bench
