// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "report/duration_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "report/markup.h"

namespace nnburst::tools {
namespace {

// Units of the drawing; the browser scales it to the width of the page, by 0.75 in a window of 390
// pixels.
constexpr double kWidth = 480;
constexpr double kPlotLeft = 8;
constexpr double kPlotRight = 400;
constexpr double kRowHeight = 36;
constexpr double kLabelHeight = 16;  ///< of a row: its label stands above its line
constexpr double kAxisHeight = 26;
constexpr double kCourseLeft = 70;
constexpr double kCourseHeight = 180;
/// Longer labels have smaller letters.
constexpr std::size_t kLabelLetters = 68;

std::string openSvg(double height) {
    return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">\n", kWidth, height);
}

std::string line(const char* cssClass, double x1, double y1, double x2, double y2) {
    return fmt::format(
        "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", cssClass,
        x1, y1, x2, y2);
}

std::string label(const char* anchor, double x, double y, const std::string& text) {
    return fmt::format("<text text-anchor=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", anchor, x,
                       y, escaped(text));
}

/// The name of a row, as wide as the drawing at most.
std::string rowLabel(double y, const std::string& text) {
    const double size =
        12.5 * std::min(1.0, static_cast<double>(kLabelLetters) /
                                 static_cast<double>(std::max<std::size_t>(text.size(), 1)));
    return fmt::format("<text x=\"0\" y=\"{:.1f}\" style=\"font-size:{:.1f}px\">{}</text>\n", y,
                       size, escaped(text));
}

std::string dot(const char* cssClass, double x, double y, double radius) {
    return fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>\n", cssClass, x,
                       y, radius);
}

/// Where durations are on a logarithmic axis.
class LogarithmicAxis {
  public:
    LogarithmicAxis(double least, double most) : ticks_(logarithmicTicks(least, most)) {}

    [[nodiscard]] double place(double value) const {
        const double first = std::log(ticks_.front());
        const double share = (std::log(value) - first) / (std::log(ticks_.back()) - first);
        return kPlotLeft + share * (kPlotRight - kPlotLeft);
    }

    [[nodiscard]] std::string draw(double height) const {
        // Over many decades only their beginnings get a number.
        constexpr std::size_t kMaximumNumbers = 6;
        std::string svg;
        for (const double tick : ticks_) {
            const double x = place(tick);
            svg += line("grid", x, 0, x, height);
            const double decade = std::pow(10, std::round(std::log10(tick)));
            if (ticks_.size() <= kMaximumNumbers || std::abs(tick - decade) < 1e-6 * decade) {
                svg += label("middle", x, height + 16, durationText(tick));
            }
        }
        return svg;
    }

  private:
    std::vector<double> ticks_;
};

}  // namespace

std::vector<double> logarithmicTicks(double least, double most) {
    constexpr std::array kSteps{1.0, 2.0, 5.0};
    constexpr double kRounding = 1e-9;  // of powers: 1000 may come out a little above 1000
    std::vector<double> ticks;
    for (double exponent = std::floor(std::log10(least));; ++exponent) {
        for (const double step : kSteps) {
            const double tick = step * std::pow(10, exponent);
            if (tick <= least * (1 + kRounding)) {
                ticks.clear();  // the last one that is not above all durations
            }
            ticks.push_back(tick);
            if (tick >= most * (1 - kRounding) && ticks.size() > 1) {
                return ticks;
            }
        }
    }
}

std::string durationText(double nanoseconds) {
    if (nanoseconds < 999.5) {
        return fmt::format("{:.3g} ns", nanoseconds);
    }
    if (nanoseconds < 999.5e3) {
        return fmt::format("{:.3g} us", nanoseconds / 1e3);
    }
    if (nanoseconds < 999.5e6) {
        return fmt::format("{:.3g} ms", nanoseconds / 1e6);
    }
    return fmt::format("{:.3g} s", nanoseconds / 1e9);
}

std::string durationPlot(std::span<const DurationRow> rows) {
    if (rows.empty()) {
        return {};
    }
    double least = rows.front().least;
    double most = rows.front().most;
    for (const DurationRow& row : rows) {
        least = std::min(least, row.least);
        most = std::max({most, row.most, row.tail});
    }
    const LogarithmicAxis axis(least, most);
    const double height = kRowHeight * static_cast<double>(rows.size());
    std::string svg = openSvg(height + kAxisHeight) + axis.draw(height);
    double middle = kLabelHeight + (kRowHeight - kLabelHeight) / 2;
    for (const DurationRow& row : rows) {
        svg += rowLabel(middle - kLabelHeight + 5, row.label);
        svg += line("tail", axis.place(row.median), middle, axis.place(row.tail), middle);
        svg += line("tail", axis.place(row.tail), middle - 6, axis.place(row.tail), middle + 6);
        svg += line("range", axis.place(row.least), middle, axis.place(row.most), middle);
        svg += dot("median", axis.place(row.median), middle, 5);
        svg += label("start", kPlotRight + 12, middle + 4, durationText(row.median));
        middle += kRowHeight;
    }
    return svg + "</svg>\n";
}

std::string coursePlot(std::span<const CoursePoint> points, double lower, double upper) {
    if (points.empty()) {
        return {};
    }
    constexpr double kTop = 2;  // times the band's upper edge
    double end = 0;
    for (const CoursePoint& point : points) {
        end = std::max(end, point.seconds);
    }
    const auto placeX = [&](double seconds) {
        return kCourseLeft + (end > 0 ? seconds / end : 0) * (kPlotRight - kCourseLeft);
    };
    const auto placeY = [&](double nanoseconds) {
        return kCourseHeight * (1 - std::min(nanoseconds / (kTop * upper), 1.0));
    };
    std::string svg = openSvg(kCourseHeight + kAxisHeight);
    svg += fmt::format(
        "<rect class=\"band\" x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\"/>\n",
        kCourseLeft, placeY(upper), kPlotRight - kCourseLeft, placeY(lower) - placeY(upper));
    for (const double edge : {lower, upper}) {
        svg += label("end", kCourseLeft - 8, placeY(edge) + 4, durationText(edge));
    }
    svg += line("grid", kCourseLeft, kCourseHeight, kPlotRight, kCourseHeight);
    svg += label("start", kCourseLeft, kCourseHeight + 18, "0 s");
    svg += label("end", kPlotRight, kCourseHeight + 18, durationText(end * 1e9));
    for (const CoursePoint& point : points) {
        svg += dot(point.isMarked ? "marked" : "median", placeX(point.seconds),
                   placeY(point.nanoseconds), 2.5);
    }
    return svg + "</svg>\n";
}

}  // namespace nnburst::tools
