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

/// Frames one after the other, equally many in each point. When all points are used, pairs become
/// one and there is room again: a long stream has as many points as a short one, of more frames.
class TimeSeries {
  public:
    static constexpr std::size_t kMaximumPoints = 512;

    /// Allocates the memory of all points.
    TimeSeries() { points_.reserve(kMaximumPoints); }

    /// Of one or more frames.
    struct Point {
        std::chrono::nanoseconds time{};  ///< of the first of them, since the stream's begin
        std::uint64_t turn = 0;           ///< of the first of them
        std::chrono::nanoseconds min{};
        std::chrono::nanoseconds max{};
        double sum = 0;  ///< of the latencies, in nanoseconds
        std::uint64_t count = 0;

        [[nodiscard]] double mean() const noexcept { return sum / static_cast<double>(count); }
    };

    /// Frames that come next do not follow those before: a point of their own begins.
    void beginTurn() noexcept { ++turn_; }
    /// Adds a frame. Never allocates.
    void add(std::chrono::nanoseconds time, std::chrono::nanoseconds latency) noexcept;
    [[nodiscard]] const std::vector<Point>& points() const noexcept { return points_; }

  private:
    void mergePairs() noexcept;

    std::vector<Point> points_;
    std::uint64_t framesOfPoint_ = 1;
    std::uint64_t turn_ = 0;
};

}  // namespace nnburst::stream
