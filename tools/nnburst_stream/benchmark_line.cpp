// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/benchmark_line.h"

#include <fmt/format.h>

#include <cmath>

namespace nnburst::stream {

std::string benchmarkLine(const Distribution& latency) {
    if (latency.count() == 0) {
        return "count=0";
    }
    const Summary summary = summarise(latency);
    return fmt::format(
        "count={} first={} curr={} min={} max={} avg={:g} std={} p50={:.1f} p90={:.1f} p99={:.1f} "
        "p99.9={:.1f}",
        summary.count, std::llround(summary.first), std::llround(summary.last),
        std::llround(summary.min), std::llround(summary.max), summary.mean,
        std::llround(summary.standardDeviation), summary.p50, summary.p90, summary.p99,
        summary.p999);
}

}  // namespace nnburst::stream
