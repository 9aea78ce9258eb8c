// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "report/markup.h"
#include "report/page.h"

namespace nnburst::tools {

namespace {

constexpr double kWidth = 760;
/// Of a drawing for narrow windows, whose text stays as large as in a wide one.
constexpr double kNarrowWidth = 360;
constexpr double kHeight = 300;
constexpr double kLeft = 60;
constexpr double kRight = 15;
constexpr double kTop = 34;
constexpr double kBottom = 44;
constexpr int kTicks = 6;

/// Whether an axis of this scale can show the value.
bool canShow(Scale scale, double value) {
    return std::isfinite(value) && (scale == Scale::LINEAR || value > 0);
}

/// Maps values to positions between the two ends of an axis on the page.
class Projection {
  public:
    Projection(Scale scale, double low, double high, double begin, double end)
        : scale_(scale), low_(of(low)), high_(of(high)), begin_(begin), end_(end) {}

    [[nodiscard]] double operator()(double value) const {
        return begin_ + (of(value) - low_) / (high_ - low_) * (end_ - begin_);
    }

  private:
    [[nodiscard]] double of(double value) const {
        return scale_ == Scale::LOGARITHMIC ? std::log10(value) : value;
    }

    Scale scale_;
    double low_;
    double high_;
    double begin_;
    double end_;
};

/// The extent of an axis: never empty, on a logarithmic axis above zero.
struct Extent {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void include(Scale scale, double value) {
        if (canShow(scale, value)) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }
    void complete(Scale scale) {
        if (low > high) {
            *this = {.low = 1, .high = 10};
        }
        if (scale == Scale::LOGARITHMIC) {
            low /= 1.1;
            high *= 1.1;
        } else if (low == high) {
            high = low + 1;
        }
    }
};

/// Round values: 1, 2 and 5 times powers of ten.
std::vector<Tick> ticksOf(const Axis& axis, const Extent& extent, int most) {
    if (!axis.ticks.empty()) {
        return axis.ticks;
    }
    std::vector<Tick> ticks;
    const auto add = [&](double value) {
        if (value >= extent.low && value <= extent.high) {
            ticks.push_back({.value = value, .label = fmt::format("{:g}", value)});
        }
    };
    if (axis.scale == Scale::LOGARITHMIC) {
        const bool isLong = extent.high / extent.low > (most < kTicks ? 1e2 : 1e3);
        for (double power = std::pow(10, std::floor(std::log10(extent.low))); power <= extent.high;
             power *= 10) {
            add(power);
            if (!isLong) {
                add(2 * power);
                add(5 * power);
            }
        }
        return ticks;
    }
    const double rough = (extent.high - extent.low) / most;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double step = rough <= power       ? power
                        : rough <= 2 * power ? 2 * power
                        : rough <= 5 * power ? 5 * power
                                             : 10 * power;
    for (double i = std::ceil(extent.low / step); i * step <= extent.high; ++i) {
        add(i * step);
    }
    return ticks;
}

/// The title is text of the page, which has room for all of it.
std::string begin(const std::string& title, double width, double height) {
    return fmt::format(
        "<div class=\"title\">{2}</div>\n<svg class=\"plot\" role=\"img\" "
        "viewBox=\"0 0 {0:g} {1:g}\" aria-label=\"{2}\">\n",
        width, height, escaped(title));
}

/// "x,y x,y ..." of the points that the axes can show.
std::string pointList(const Plot& plot, const std::vector<Point>& points, const Projection& x,
                      const Projection& y) {
    std::string list;
    for (const Point& point : points) {
        if (canShow(plot.x.scale, point.x) && canShow(plot.y.scale, point.y)) {
            fmt::format_to(std::back_inserter(list), "{:.1f},{:.1f} ", x(point.x), y(point.y));
        }
    }
    return list;
}

std::string gridOf(const Plot& plot, const std::pair<Extent, Extent>& extents, const Projection& x,
                   const Projection& y, double width) {
    std::string svg;
    const int most = width < kWidth ? kTicks / 2 : kTicks;
    for (const Tick& tick : ticksOf(plot.x, extents.first, most)) {
        fmt::format_to(std::back_inserter(svg),
                       "<path class=\"grid\" d=\"M{0:.1f} {1:g}V{2:g}\"/>"
                       "<text class=\"x\" x=\"{0:.1f}\" y=\"{3:g}\">{4}</text>\n",
                       x(tick.value), kTop, kHeight - kBottom, kHeight - kBottom + 16,
                       escaped(tick.label));
    }
    for (const Tick& tick : ticksOf(plot.y, extents.second, kTicks)) {
        fmt::format_to(std::back_inserter(svg),
                       "<path class=\"grid\" d=\"M{0:g} {1:.1f}H{2:g}\"/>"
                       "<text class=\"y\" x=\"{3:g}\" y=\"{4:.1f}\">{5}</text>\n",
                       kLeft, y(tick.value), width - kRight, kLeft - 6, y(tick.value) + 4,
                       escaped(tick.label));
    }
    fmt::format_to(std::back_inserter(svg),
                   "<text class=\"x\" x=\"{:g}\" y=\"{:g}\">{}</text>"
                   "<text class=\"y\" x=\"{:g}\" y=\"{:g}\">{}</text>\n",
                   (kLeft + width - kRight) / 2, kHeight - 8, escaped(plot.x.title), kLeft - 6,
                   kTop - 8, escaped(plot.y.title));
    return svg;
}

/// The names of curves with their colours, side by side above the plot.
std::string legendOf(const Plot& plot) {
    std::string html;
    for (const Curve& curve : plot.curves) {
        if (!curve.name.empty()) {
            html += fmt::format("<span class=\"legend ink{}\">&#9632; {}</span> ", curve.colour,
                                escaped(curve.name));
        }
    }
    return html.empty() ? html : "<div class=\"names\">" + html + "</div>\n";
}

std::string draw(const Plot& plot, double width);
std::string draw(const BarChart& chart, double width);

}  // namespace

const char* const kPlotStyle = R"(
.title { font-weight: bold; margin-top: 1.2em; }
.legend { margin-right: 1em; }
svg.plot { display: block; width: 100%; max-width: 760px; margin: .3em 0 1em; }
.plot .x { text-anchor: middle; fill: var(--quiet, #555); }
.plot .y { text-anchor: end; fill: var(--quiet, #555); }
.plot .grid { stroke: var(--faint, #ddd); fill: none; }
.plot polyline { fill: none; stroke-width: 1.5; }
.plot polygon { stroke: none; fill-opacity: 0.15; }
.plot .line0 { stroke: var(--colour0, #0b6e99); } .plot .fill0 { fill: var(--colour0, #0b6e99); }
.plot .line1 { stroke: var(--colour1, #d9730d); } .plot .fill1 { fill: var(--colour1, #d9730d); }
.plot .line2 { stroke: var(--colour2, #6940a5); } .plot .fill2 { fill: var(--colour2, #6940a5); }
.plot .line3 { stroke: var(--colour3, #448361); } .plot .fill3 { fill: var(--colour3, #448361); }
.ink0 { color: var(--colour0, #0b6e99); } .ink1 { color: var(--colour1, #d9730d); }
.ink2 { color: var(--colour2, #6940a5); } .ink3 { color: var(--colour3, #448361); }
)";

std::string toSvg(const Plot& plot) {
    return draw(plot, kWidth);
}

std::string toSvg(const BarChart& chart) {
    return draw(chart, kWidth);
}

std::string responsive(const Plot& plot) {
    return fitting(draw(plot, kWidth), draw(plot, kNarrowWidth));
}

std::string responsive(const BarChart& chart) {
    return fitting(draw(chart, kWidth), draw(chart, kNarrowWidth));
}

namespace {

std::string draw(const Plot& plot, double width) {
    std::pair<Extent, Extent> extents;
    for (const Curve& curve : plot.curves) {
        for (const auto* points : {&curve.points, &curve.lowest, &curve.highest}) {
            for (const Point& point : *points) {
                extents.first.include(plot.x.scale, point.x);
                extents.second.include(plot.y.scale, point.y);
            }
        }
    }
    extents.first.complete(plot.x.scale);
    extents.second.complete(plot.y.scale);
    const Projection x(plot.x.scale, extents.first.low, extents.first.high, kLeft, width - kRight);
    const Projection y(plot.y.scale, extents.second.low, extents.second.high, kHeight - kBottom,
                       kTop);
    std::string svg = begin(plot.title, width, kHeight) + gridOf(plot, extents, x, y, width);
    for (const Curve& curve : plot.curves) {
        if (!curve.lowest.empty()) {
            std::vector<Point> outline = curve.lowest;
            outline.insert(outline.end(), curve.highest.rbegin(), curve.highest.rend());
            fmt::format_to(std::back_inserter(svg), "<polygon class=\"fill{}\" points=\"{}\"/>\n",
                           curve.colour, pointList(plot, outline, x, y));
        }
        fmt::format_to(std::back_inserter(svg), "<polyline class=\"line{}\" points=\"{}\"/>\n",
                       curve.colour, pointList(plot, curve.points, x, y));
    }
    return svg + "</svg>\n" + legendOf(plot);
}

std::string draw(const BarChart& chart, double width) {
    constexpr double kBarHeight = 16;
    constexpr double kGap = 12;
    constexpr double kNames = 90;
    constexpr double kValues = 110;
    constexpr double kGroupName = 18;
    double height = 0;
    for (const BarGroup& group : chart.groups) {
        height += kGroupName + static_cast<double>(group.bars.size()) * kBarHeight + kGap;
    }
    std::string svg = begin(chart.title, width, height);
    double top = 0;
    for (const BarGroup& group : chart.groups) {
        double largest = 0;
        for (const Bar& bar : group.bars) {
            largest = std::max(largest, bar.value);
        }
        fmt::format_to(std::back_inserter(svg), "<text x=\"0\" y=\"{:g}\">{}</text>\n", top + 12,
                       escaped(group.name));
        top += kGroupName;
        for (const Bar& bar : group.bars) {
            const double length =
                largest > 0 ? bar.value / largest * (width - kNames - kValues) : 0;
            fmt::format_to(
                std::back_inserter(svg),
                "<text x=\"12\" y=\"{1:g}\">{2}</text>"
                "<rect class=\"fill{3}\" x=\"{4:g}\" y=\"{5:g}\" width=\"{6:.1f}\" "
                "height=\"{7:g}\"/><text x=\"{8:.1f}\" y=\"{1:g}\">{9:.1f} {10}</text>\n",
                0, top + 12, escaped(bar.name), bar.colour, kNames, top + 1, length, kBarHeight - 2,
                kNames + length + 6, bar.value, escaped(chart.unit));
            top += kBarHeight;
        }
        top += kGap;
    }
    return svg + "</svg>\n";
}

}  // namespace
}  // namespace nnburst::tools
