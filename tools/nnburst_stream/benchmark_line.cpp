// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/benchmark_line.h"

#include <fmt/format.h>

#include <utility>

namespace nnburst::stream {

std::string benchmarkLine(const Distribution& latency) {
    if (latency.count() == 0) {
        return "count=0";
    }
    const Summary summary = summarise(latency);
    std::string line = fmt::format(
        "count={} first={:.0f} curr={:.0f} min={:.0f} max={:.0f} avg={:g} std={:.0f} p50={:.1f}",
        summary.count, summary.first, summary.last, summary.min, summary.max, summary.mean,
        summary.standardDeviation, summary.p50);
    const ShownPercentiles shown = shownPercentiles(summary);
    for (const auto& [name, value] : {std::pair("p90", shown.p90), std::pair("p99", shown.p99),
                                      std::pair("p99.9", shown.p999)}) {
        if (value) {
            line += fmt::format(" {}={:.1f}", name, *value);
        }
    }
    return line;
}

}  // namespace nnburst::stream
