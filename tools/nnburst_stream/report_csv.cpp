// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "nnburst_stream/report.h"

namespace nnburst::stream {

namespace {

std::string cell(std::optional<double> value) {
    return value ? fmt::format("{:.3f}", *value) : "";
}

}  // namespace

std::string toCsv(const Report& report) {
    std::string csv =
        "way,frames,min_us,p50_us,p90_us,p99_us,p99.9_us,max_us,mean_us,std_us,frames_per_second,"
        "refused,late,unsent,client_us_per_frame,driver_us_per_frame\n";
    for (const PathReport& path : report.paths) {
        const Summary latency = summarise(path.latency);
        const ShownPercentiles shown = shownPercentiles(latency);
        csv += fmt::format(
            "{},{},{:.3f},{:.3f},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{},{},{},{:.3f},{}\n",
            toString(path.path), latency.count, latency.min, latency.p50, cell(shown.p90),
            cell(shown.p99), cell(shown.p999), latency.max, latency.mean, latency.standardDeviation,
            path.throughput, path.misses.refused, path.misses.late, path.misses.unsent,
            path.clientProcessor.perFrame,
            path.driverProcessor ? cell(path.driverProcessor->perFrame) : "");
    }
    return csv;
}

}  // namespace nnburst::stream
