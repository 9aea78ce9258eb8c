// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What is recorded of the frames of one client on one way.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "nnburst/types.h"
#include "nnburst/wait_stats.h"
#include "nnburst_stream/distribution.h"
#include "nnburst_stream/time_series.h"

namespace nnburst::stream {

/// How a frame went.
struct FrameRecord {
    TimePoint due;           ///< when it was due, or submitted if there is no rate
    TimePoint completed;     ///< when its output was there, or the device had refused it
    bool isRefused = false;  ///< by the device, because it would miss or has missed its deadline
    Timing timing;
};

/// Frames that did not go as they should.
struct Misses {
    std::uint64_t refused = 0;  ///< the device gave them up for the deadline: they have no output
    std::uint64_t late = 0;     ///< the output came after the deadline
    std::uint64_t unsent = 0;   ///< were due, but still waited for others when the time was over
};

/// Adding never allocates. Not thread-safe, but for latency().histogram().
class Recorder {
  public:
    /// Times of the series count from `begin`. Without a `period` there is no jitter.
    Recorder(TimePoint begin, std::optional<nanoseconds> period,
             std::optional<nanoseconds> deadline) noexcept
        : begin_(begin), period_(period), deadline_(deadline) {}

    /// Frames that come next do not follow those before.
    void beginTurn() noexcept;
    /// Adds a frame that is not measured.
    void addWarmUp(const FrameRecord& frame) noexcept;
    /// Adds a frame. The latency of one that was refused counts, too: leaving it out would make a
    /// stream look better the more frames it loses.
    void add(const FrameRecord& frame) noexcept;
    /// Adds frames that were due but not sent. They have no latency.
    void addUnsent(std::uint64_t frames) noexcept { misses_.unsent += frames; }
    /// So many frames are under way.
    void noteInFlight(std::uint64_t frames) noexcept {
        mostInFlight_ = std::max(mostInFlight_, frames);
    }
    /// Adds what waiting has cost from one moment to another.
    void addWaits(const BurstWaitStats& begin, const BurstWaitStats& end) noexcept;

    [[nodiscard]] const Distribution& latency() const noexcept { return latency_; }
    [[nodiscard]] const Distribution& warmUp() const noexcept { return warmUp_; }
    /// Of the intervals between one output and the next within a turn: how much each differs from
    /// the period, in either direction. A frame without output makes one interval longer.
    [[nodiscard]] const Distribution& jitter() const noexcept { return jitter_; }
    /// In the driver and in the kernels, as the driver says, of frames for which it was asked.
    [[nodiscard]] const Distribution& timeInDriver() const noexcept { return timeInDriver_; }
    [[nodiscard]] const Distribution& timeOnDevice() const noexcept { return timeOnDevice_; }
    [[nodiscard]] const TimeSeries& series() const noexcept { return series_; }
    [[nodiscard]] const Misses& misses() const noexcept { return misses_; }
    /// The most frames that were under way at once.
    [[nodiscard]] std::uint64_t mostInFlight() const noexcept { return mostInFlight_; }
    /// None if nothing was added.
    [[nodiscard]] const std::optional<BurstWaitStats>& waits() const noexcept { return waits_; }
    /// From the moment at which the first measured frame of each turn was due to the last answer,
    /// or to when the next frame would have been due, if that is later.
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
    std::optional<TimePoint> lastOutput_;     ///< of this turn
    std::optional<TimePoint> measuredUntil_;  ///< of this turn
};

}  // namespace nnburst::stream
