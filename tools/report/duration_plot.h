// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Plots of durations as SVG elements. Their colours come from the page's style sheet, by class:
/// grid, band, range, tail, median, marked.

#include <span>
#include <string>
#include <vector>

namespace nnburst::tools {

/// Tick marks of a logarithmic axis that holds `least` to `most` (both above 0): 1, 2 and 5 times
/// powers of ten, at least two of them.
[[nodiscard]] std::vector<double> logarithmicTicks(double least, double most);

/// "217 ns", "1.3 us", "40 ms": three digits.
[[nodiscard]] std::string durationText(double nanoseconds);

/// A benchmark in a plot of durations, in nanoseconds.
struct DurationRow {
    std::string label;
    double median;
    double tail;
    double least;
    double most;
};

/// One line a row on a common logarithmic axis: a dot at the median, a bar from the lowest to the
/// highest round, a stroke at the tail. Empty without rows.
[[nodiscard]] std::string durationPlot(std::span<const DurationRow> rows);

struct CoursePoint {
    double seconds;
    double nanoseconds;
    bool isMarked;
};

/// Durations in the course of a run: a dot for each point, and the band from `lower` to `upper`
/// nanoseconds in which they should be. Points far above it are drawn at the upper edge. Empty
/// without points.
[[nodiscard]] std::string coursePlot(std::span<const CoursePoint> points, double lower,
                                     double upper);

}  // namespace nnburst::tools
