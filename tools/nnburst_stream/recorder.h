// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Records the frames of one client on one path.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "nnburst/types.h"
#include "nnburst/wait_stats.h"
#include "nnburst_stream/distribution.h"
#include "nnburst_stream/time_series.h"

namespace nnburst::stream {

/// The times of a frame, and whether it was refused.
struct FrameRecord {
    TimePoint due;           ///< when it was due, or submitted if there is no rate
    TimePoint completed;     ///< when its output came, or its refusal
    bool isRefused = false;  ///< by the device, for its deadline
    Timing timing;
};

/// Counts of frames that were not executed in time.
struct Misses {
    std::uint64_t refused = 0;  ///< by the device, for the deadline: they have no output
    std::uint64_t late = 0;     ///< the output came after the deadline
    std::uint64_t unsent = 0;   ///< were due, but not sent when the time was over
};

/// Adding never allocates. Not thread-safe, but for latency().histogram().
class Recorder {
  public:
    /// Times of the series count from `begin`. Without a `period` there is no jitter.
    Recorder(TimePoint begin, std::optional<nanoseconds> period,
             std::optional<nanoseconds> deadline) noexcept
        : begin_(begin), period_(period), deadline_(deadline) {}

    /// Begins a segment: later frames do not follow those before.
    void beginSegment() noexcept;
    /// Adds a frame that is not measured. The latency of a refused one is endless here too.
    void addWarmUp(const FrameRecord& frame) noexcept;
    /// Adds a frame. The latency of a refused one is endless: leaving it out would make a stream
    /// look better the more frames it loses, and so would the short time until the refusal.
    void add(const FrameRecord& frame) noexcept;
    /// Adds frames that were due but not sent. Their latency is endless.
    void addUnsent(std::uint64_t frames) noexcept;
    /// Notes how many frames are in flight.
    void noteInFlight(std::uint64_t frames) noexcept {
        mostInFlight_ = std::max(mostInFlight_, frames);
    }
    /// Adds the waiting between two readings of the statistics.
    void addWaits(const BurstWaitStats& begin, const BurstWaitStats& end) noexcept;

    [[nodiscard]] const Distribution& latency() const noexcept { return latency_; }
    [[nodiscard]] const Distribution& warmUp() const noexcept { return warmUp_; }
    /// Of the intervals between one output and the next within a segment: how much each differs
    /// from the period, in either direction. A frame without output makes one interval longer.
    [[nodiscard]] const Distribution& jitter() const noexcept { return jitter_; }
    /// The time in the driver and in its kernels as the driver measured it, of frames for which it
    /// was asked.
    [[nodiscard]] const Distribution& timeInDriver() const noexcept { return timeInDriver_; }
    [[nodiscard]] const Distribution& timeOnDevice() const noexcept { return timeOnDevice_; }
    [[nodiscard]] const TimeSeries& series() const noexcept { return series_; }
    [[nodiscard]] const Misses& misses() const noexcept { return misses_; }
    /// The largest number of frames that were in flight at once.
    [[nodiscard]] std::uint64_t mostInFlight() const noexcept { return mostInFlight_; }
    /// nullopt if nothing was added.
    [[nodiscard]] const std::optional<BurstWaitStats>& waits() const noexcept { return waits_; }
    /// The time from the moment at which the first measured frame of each segment was due to the
    /// last output, or to the moment at which the next frame would have been due, if that is later.
    [[nodiscard]] nanoseconds measuredTime() const noexcept { return measuredTime_; }

  private:
    void addInterval(const FrameRecord& frame, bool isMeasured) noexcept;

    TimePoint begin_;
    std::optional<nanoseconds> period_;
    std::optional<nanoseconds> deadline_;
    Distribution latency_;
    Distribution warmUp_;
    Distribution jitter_;
    Distribution timeInDriver_;
    Distribution timeOnDevice_;
    TimeSeries series_;
    Misses misses_;
    std::uint64_t mostInFlight_ = 0;
    std::optional<BurstWaitStats> waits_;
    nanoseconds measuredTime_{};
    std::optional<TimePoint> lastOutput_;     ///< of this segment
    std::optional<TimePoint> measuredUntil_;  ///< of this segment
};

}  // namespace nnburst::stream
