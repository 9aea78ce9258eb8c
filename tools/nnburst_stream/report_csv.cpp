// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "nnburst_stream/report.h"

namespace nnburst::stream {

namespace {

std::string shown(std::uint64_t count, double fraction, double value) {
    return canShow(count, fraction) ? fmt::format("{:.3f}", value) : "";
}

}  // namespace

std::string toCsv(const Report& report) {
    std::string csv =
        "way,frames,min_us,p50_us,p90_us,p99_us,p99.9_us,max_us,mean_us,std_us,frames_per_second,"
        "refused,late,unsent,client_us_per_frame,driver_us_per_frame\n";
    for (const WayReport& way : report.ways) {
        const Summary latency = summarise(way.latency);
        csv += fmt::format(
            "{},{},{:.3f},{:.3f},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{},{},{},{:.3f},{}\n",
            toString(way.way), latency.count, latency.min, latency.p50,
            shown(latency.count, 0.9, latency.p90), shown(latency.count, 0.99, latency.p99),
            shown(latency.count, 0.999, latency.p999), latency.max, latency.mean,
            latency.standardDeviation, way.throughput, way.misses.refused, way.misses.late,
            way.misses.unsent, way.clientProcessor.perFrame,
            way.driverProcessor ? fmt::format("{:.3f}", way.driverProcessor->perFrame) : "");
    }
    return csv;
}

}  // namespace nnburst::stream
