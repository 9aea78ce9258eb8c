// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/time_series.h"

#include <algorithm>

namespace nnburst::stream {

void TimeSeries::add(std::chrono::nanoseconds time, std::chrono::nanoseconds latency) noexcept {
    if (points_.empty() || points_.back().count >= framesOfPoint_ ||
        points_.back().segment != segment_) {
        if (points_.size() == kMaximumPoints) {
            mergePairs();
        }
        points_.push_back({.time = time, .segment = segment_, .min = latency, .max = latency});
    }
    Point& point = points_.back();
    point.min = std::min(point.min, latency);
    point.max = std::max(point.max, latency);
    point.sum += static_cast<double>(latency.count());
    ++point.count;
}

void TimeSeries::mergePairs() noexcept {
    for (std::size_t i = 0; i < kMaximumPoints / 2; ++i) {
        const Point& first = points_[2 * i];
        const Point& second = points_[2 * i + 1];
        points_[i] = {.time = first.time,
                      .segment = first.segment,
                      .min = std::min(first.min, second.min),
                      .max = std::max(first.max, second.max),
                      .sum = first.sum + second.sum,
                      .count = first.count + second.count};
    }
    points_.resize(kMaximumPoints / 2);
    framesOfPoint_ *= 2;
}

}  // namespace nnburst::stream
