// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "support/latency.h"
#include "support/thread_option.h"

namespace nnburst::stream {

namespace {

using Seconds = std::chrono::duration<double>;

ClientFigures figuresOf(std::size_t client, const Recorder& recorder) {
    const Summary latency = summarise(recorder.latency());
    const double seconds = Seconds(recorder.measuredTime()).count();
    const Misses& misses = recorder.misses();
    const auto outputs = static_cast<double>(latency.count - misses.refused - misses.unsent);
    return {.client = client,
            .p50 = latency.p50,
            .p99 = shownPercentiles(latency).p99,
            .throughput = seconds > 0 ? outputs / seconds : 0};
}

ProcessorTime processorTime(nanoseconds used, const PathMeasurement& measurement) {
    const auto frames = static_cast<double>(std::max<std::uint64_t>(measurement.frames, 1));
    const double elapsed = Seconds(measurement.elapsed).count();
    return {.perFrame = tools::microseconds(used) / frames,
            .share = elapsed > 0 ? Seconds(used).count() / elapsed : 0};
}

void add(WaitRates& rates, const WaitStats& stats, const Recorder& recorder, double frames) {
    const auto nanoseconds = static_cast<double>(recorder.measuredTime().count());
    for (std::size_t i = 0; i < kWaitStats.size(); ++i) {
        const auto value = static_cast<double>(kWaitStats[i].of(stats));
        const double whole = kWaitStats[i].time != nullptr ? nanoseconds : frames;
        rates[i] += whole > 0 ? value / whole : 0;
    }
}

/// nullopt if no client has waited on a burst.
std::optional<BurstWaitRates> waitRatesOf(const PathMeasurement& measurement,
                                          std::uint64_t frames) {
    const auto all = static_cast<double>(std::max<std::uint64_t>(frames, 1));
    std::optional<BurstWaitRates> rates;
    for (const Recorder& recorder : measurement.clients) {
        if (recorder.waits()) {
            rates = rates.value_or(BurstWaitRates());
            add(rates->client, recorder.waits()->client, recorder, all);
            add(rates->driver, recorder.waits()->driver, recorder, all);
        }
    }
    return rates;
}

/// ", 4 frames in flight (inprocess, rpc: 1)", or nothing if there is one.
std::string inFlightText(const Options& options) {
    if (options.inFlight == 1) {
        return {};
    }
    std::string others;
    for (const Path path : options.baselines) {
        if (options.inFlightOn(path) == 1) {
            others += fmt::format("{}{}", others.empty() ? "" : ", ", toString(path));
        }
    }
    return fmt::format(", {} frames in flight{}", options.inFlight,
                       others.empty() ? "" : fmt::format(" ({}: 1)", others));
}

/// "2 kernel threads"; of a device that this program does not make "the device's kernel threads",
/// and what a baseline in process has.
std::string threadsText(const Options& options) {
    const std::string text = tools::threadsText(options.threads);
    if (options.makesDevice()) {
        return text;
    }
    const bool hasOther =
        std::ranges::find(options.baselines, Path::IN_PROCESS) != options.baselines.end();
    return "the device's kernel threads" +
           (hasOther ? fmt::format(" (inprocess: {})", text) : std::string());
}

/// "1 client", "2 clients".
std::string counted(std::size_t count, const char* noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// When the first output of a point came, in nanoseconds since the stream's begin; of several, with
/// the mean of their latencies.
double outputTime(const TimeSeries::Point& point) {
    return static_cast<double>(point.time.count()) + point.mean();
}

}  // namespace

PathReport reportOf(const PathMeasurement& measurement, bool hasDriverTime) {
    PathReport report;
    report.path = measurement.path;
    report.series = measurement.clients.front().series();
    std::vector<ClientFigures> clients;
    for (const Recorder& recorder : measurement.clients) {
        report.latency.add(recorder.latency());
        report.warmUp.add(recorder.warmUp());
        report.jitter.add(recorder.jitter());
        report.misses.refused += recorder.misses().refused;
        report.misses.late += recorder.misses().late;
        report.misses.unsent += recorder.misses().unsent;
        report.mostInFlight = std::max(report.mostInFlight, recorder.mostInFlight());
        clients.push_back(figuresOf(clients.size(), recorder));
        report.throughput += clients.back().throughput;
    }
    const auto [fastest, slowest] = std::ranges::minmax_element(clients, {}, &ClientFigures::p50);
    report.fastest = *fastest;
    report.slowest = *slowest;
    report.waits = waitRatesOf(measurement, report.latency.count() - report.misses.unsent);
    report.clientProcessor = processorTime(measurement.clientTime, measurement);
    if (hasDriverTime) {
        report.driverProcessor = processorTime(measurement.driverTime, measurement);
    }
    return report;
}

std::array<std::pair<const char*, WaitRates>, 2> sidesOf(const BurstWaitRates& waits) {
    return {std::pair("client", waits.client), std::pair("driver", waits.driver)};
}

std::string settingsText(const Report& report) {
    const Options& options = report.options;
    std::string text = fmt::format("frames of {} bytes, {}, {}{}, {}, wait {}", report.frameBytes,
                                   options.rate ? fmt::format("{:g} a second", *options.rate)
                                                : std::string("as fast as it goes"),
                                   counted(options.clients, "client"), inFlightText(options),
                                   threadsText(options), toString(options.wait));
    if (options.deadlineMs) {
        text += fmt::format(", deadline {:g} ms", *options.deadlineMs);
    }
    if (report.isRealtimeGranted) {
        text += fmt::format(", real-time priority {}{}", options.realtime,
                            *report.isRealtimeGranted ? "" : " refused by the system");
    }
    return text;
}

std::string machineText(const Report& report) {
    return fmt::format("device {} ({}) on {}, {}, {}", report.options.device, report.deviceVersion,
                       report.processor, counted(report.processors, "processor"), report.kernel);
}

std::string verdictText(const Report& report) {
    const PathReport& first = report.paths.front();
    if (first.latency.count() == 0) {
        return "No frame was measured.";
    }
    const Summary latency = summarise(first.latency);
    std::string text =
        std::isfinite(latency.p50)
            ? fmt::format("A frame takes {:.1f} us by {} (median", latency.p50,
                          toString(first.path))
            : fmt::format("Most frames have no output by {} (median inf", toString(first.path));
    text += canShow(latency.count, 0.99) ? fmt::format("; p99 {:.1f})", latency.p99) : ")";
    for (std::size_t i = 1; i < report.paths.size(); ++i) {
        const PathReport& other = report.paths[i];
        const double ratio = latency.p50 / summarise(other.latency).p50;
        if (ratio > 0 && std::isfinite(ratio)) {
            text += fmt::format(", {:.2f} times {}", ratio, toString(other.path));
        }
    }
    const Misses& misses = first.misses;
    const std::uint64_t missed = misses.refused + misses.late + misses.unsent;
    if (report.options.deadlineMs) {
        text += fmt::format("; {} of {} frames missed their deadline", missed, latency.count);
    } else if (report.options.rate) {
        const bool keepsUp = first.throughput >= 0.99 * *report.options.rate *
                                                     static_cast<double>(report.options.clients);
        text += keepsUp ? "; the stream keeps its rate" : "; the stream does not keep its rate";
    }
    return text + ".";
}

std::string memoryText(const Report& report) {
    const auto megabytes = [](std::uint64_t bytes) {
        return fmt::format("{:.1f} MB", static_cast<double>(bytes) * 1e-6);
    };
    if (report.clientMemory == 0) {
        return {};
    }
    return fmt::format("memory: {} of this program{}", megabytes(report.clientMemory),
                       report.driverMemory == 0
                           ? ""
                           : fmt::format(", {} of the driver", megabytes(report.driverMemory)));
}

std::string incompleteText(const Report& report) {
    if (!report.failure.empty()) {
        return fmt::format("ended early, so this is what was measured until then: {}",
                           report.failure);
    }
    return report.isStopped ? "stopped before the end" : "";
}

std::vector<tools::BenchmarkRow> benchmarkRows(const Report& report) {
    // Pieces of the first client's frames in the order of time.
    constexpr std::size_t kPieces = 16;
    std::vector<tools::BenchmarkRow> rows;
    for (const PathReport& path : report.paths) {
        const Summary latency = summarise(path.latency);
        if (latency.count == 0) {
            continue;
        }
        const auto& points = path.series.points();
        const std::size_t size = std::max<std::size_t>(1, points.size() / kPieces);
        std::vector<double> medians;
        std::vector<double> maxima;
        std::vector<double> intervals;
        for (std::size_t begin = 0; begin + size <= points.size(); begin += size) {
            std::vector<double> piece;
            double most = 0;
            double time = 0;
            std::uint64_t outputs = 0;
            for (std::size_t i = begin; i < begin + size; ++i) {
                piece.push_back(points[i].mean());
                most = std::max(most, static_cast<double>(points[i].max.count()));
                if (i + 1 < points.size() && points[i + 1].segment == points[i].segment) {
                    time += outputTime(points[i + 1]) - outputTime(points[i]);
                    outputs += points[i].count;
                }
            }
            std::ranges::nth_element(piece, piece.begin() + static_cast<std::ptrdiff_t>(size / 2));
            medians.push_back(piece[size / 2]);
            maxima.push_back(most);
            if (outputs != 0) {
                intervals.push_back(time / static_cast<double>(outputs));
            }
        }
        const std::string name = fmt::format("{}/{}", report.options.model, toString(path.path));
        rows.push_back({.name = name + "/p50",
                        .iterations = latency.count,
                        .realTimeUs = latency.p50,
                        .processorTimeUs = path.clientProcessor.perFrame,
                        .noise = tools::noiseOf(medians)});
        if (canShow(latency.count, 0.99)) {
            rows.push_back({.name = name + "/p99",
                            .iterations = latency.count,
                            .realTimeUs = latency.p99,
                            .processorTimeUs = path.clientProcessor.perFrame,
                            .noise = tools::noiseOf(maxima)});
        }
        if (report.options.rate) {  // grows with each frame that has no output
            rows.push_back({.name = name + "/interval",
                            .iterations = latency.count,
                            .realTimeUs = 1e6 / path.throughput,
                            .processorTimeUs = path.clientProcessor.perFrame,
                            .noise = tools::noiseOf(intervals)});
        }
    }
    return rows;
}

}  // namespace nnburst::stream
