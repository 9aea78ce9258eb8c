// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A segment: frames that one client sends on one path without a break. A measurement is divided
/// into segments, so that paths can alternate.

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

/// The length of a segment: it ends when both are reached.
struct SegmentLength {
    std::uint64_t frames = 0;
    std::chrono::nanoseconds time{};

    bool operator==(const SegmentLength&) const = default;
};

/// The segments of one path in all rounds. There is one if there are no baselines; else there are
/// up to 20, each of at least 25 frames, or of at least a quarter of a second and ten periods, as
/// far as the measurement is that long.
[[nodiscard]] std::vector<SegmentLength> divideIntoSegments(const Options& options);

/// The frames that are sent in a segment.
struct Segment {
    TimePoint start;               ///< when the first frame is due, if there is a period
    std::uint64_t firstFrame = 0;  ///< its number
    std::uint64_t warmUp = 0;      ///< frames at the beginning that are not measured
    SegmentLength length;          ///< of the measured frames
    std::optional<std::chrono::nanoseconds> period;
    std::optional<std::chrono::nanoseconds> deadline;  ///< of each frame, after it is due
    MeasureTiming measure = MeasureTiming::NO;
    std::chrono::nanoseconds spin = kSpinBeforeDue;
};

/// A segment with the stream's deadline and its period, which is 100 ms at most, that begins now,
/// for a pass beside the measurement. It takes at most half a second if a frame takes `perFrame`,
/// but has at least five frames. It never has more than `most` frames or than the stream has.
[[nodiscard]] Segment shortSegment(const Options& options, std::uint64_t most,
                                   std::chrono::nanoseconds perFrame);

/// Sends the frames of a segment, each when it is due, or as soon as the target has a free buffer
/// for it if that is later. Collects their outputs in order: whenever all buffers are in use, and
/// while the next frame is not due. It cannot collect and send at the same time. So it collects the
/// next output first only if that may come before the next frame is due, going by the quickest one
/// so far. When the time is over, frames that were due and not sent are recorded as unsent. Ends
/// early when `stop` is set, also while the next frame is not due. Allocates nothing in the loop.
/// Returns the number of frames that were sent, with those that are not measured. Missed deadlines
/// are recorded; any other error ends the segment.
[[nodiscard]] Result<std::uint64_t> sendSegment(Target& target, const Segment& segment,
                                                Recorder& recorder, const std::atomic<bool>& stop);

}  // namespace nnburst::stream
