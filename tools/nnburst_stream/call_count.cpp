// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/call_count.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "nnburst_stream/path_comparison.h"
#include "support/system_calls.h"

namespace nnburst::stream {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

/// Limit on the counted frames of each path.
constexpr std::uint64_t kCountedFrames = 200;
/// Frames before the counted ones, so that memory is mapped and threads have started.
constexpr std::uint64_t kFramesBefore = 10;

/// Marks the begin and the end of the counted frames of each path, so that they are odd sections,
/// and says how many there were.
Result<> sendMarked(const Options& options, const TfliteModel& model, const FrameBank& frames,
                    const std::atomic<bool>& stop) {
    tools::discardStandardError();
    NNBURST_TRY_ASSIGN(PathComparison comparison, PathComparison::create(options, model, frames));
    for (const Path path : options.paths()) {
        Recorder recorder(steady_clock::now(), std::nullopt, std::nullopt);
        Segment segment = shortSegment(options, kFramesBefore, 0ns);
        segment.spin = kSpinAllTime;
        NNBURST_TRY(sendSegment(comparison.target(path), segment, recorder, stop));
        segment = shortSegment(options, kCountedFrames, recorder.latency().finiteMedian());
        segment.warmUp = 0;
        segment.spin = kSpinAllTime;
        tools::markSystemCalls();
        NNBURST_TRY_ASSIGN(const std::uint64_t sent,
                           sendSegment(comparison.target(path), segment, recorder, stop));
        if (stop) {
            return failure(ErrorStatus::GENERAL_FAILURE, "it was stopped");
        }
        tools::markSystemCalls(sent);
    }
    return {};
}

}  // namespace

Result<std::vector<CallRate>> countCalls(const Options& options, const TfliteModel& model,
                                         const FrameBank& frames, const std::atomic<bool>& stop) {
    Options counted = options;
    counted.clients = 1;
    NNBURST_TRY_ASSIGN(
        const std::vector<tools::TracedCounts> sections,
        tools::countSystemCalls([&] { return sendMarked(counted, model, frames, stop); }));
    std::vector<CallRate> rates;
    for (std::size_t i = 0; i < counted.paths().size(); ++i) {
        const tools::TracedCounts& calls = sections.at(2 * i + 1);
        const auto sent = static_cast<double>(calls.value);
        CallRate rate{.client = static_cast<double>(calls.own) / sent};
        if (options.device == "spawn") {
            rate.driver = static_cast<double>(calls.descendants) / sent;
        }
        rates.push_back(rate);
    }
    return rates;
}

}  // namespace nnburst::stream
