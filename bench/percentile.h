// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Percentiles of samples, the only statistic of the benchmarks.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace nnburst::bench {

/// The smallest value that at least `fraction` (0 to 1) of `samples` do not exceed. Reorders the
/// samples; requires at least one.
[[nodiscard]] inline double percentile(std::vector<double>& samples, double fraction) {
    // The product may be too large by rounding: 0.99 * 100.
    const double rank = std::ceil(fraction * static_cast<double>(samples.size()) - 1e-9);
    const auto position = samples.begin() + static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
    std::nth_element(samples.begin(), position, samples.end());
    return *position;
}

}  // namespace nnburst::bench
