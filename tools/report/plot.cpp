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

namespace nnburst::tools {

namespace {

// Units of the drawing, which the browser stretches to the width of the page. Text stands beside it
// as HTML, so that it is as large in a narrow window as in a wide one.
constexpr double kPlotWidth = 760;
constexpr double kPlotHeight = 300;
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
std::vector<Tick> ticksOf(const Axis& axis, const Extent& extent) {
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
        const bool isLong = extent.high / extent.low > 1e3;
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
    const double rough = (extent.high - extent.low) / kTicks;
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

/// A drawing with its title. What stands between `begin` and `end` is the frame: the drawing, and
/// text at places in percent of it.
std::string begin(const char* cssClass, const std::string& title, double width, double height) {
    return fmt::format(
        "<div class=\"title\">{3}</div>\n<div class=\"{0}\"><svg class=\"plot\" role=\"img\" "
        "preserveAspectRatio=\"none\" viewBox=\"0 0 {1:g} {2:g}\" aria-label=\"{3}\">\n",
        cssClass, width, height, escaped(title));
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

/// Lines at the ticks, and their texts, which go behind the drawing. Where there are many, every
/// second text is left out in narrow windows.
struct Grid {
    std::string lines;
    std::string texts;
};

Grid gridOf(const Plot& plot, const std::pair<Extent, Extent>& extents, const Projection& x,
            const Projection& y) {
    Grid grid;
    const std::vector<Tick> columns = ticksOf(plot.x, extents.first);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const double place = x(columns[i].value);
        grid.lines +=
            fmt::format("<path class=\"grid\" d=\"M{:.1f} 0V{:g}\"/>\n", place, kPlotHeight);
        grid.texts += fmt::format("<span class=\"x{}\" style=\"left:{:.1f}%\">{}</span>\n",
                                  columns.size() > kTicks && i % 2 == 1 ? " minor" : "",
                                  place / kPlotWidth * 100, escaped(columns[i].label));
    }
    for (const Tick& tick : ticksOf(plot.y, extents.second)) {
        const double place = y(tick.value);
        grid.lines +=
            fmt::format("<path class=\"grid\" d=\"M0 {:.1f}H{:g}\"/>\n", place, kPlotWidth);
        grid.texts += fmt::format("<span class=\"y\" style=\"top:{:.1f}%\">{}</span>\n",
                                  place / kPlotHeight * 100, escaped(tick.label));
    }
    grid.texts += fmt::format("<span class=\"xname\">{}</span>\n<span class=\"yname\">{}</span>\n",
                              escaped(plot.x.title), escaped(plot.y.title));
    return grid;
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

}  // namespace

const char* const kPlotStyle = R"(
.title { font-weight: bold; margin-top: 1.5em; }
.legend { margin-right: 1em; }
.frame { position: relative; height: 240px; margin: 1.6em .8em 3.4em 3.4em; max-width: 760px; }
.bars { position: relative; margin: 8px 90px 24px 84px; max-width: 580px; }
svg.plot { display: block; width: 100%; max-width: none; height: 100%; margin: 0; }
.frame span, .bars span { position: absolute; font-size: 12px; line-height: 16px;
                          white-space: nowrap; color: var(--quiet, #555); }
.frame .x { top: 100%; transform: translateX(-50%); margin-top: 2px; }
.frame .y { right: 100%; transform: translateY(-50%); margin-right: 5px; }
.frame .xname { top: 100%; left: 0; right: 0; margin-top: 18px; text-align: center; }
.frame .yname { bottom: 100%; right: 100%; margin: 0 5px 4px 0; }
.bars .group { left: -84px; color: var(--ink, #222); font-weight: bold; }
.bars .bar { left: -72px; }
.bars .value { margin-left: 5px; color: var(--ink, #222); }
@media (max-width: 640px) { .frame .minor { display: none; } }
.plot .grid { stroke: var(--faint, #ddd); fill: none; vector-effect: non-scaling-stroke; }
.plot polyline { fill: none; stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.plot polygon { stroke: none; fill-opacity: 0.15; }
.plot .line0 { stroke: var(--colour0, #0b6e99); } .plot .fill0 { fill: var(--colour0, #0b6e99); }
.plot .line1 { stroke: var(--colour1, #d9730d); } .plot .fill1 { fill: var(--colour1, #d9730d); }
.plot .line2 { stroke: var(--colour2, #6940a5); } .plot .fill2 { fill: var(--colour2, #6940a5); }
.plot .line3 { stroke: var(--colour3, #448361); } .plot .fill3 { fill: var(--colour3, #448361); }
.ink0 { color: var(--colour0, #0b6e99); } .ink1 { color: var(--colour1, #d9730d); }
.ink2 { color: var(--colour2, #6940a5); } .ink3 { color: var(--colour3, #448361); }
)";

std::string toSvg(const Plot& plot) {
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
    const Projection x(plot.x.scale, extents.first.low, extents.first.high, 0, kPlotWidth);
    const Projection y(plot.y.scale, extents.second.low, extents.second.high, kPlotHeight, 0);
    const Grid grid = gridOf(plot, extents, x, y);
    std::string svg = begin("frame", plot.title, kPlotWidth, kPlotHeight) + grid.lines;
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
    return svg + "</svg>\n" + grid.texts + "</div>\n" + legendOf(plot);
}

std::string toSvg(const BarChart& chart) {
    constexpr double kBarWidth = 100;  // percent
    constexpr double kLine = 18;       // pixels
    constexpr double kGap = 10;
    double height = 0;
    for (const BarGroup& group : chart.groups) {
        height += kLine * static_cast<double>(1 + group.bars.size()) + kGap;
    }
    std::string svg = begin("bars", chart.title, kBarWidth, height);
    std::string texts;
    double top = 0;
    for (const BarGroup& group : chart.groups) {
        double largest = 0;
        for (const Bar& bar : group.bars) {
            largest = std::max(largest, bar.value);
        }
        texts += fmt::format("<span class=\"group\" style=\"top:{:g}px\">{}</span>\n", top,
                             escaped(group.name));
        top += kLine;
        for (const Bar& bar : group.bars) {
            const double length = largest > 0 ? bar.value / largest * kBarWidth : 0;
            svg += fmt::format(
                "<rect class=\"fill{}\" x=\"0\" y=\"{:g}\" width=\"{:.1f}\" height=\"{:g}\"/>\n",
                bar.colour, top + 1, length, kLine - 3);
            texts += fmt::format(
                "<span class=\"bar\" style=\"top:{0:g}px\">{1}</span>"
                "<span class=\"value\" style=\"top:{0:g}px;left:{2:.1f}%\">{3:.1f} {4}</span>\n",
                top, escaped(bar.name), length, bar.value, escaped(chart.unit));
            top += kLine;
        }
        top += kGap;
    }
    // As high as its lines of text.
    const std::string frame = "<div class=\"bars\"";
    svg.insert(svg.find(frame) + frame.size(), fmt::format(" style=\"height:{:g}px\"", height));
    return svg + "</svg>\n" + texts + "</div>\n";
}

}  // namespace nnburst::tools
