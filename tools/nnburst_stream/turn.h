// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A turn: frames that one client sends on one way without a break; and how a measurement is
/// divided into turns.

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/types.h"
#include "nnburst_stream/options.h"
#include "nnburst_stream/pace.h"
#include "nnburst_stream/recorder.h"
#include "nnburst_stream/target.h"

namespace nnburst::stream {

/// How much a turn is to measure: it ends when both are reached.
struct TurnLength {
    std::uint64_t frames = 0;
    std::chrono::nanoseconds time{};

    bool operator==(const TurnLength&) const = default;
};

/// The turns of one way in all rounds. One if there is nothing to compare with; else up to 20, of
/// at least 25 frames or a quarter of a second, and ten periods, if there is as much.
[[nodiscard]] std::vector<TurnLength> divideIntoTurns(const Options& options);

/// What is sent in a turn.
struct Turn {
    TimePoint start;               ///< when the first frame is due, if there is a period
    std::uint64_t firstFrame = 0;  ///< its number
    std::uint64_t warmUp = 0;      ///< frames at the beginning that are not measured
    TurnLength length;             ///< of those that are
    std::optional<std::chrono::nanoseconds> period;
    std::optional<std::chrono::nanoseconds> deadline;  ///< of each frame, after it is due
    MeasureTiming measure = MeasureTiming::NO;
    std::chrono::nanoseconds spin = kSpinBeforeDue;
};

/// A turn with the stream's period and deadline that begins now, for a pass beside the measurement:
/// of at most \p most frames, and of no more than take half a second if a frame takes \p perFrame,
/// but of five.
[[nodiscard]] Turn shortTurn(const Options& options, std::uint64_t most,
                             std::chrono::nanoseconds perFrame);

/// Sends the frames of a turn, each when it is due, or as soon as the target has a place for it if
/// that is later, and collects their outputs in order: whenever all places are taken, and while the
/// next frame is not due. It cannot do that and send a frame at the same time, so it sends the
/// frame when it is due if no output can be there before, going by the quickest one so far; else it
/// collects the output first. When the time is over, frames that were due and still wait are
/// recorded as not sent. Ends early when `stop` is set. Allocates nothing in the loop. Gives the
/// number of frames that were sent, with those that are not measured. Missed deadlines are
/// recorded; any other error ends it.
[[nodiscard]] Result<std::uint64_t> sendTurn(Target& target, const Turn& turn, Recorder& recorder,
                                             const std::atomic<bool>& stop);

}  // namespace nnburst::stream
