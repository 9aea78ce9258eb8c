// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/report.h"

#include <algorithm>

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
        clients.push_back(figuresOf(clients.size(), recorder));
        report.throughput += clients.back().throughput;
    }
    const auto [fastest, slowest] = std::ranges::minmax_element(clients, {}, &ClientFigures::p50);
    report.fastest = *fastest;
    report.slowest = *slowest;
    report.clientProcessor = processorTime(measurement.clientTime, measurement);
    if (hasDriverTime) {
        report.driverProcessor = processorTime(measurement.driverTime, measurement);
    }
    return report;
}

}  // namespace nnburst::stream
