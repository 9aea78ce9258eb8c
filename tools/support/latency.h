// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Statistics of measured durations, as programs print them.

#include <chrono>
#include <vector>

namespace nnburst::tools {

/// A duration in microseconds, as reports name it.
[[nodiscard]] constexpr double microseconds(std::chrono::nanoseconds duration) noexcept {
    return std::chrono::duration<double, std::micro>(duration).count();
}

/// Quantiles of durations (nearest rank), in microseconds.
struct Latency {
    double p50 = 0;
    double p99 = 0;
    double max = 0;
};

/// Sorts `samples` (at least one).
[[nodiscard]] Latency summarise(std::vector<std::chrono::nanoseconds>& samples);

}  // namespace nnburst::tools
