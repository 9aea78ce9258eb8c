// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "support/latency.h"

namespace nnburst::stream {

namespace {

constexpr std::chrono::seconds kIntervalOfLines{5};
/// Moves to the beginning of the line and erases it.
constexpr const char* kEraseLine = "\r\x1b[K";

}  // namespace

std::string progressLine(Path path, std::chrono::nanoseconds elapsed, const Histogram& latency,
                         std::optional<std::chrono::nanoseconds> left) {
    const auto microseconds = [&](double fraction) {
        const std::chrono::nanoseconds quantile = latency.quantile(fraction);
        return quantile == kEndless ? std::numeric_limits<double>::infinity()
                                    : tools::microseconds(quantile);
    };
    const std::string line =
        fmt::format("{:<10}{:>8.1f} s{:>10} frames  p50{:>10.1f} us  p99{:>10.1f} us",
                    toString(path), std::chrono::duration<double>(elapsed).count(), latency.count(),
                    microseconds(0.5), microseconds(0.99));
    return left ? fmt::format("{}, {:.0f} s left", line,
                              std::max(0.0, std::chrono::duration<double>(*left).count()))
                : line;
}

Progress::Progress(std::FILE* stream)
    : stream_(stream), isTerminal_(::isatty(::fileno(stream)) == 1) {}

void Progress::show(const PathMeasurement& measurement, std::chrono::nanoseconds elapsed,
                    std::optional<std::chrono::nanoseconds> left) {
    const auto now = std::chrono::steady_clock::now();
    if (!isTerminal_ && lastShown_ && now - *lastShown_ < kIntervalOfLines) {
        return;
    }
    Histogram all;
    for (const Recorder& client : measurement.clients) {
        all.add(client.latency().histogram());
    }
    if (all.count() == 0) {
        return;
    }
    lastShown_ = now;
    const std::string line = progressLine(measurement.path, elapsed, all, left);
    write(isTerminal_ ? kEraseLine + line : line + '\n');
}

void Progress::clear() {
    if (isTerminal_) {
        write(kEraseLine);
    }
}

void Progress::write(const std::string& text) {
    // Not by fmt::print, which throws if it cannot write: the measurement goes on all the same.
    (void)std::fputs(text.c_str(), stream_);
    (void)std::fflush(stream_);
}

}  // namespace nnburst::stream
