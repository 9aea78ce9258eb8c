// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "nnburst_stream/benchmark_line.h"
#include "nnburst_stream/report.h"
#include "report/markup.h"
#include "report/page.h"
#include "report/plot.h"
#include "support/latency.h"

namespace nnburst::stream {

namespace {

using tools::BarChart;
using tools::BarGroup;
using tools::Curve;
using tools::escaped;
using tools::HtmlTable;
using tools::microseconds;
using tools::Plot;
using tools::Scale;

Curve curveOf(const PathReport& path) {
    return {.name = toString(path.path), .colour = static_cast<std::size_t>(path.path)};
}

Plot latencyOverTime(const Report& report) {
    Plot plot{.title = report.options.clients == 1
                           ? "Latency over time: mean, least and most"
                           : "Latency of the first client over time: mean, least and most",
              .x = {.title = "seconds"},
              .y = {.title = "us", .scale = Scale::LOGARITHMIC}};
    for (const PathReport& path : report.paths) {
        Curve curve = curveOf(path);
        std::uint64_t segment = 0;
        for (const TimeSeries::Point& point : path.series.points()) {
            if (point.segment != segment &&
                !curve.points.empty()) {  // other paths had their segments
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
    for (const PathReport& path : report.paths) {
        Curve curve = curveOf(path);
        const auto count = static_cast<double>(path.latency.count());
        const double last = count > 0 ? std::log10(count) : -1;
        for (double nines = 0; nines <= last; nines += kStep) {
            const double fraction = 1 - std::pow(10, -nines);
            const std::chrono::nanoseconds latency = path.latency.quantile(fraction);
            if (latency == kEndless) {
                break;
            }
            curve.points.push_back({nines, microseconds(latency)});
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

/// Bins of equal width on a logarithmic axis, the same for all paths.
Plot histogram(const Report& report) {
    constexpr std::size_t kBins = 120;
    Plot plot{.title = "How latencies are distributed: frames in each of 120 bins",
              .x = {.title = "us", .scale = Scale::LOGARITHMIC},
              .y = {.title = "%"}};
    double low = 0;
    double high = 0;
    for (const PathReport& path : report.paths) {
        if (path.latency.max().count() > 0) {  // it has an output
            const double least = std::log10(std::max(microseconds(path.latency.min()), 1e-3));
            const double most = std::log10(std::max(microseconds(path.latency.max()), 1e-3));
            low = high == low ? least : std::min(low, least);
            high = std::max({high, most, low + 1e-3});
        }
    }
    const double width = (high - low) / kBins;
    for (const PathReport& path : report.paths) {
        std::vector<double> shares(kBins);
        for (const Histogram::Bucket& bucket : path.latency.histogram().buckets()) {
            const double middle = microseconds(bucket.begin + bucket.end) / 2;
            const double place = (std::log10(middle) - low) / width;
            const auto bin =
                static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(kBins - 1)));
            shares[bin] += 100.0 * static_cast<double>(bucket.count) /
                           static_cast<double>(path.latency.count());
        }
        Curve curve = curveOf(path);
        for (std::size_t bin = 0; path.latency.max().count() > 0 && bin < kBins; ++bin) {
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
    for (const auto& [name, fraction, figure] :
         {std::tuple("p50", 0.0, &Summary::p50), std::tuple("p90", 0.9, &Summary::p90),
          std::tuple("p99", 0.99, &Summary::p99), std::tuple("p99.9", 0.999, &Summary::p999),
          std::tuple("max", 0.0, &Summary::max)}) {
        const bool isShown = std::ranges::all_of(report.paths, [&](const PathReport& path) {
            const double value = summarise(path.latency).*figure;
            return canShow(path.latency.count(), fraction) && value > 0 && std::isfinite(value);
        });
        if (!isShown) {
            continue;
        }
        BarGroup& group = chart.groups.emplace_back();
        group.name = name;
        for (const PathReport& path : report.paths) {
            group.bars.push_back({.name = toString(path.path),
                                  .colour = static_cast<std::size_t>(path.path),
                                  .value = summarise(path.latency).*figure});
        }
    }
    return chart;
}

std::string htmlCell(std::optional<double> value) {
    return value ? tools::numberText(*value) : "";
}

void addRow(HtmlTable& table, Path path, const char* what, const Distribution& distribution) {
    if (distribution.count() == 0) {
        return;
    }
    const Summary summary = summarise(distribution);
    const ShownPercentiles shown = shownPercentiles(summary);
    table.add({fmt::format("{}, {}", toString(path), what), tools::numberText(summary.min),
               tools::numberText(summary.p50), htmlCell(shown.p90), htmlCell(shown.p99),
               htmlCell(shown.p999), tools::numberText(summary.max),
               tools::numberText(summary.mean), tools::numberText(summary.standardDeviation)});
}

std::string distributions(const Report& report) {
    HtmlTable table({"us", "min", "p50", "p90", "p99", "p99.9", "max", "mean", "std"});
    for (const PathReport& path : report.paths) {
        addRow(table, path.path, "latency", path.latency);
    }
    for (const PathReport& path : report.paths) {
        addRow(table, path.path, "jitter", path.jitter);
    }
    for (const PathReport& path : report.paths) {
        addRow(table, path.path, "in driver", path.timeInDriver);
    }
    return table.html();
}

std::string costs(const Report& report) {
    HtmlTable table({"path", "frames/s", "refused", "late", "unsent", "most in flight",
                     "client, us/frame", "driver, us/frame", "client, calls/frame",
                     "driver, calls/frame"});
    for (const PathReport& path : report.paths) {
        const auto orDash = [](const auto& value, auto figure) {
            return value ? tools::numberText(figure(*value)) : std::string("-");
        };
        table.add(
            {toString(path.path), tools::numberText(path.throughput),
             std::to_string(path.misses.refused), std::to_string(path.misses.late),
             std::to_string(path.misses.unsent), std::to_string(path.mostInFlight),
             tools::numberText(path.clientProcessor.perFrame),
             orDash(path.driverProcessor, [](const ProcessorTime& time) { return time.perFrame; }),
             orDash(path.calls, [](const CallRate& calls) { return calls.client; }),
             orDash(path.calls ? path.calls->driver : std::nullopt,
                    [](double calls) { return calls; })});
    }
    std::string text = table.html();
    if (!report.noDriverProcessor.empty()) {
        text += fmt::format("<p>Processor time of the driver not measured: {}</p>\n",
                            escaped(report.noDriverProcessor));
    }
    if (!report.noCalls.empty()) {
        text += fmt::format("<p>System calls not counted: {}</p>\n", escaped(report.noCalls));
    }
    if (const std::string memory = memoryText(report); !memory.empty()) {
        text += fmt::format("<p>{}</p>\n", escaped(memory));
    }
    return text;
}

/// A table of the cost of waiting on both sides of bursts.
std::string waits(const Report& report) {
    std::vector<std::string> heads{"waiting"};
    for (const WaitStat& stat : kWaitStats) {
        heads.push_back(fmt::format("{}{}", stat.label,
                                    stat.time != nullptr ? ", % of a processor" : "/frame"));
    }
    HtmlTable table(std::move(heads));
    for (const PathReport& path : report.paths) {
        if (!path.waits) {
            continue;
        }
        for (const auto& [side, rates] : sidesOf(*path.waits)) {
            std::vector<HtmlTable::Cell> cells{fmt::format("{}, {}", toString(path.path), side)};
            for (std::size_t i = 0; i < kWaitStats.size(); ++i) {
                cells.emplace_back(kWaitStats[i].time != nullptr ? tools::numberText(rates[i] * 100)
                                                                 : tools::numberText(rates[i], 2));
            }
            table.add(std::move(cells));
        }
    }
    return table.html();
}

std::string settings(const Report& report) {
    std::string text;
    if (const std::string incomplete = incompleteText(report); !incomplete.empty()) {
        text += fmt::format("<p><strong>This report is not whole: {}.</strong></p>\n",
                            escaped(incomplete));
    }
    text += fmt::format("<p>{}</p>\n<p class=\"quiet\">{}.<br>\n{}.</p>\n",
                        escaped(verdictText(report)), escaped(settingsText(report)),
                        escaped(machineText(report)));
    if (report.paths.size() > 1) {
        text += report.isSameOnAllPaths
                    ? "<p>Outputs are identical bit for bit on all paths.</p>\n"
                    : "<p><strong>Outputs are not the same on all paths.</strong></p>\n";
    }
    return text;
}

}  // namespace

std::string toHtml(const Report& report) {
    const std::string title = "nnburst-stream: " + report.options.model;
    std::string body = fmt::format("<h1>{}</h1>\n", escaped(title));
    body += settings(report) + distributions(report) + costs(report) + waits(report);
    body += toSvg(comparison(report)) + toSvg(latencyOverTime(report)) +
            toSvg(percentileCurve(report)) + toSvg(histogram(report));
    body += "<pre>";
    for (const PathReport& path : report.paths) {
        body += fmt::format("{}: {}\n", toString(path.path), benchmarkLine(path.latency));
    }
    return tools::reportPage(title, body + "</pre>\n");
}

}  // namespace nnburst::stream
