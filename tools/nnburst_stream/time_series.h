// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Latency over the time of a stream, in memory that does not grow with its length.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nnburst::stream {

/// A point is the same number of consecutive frames. When all points are used, each pair of points
/// is merged, and a point has twice as many frames: a long stream has as many points as a short
/// one.
class TimeSeries {
  public:
    static constexpr std::size_t kMaximumPoints = 512;

    /// Allocates the memory of all points.
    TimeSeries() { points_.reserve(kMaximumPoints); }

    /// One or more consecutive frames.
    struct Point {
        std::chrono::nanoseconds time{};  ///< of the first of them, since the stream's begin
        std::uint64_t segment = 0;        ///< of the first of them
        std::chrono::nanoseconds min{};
        std::chrono::nanoseconds max{};
        double sum = 0;  ///< of the latencies, in nanoseconds
        std::uint64_t count = 0;

        [[nodiscard]] double mean() const noexcept { return sum / static_cast<double>(count); }
    };

    /// Begins a segment: later frames do not follow those before, and begin a point of their own.
    void beginSegment() noexcept { ++segment_; }
    /// Adds a frame. Never allocates.
    void add(std::chrono::nanoseconds time, std::chrono::nanoseconds latency) noexcept;
    [[nodiscard]] const std::vector<Point>& points() const noexcept { return points_; }

  private:
    void mergePairs() noexcept;

    std::vector<Point> points_;
    std::uint64_t framesOfPoint_ = 1;
    std::uint64_t segment_ = 0;
};

}  // namespace nnburst::stream
