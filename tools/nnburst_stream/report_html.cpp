// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "nnburst_stream/benchmark_line.h"
#include "nnburst_stream/report.h"
#include "report/markup.h"
#include "report/plot.h"

namespace nnburst::stream {

namespace {

using tools::BarChart;
using tools::BarGroup;
using tools::Curve;
using tools::escaped;
using tools::Plot;
using tools::Scale;

double microseconds(nanoseconds duration) {
    return std::chrono::duration<double, std::micro>(duration).count();
}

Curve curveOf(const WayReport& way) {
    return {.name = toString(way.way), .colour = static_cast<std::size_t>(way.way)};
}

Plot latencyOverTime(const Report& report) {
    Plot plot{.title = report.options.clients == 1
                           ? "Latency over time: mean, least and most"
                           : "Latency of the first client over time: mean, least and most",
              .x = {.title = "seconds"},
              .y = {.title = "us", .scale = Scale::LOGARITHMIC}};
    for (const WayReport& way : report.ways) {
        Curve curve = curveOf(way);
        std::uint64_t segment = 0;
        for (const TimeSeries::Point& point : way.series.points()) {
            if (point.segment != segment &&
                !curve.points.empty()) {  // other ways had their segments
                plot.curves.push_back(std::exchange(curve, {.colour = curve.colour}));
            }
            segment = point.segment;
            const double time = std::chrono::duration<double>(point.time).count();
            curve.points.push_back({time, point.mean() * 1e-3});
            curve.lowest.push_back({time, microseconds(point.min)});
            curve.highest.push_back({time, microseconds(point.max)});
        }
        plot.curves.push_back(std::move(curve));
    }
    return plot;
}

/// A curve over an axis on which 90 %, 99 %, 99.9 % ... are equidistant.
Plot percentileCurve(const Report& report) {
    constexpr double kStep = 0.02;
    Plot plot{.title = "Latency by percentile",
              .x = {.title = "percentile", .ticks = {{0, "0"}, {std::log10(2), "50"}}},
              .y = {.title = "us", .scale = Scale::LOGARITHMIC}};
    double end = 0;
    for (const WayReport& way : report.ways) {
        Curve curve = curveOf(way);
        const auto count = static_cast<double>(way.latency.count());
        const double last = count > 0 ? std::log10(count) : -1;
        for (double nines = 0; nines <= last; nines += kStep) {
            const double fraction = 1 - std::pow(10, -nines);
            curve.points.push_back({nines, microseconds(way.latency.quantile(fraction))});
        }
        end = std::max(end, last);
        plot.curves.push_back(std::move(curve));
    }
    for (int nines = 1; nines <= end; ++nines) {
        const double percent = 100 - std::pow(10, 2 - nines);
        plot.x.ticks.push_back({static_cast<double>(nines), fmt::format("{:.10g}", percent)});
    }
    return plot;
}

/// Bins of equal width on a logarithmic axis, the same for all ways.
Plot histogram(const Report& report) {
    constexpr std::size_t kBins = 120;
    Plot plot{.title = "How latencies are distributed: frames in each of 120 bins",
              .x = {.title = "us", .scale = Scale::LOGARITHMIC},
              .y = {.title = "%"}};
    double low = 0;
    double high = 0;
    for (const WayReport& way : report.ways) {
        if (way.latency.count() != 0) {
            const double least = std::log10(std::max(microseconds(way.latency.min()), 1e-3));
            const double most = std::log10(std::max(microseconds(way.latency.max()), 1e-3));
            low = high == low ? least : std::min(low, least);
            high = std::max({high, most, low + 1e-3});
        }
    }
    const double width = (high - low) / kBins;
    for (const WayReport& way : report.ways) {
        std::vector<double> shares(kBins);
        for (const Histogram::Bucket& bucket : way.latency.histogram().buckets()) {
            const double middle = microseconds(bucket.begin + bucket.end) / 2;
            const double place = (std::log10(middle) - low) / width;
            const auto bin =
                static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(kBins - 1)));
            shares[bin] += 100.0 * static_cast<double>(bucket.count) /
                           static_cast<double>(way.latency.count());
        }
        Curve curve = curveOf(way);
        for (std::size_t bin = 0; way.latency.count() != 0 && bin < kBins; ++bin) {
            const double begin = low + static_cast<double>(bin) * width;
            curve.points.push_back({std::pow(10, begin), shares[bin]});
            curve.points.push_back({std::pow(10, begin + width), shares[bin]});
        }
        plot.curves.push_back(std::move(curve));
    }
    return plot;
}

BarChart comparison(const Report& report) {
    BarChart chart{.title = "Comparison of latencies; each group has its own scale", .unit = "us"};
    for (const auto& [name, figure] :
         {std::pair("p50", &Summary::p50), std::pair("p90", &Summary::p90),
          std::pair("p99", &Summary::p99), std::pair("p99.9", &Summary::p999),
          std::pair("max", &Summary::max)}) {
        BarGroup& group = chart.groups.emplace_back();
        group.name = name;
        for (const WayReport& way : report.ways) {
            group.bars.push_back({.name = toString(way.way),
                                  .colour = static_cast<std::size_t>(way.way),
                                  .value = summarise(way.latency).*figure});
        }
    }
    return chart;
}

std::string cell(double value) {
    return fmt::format("<td>{:.1f}</td>", value);
}

std::string row(Way way, const char* what, const Distribution& distribution) {
    if (distribution.count() == 0) {
        return {};
    }
    const Summary summary = summarise(distribution);
    std::string text = fmt::format("<tr><th>{}</th><td>{}</td>", toString(way), what);
    for (const double figure : {summary.min, summary.p50, summary.p90, summary.p99, summary.p999,
                                summary.max, summary.mean, summary.standardDeviation}) {
        text += cell(figure);
    }
    return text + "</tr>\n";
}

std::string distributions(const Report& report) {
    std::string text =
        "<table><tr><th></th><th>us</th><th>min</th><th>p50</th><th>p90</th><th>p99</th>"
        "<th>p99.9</th><th>max</th><th>mean</th><th>std</th></tr>\n";
    for (const WayReport& way : report.ways) {
        text += row(way.way, "latency", way.latency);
    }
    for (const WayReport& way : report.ways) {
        text += row(way.way, "jitter", way.jitter);
    }
    for (const WayReport& way : report.ways) {
        text += row(way.way, "in driver", way.timeInDriver);
    }
    return text + "</table>\n";
}

std::string costs(const Report& report) {
    std::string text =
        "<table><tr><th></th><th>frames/s</th><th>refused</th><th>late</th><th>unsent</th>"
        "<th>most in flight</th>"
        "<th>client, us/frame</th><th>driver, us/frame</th><th>client, calls/frame</th>"
        "<th>driver, calls/frame</th></tr>\n";
    for (const WayReport& way : report.ways) {
        const auto orDash = [](const auto& value, auto figure) {
            return value ? cell(figure(*value)) : std::string("<td>-</td>");
        };
        text += fmt::format("<tr><th>{}</th>", toString(way.way)) + cell(way.throughput);
        for (const std::uint64_t count :
             {way.misses.refused, way.misses.late, way.misses.unsent, way.mostInFlight}) {
            text += fmt::format("<td>{}</td>", count);
        }
        text += cell(way.clientProcessor.perFrame);
        text +=
            orDash(way.driverProcessor, [](const ProcessorTime& time) { return time.perFrame; });
        text += orDash(way.calls, [](const CallRate& calls) { return calls.client; });
        text += orDash(way.calls ? way.calls->driver : std::nullopt,
                       [](double calls) { return calls; });
        text += "</tr>\n";
    }
    text += "</table>\n";
    if (!report.noDriverProcessor.empty()) {
        text += fmt::format("<p>Processor time of the driver not measured: {}</p>\n",
                            escaped(report.noDriverProcessor));
    }
    if (!report.noCalls.empty()) {
        text += fmt::format("<p>System calls not counted: {}</p>\n", escaped(report.noCalls));
    }
    return text;
}

/// A table of the cost of waiting on both sides of bursts.
std::string waits(const Report& report) {
    std::string rows;
    for (const WayReport& way : report.ways) {
        if (!way.waits) {
            continue;
        }
        for (const auto& [side, rates] : sidesOf(*way.waits)) {
            rows += fmt::format("<tr><th>{}</th><td>{}</td>", toString(way.way), side);
            for (std::size_t i = 0; i < kWaitStats.size(); ++i) {
                rows += kWaitStats[i].time != nullptr
                            ? fmt::format("<td>{:.1f}</td>", rates[i] * 100)
                            : fmt::format("<td>{:.2f}</td>", rates[i]);
            }
            rows += "</tr>\n";
        }
    }
    if (rows.empty()) {
        return rows;
    }
    std::string head = "<th></th><th>waiting</th>";
    for (const WaitStat& stat : kWaitStats) {
        head += fmt::format("<th>{}{}</th>", stat.label,
                            stat.time != nullptr ? ", % of a processor" : "/frame");
    }
    return fmt::format("<table><tr>{}</tr>\n{}</table>\n", head, rows);
}

std::string settings(const Report& report) {
    std::string text = fmt::format("<p>{}.<br>\n{}.</p>\n", escaped(settingsText(report)),
                                   escaped(machineText(report)));
    if (report.isStopped) {
        text += "<p>The stream was stopped before its end.</p>\n";
    }
    if (report.ways.size() > 1) {
        text += report.isSameOnAllWays
                    ? "<p>Outputs are identical bit for bit on all ways.</p>\n"
                    : "<p><strong>Outputs are not the same on all ways.</strong></p>\n";
    }
    return text;
}

constexpr const char* kPageStyle = R"(
body { max-width: 800px; margin: 2em auto; padding: 0 1em; font: 14px sans-serif; color: #222;
       background: #fff; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { padding: 2px 8px; text-align: right; border-bottom: 1px solid #ddd; }
)";

}  // namespace

std::string toHtml(const Report& report) {
    const std::string title = "nnburst-stream: " + report.options.model;
    std::string body = fmt::format("<h1>{}</h1>\n", escaped(title));
    body += settings(report) + distributions(report) + costs(report) + waits(report);
    body += toSvg(comparison(report)) + toSvg(latencyOverTime(report)) +
            toSvg(percentileCurve(report)) + toSvg(histogram(report));
    body += "<pre>";
    for (const WayReport& way : report.ways) {
        body += fmt::format("{}: {}\n", toString(way.way), benchmarkLine(way.latency));
    }
    return tools::htmlPage(title, std::string(kPageStyle) + tools::kPlotStyle, body + "</pre>\n");
}

}  // namespace nnburst::stream
