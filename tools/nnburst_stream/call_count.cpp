// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/call_count.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "nnburst_stream/session.h"
#include "support/system_calls.h"

namespace nnburst::stream {

namespace {

/// On each way, at most.
constexpr std::uint64_t kCountedFrames = 200;
/// Frames before, so that memory is known and threads have started.
constexpr std::uint64_t kFramesBefore = 10;

/// The frames of which calls are counted on each way.
Turn countedTurn(const Options& options) {
    Turn turn =
        shortTurn(options, std::min(options.frames.value_or(kCountedFrames), kCountedFrames));
    turn.warmUp = 0;
    turn.spin = kSpinAllTime;
    return turn;
}

/// Marks the begin and the end of the counted frames of each way, so that they are odd sections.
Result<> sendMarked(const Options& options, const TfliteModel& model, const FrameBank& frames) {
    NNBURST_TRY_ASSIGN(Session session, Session::create(options, model, frames));
    const std::atomic<bool> never = false;
    for (const Way way : options.ways()) {
        Turn before = shortTurn(options, kFramesBefore);
        before.spin = kSpinAllTime;
        Recorder recorder(before.start, before.period, before.deadline);
        NNBURST_TRY(sendTurn(session.target(way), before, recorder, never));
        const Turn counted = countedTurn(options);
        tools::markSystemCalls();
        NNBURST_TRY(sendTurn(session.target(way), counted, recorder, never));
        tools::markSystemCalls();
    }
    return {};
}

}  // namespace

Result<std::vector<CallRate>> countCalls(const Options& options, const TfliteModel& model,
                                         const FrameBank& frames) {
    Options counted = options;
    counted.clients = 1;
    NNBURST_TRY_ASSIGN(const std::vector<tools::SystemCalls> sections,
                       tools::countSystemCalls([&] { return sendMarked(counted, model, frames); }));
    const auto sent = static_cast<double>(countedTurn(counted).length.frames);
    std::vector<CallRate> rates;
    for (std::size_t i = 0; i < counted.ways().size(); ++i) {
        const tools::SystemCalls& calls = sections.at(2 * i + 1);
        CallRate rate{.client = static_cast<double>(calls.own) / sent};
        if (options.device == "spawn") {
            rate.driver = static_cast<double>(calls.descendants) / sent;
        }
        rates.push_back(rate);
    }
    return rates;
}

}  // namespace nnburst::stream
