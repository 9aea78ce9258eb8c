// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/latency.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace nnburst::tools {

Latency summarise(std::vector<std::chrono::nanoseconds>& samples) {
    std::sort(samples.begin(), samples.end());
    const auto at = [&](double fraction) {
        // The product may be too large by rounding: 0.99 * 100.
        const double rank = std::ceil(fraction * static_cast<double>(samples.size()) - 1e-9);
        return microseconds(samples[static_cast<std::size_t>(std::max(rank, 1.0)) - 1]);
    };
    return {.p50 = at(0.5), .p99 = at(0.99), .max = at(1.0)};
}

}  // namespace nnburst::tools
