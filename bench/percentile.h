// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Percentiles of samples, the only statistic of the benchmarks.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace nnburst::bench {

/// The smallest value that at least `fraction` (0 to 1) of `samples` do not exceed. Reorders the
/// samples; requires at least one.
[[nodiscard]] inline double percentile(std::vector<double>& samples, double fraction) {
    const auto position = samples.begin() + static_cast<std::ptrdiff_t>(
                                                fraction * static_cast<double>(samples.size() - 1));
    std::nth_element(samples.begin(), position, samples.end());
    return *position;
}

}  // namespace nnburst::bench
