// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Plots as SVG with their text as HTML, for a page (page.h) that uses the style sheet kPlotStyle.
/// They fit windows of any width.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nnburst::tools {

/// The style sheet. Colours are numbered from 0; there are four.
extern const char* const kPlotStyle;

enum class Scale : std::uint8_t { LINEAR, LOGARITHMIC };

/// A mark on an axis, with its text.
struct Tick {
    double value = 0;
    std::string label;
};

struct Axis {
    std::string title;
    Scale scale = Scale::LINEAR;
    std::vector<Tick> ticks;  ///< if empty, they are chosen by the values
};

struct Point {
    double x = 0;
    double y = 0;
};

/// A line with its name (empty if it belongs to another line), and the area between its extremes,
/// if there are any.
struct Curve {
    std::string name;
    std::size_t colour = 0;
    std::vector<Point> points;
    std::vector<Point> lowest;   ///< empty, or as many as points
    std::vector<Point> highest;  ///< likewise
};

struct Plot {
    std::string title;
    Axis x;
    Axis y;
    std::vector<Curve> curves;
};

/// A plot. Values that are not positive are left out on logarithmic axes, which have no place for
/// them.
[[nodiscard]] std::string toSvg(const Plot& plot);

/// A bar with its name.
struct Bar {
    std::string name;
    std::size_t colour = 0;
    double value = 0;
};

/// Bars that are compared with each other: each group has its own scale.
struct BarGroup {
    std::string name;
    std::vector<Bar> bars;
};

struct BarChart {
    std::string title;
    std::string unit;
    std::vector<BarGroup> groups;
};

[[nodiscard]] std::string toSvg(const BarChart& chart);

}  // namespace nnburst::tools
