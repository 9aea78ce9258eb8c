// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/thread_option.h"

namespace nnburst::stream {

namespace {

using Microseconds = std::chrono::duration<double, std::micro>;
using Seconds = std::chrono::duration<double>;

ClientFigures figuresOf(std::size_t client, const Recorder& recorder) {
    const Summary latency = summarise(recorder.latency());
    const double seconds = Seconds(recorder.measuredTime()).count();
    return {.client = client,
            .p50 = latency.p50,
            .p99 = latency.p99,
            .throughput = seconds > 0 ? static_cast<double>(latency.count) / seconds : 0};
}

ProcessorTime processorTime(nanoseconds used, const WayMeasurement& measurement) {
    const auto frames = static_cast<double>(std::max<std::uint64_t>(measurement.frames, 1));
    const double elapsed = Seconds(measurement.elapsed).count();
    return {.perFrame = Microseconds(used).count() / frames,
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
std::optional<BurstWaitRates> waitRatesOf(const WayMeasurement& measurement, std::uint64_t frames) {
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
    for (const Way way : options.baselines) {
        if (options.inFlightOn(way) == 1) {
            others += fmt::format("{}{}", others.empty() ? "" : ", ", toString(way));
        }
    }
    return fmt::format(", {} frames in flight{}", options.inFlight,
                       others.empty() ? "" : fmt::format(" ({}: 1)", others));
}

/// "1 client", "2 clients".
std::string counted(std::size_t count, const char* noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

WayReport reportOf(const WayMeasurement& measurement, bool hasDriverTime) {
    WayReport report;
    report.way = measurement.way;
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
    report.waits = waitRatesOf(measurement, report.latency.count());
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
                                   tools::threadsText(options.threads), toString(options.wait));
    if (options.deadlineMs) {
        text += fmt::format(", deadline {:g} ms", *options.deadlineMs);
    }
    return text;
}

std::string machineText(const Report& report) {
    return fmt::format("device {} ({}) on {}, {}, {}", report.options.device, report.deviceVersion,
                       report.processor, counted(report.processors, "processor"), report.kernel);
}

}  // namespace nnburst::stream
