// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <algorithm>
#include <array>

namespace nnburst::bench {

double clockCostNs() {
    using Clock = std::chrono::steady_clock;
    static const double cost = [] {
        std::vector<double> samples(10000);
        for (double& sample : samples) {
            const Clock::time_point before = Clock::now();
            const Clock::time_point after = Clock::now();
            sample = std::chrono::duration<double, std::nano>(after - before).count();
        }
        return percentile(samples, 0.5);
    }();
    return cost;
}

double percentile(std::vector<double>& samples, double fraction) {
    const auto place = samples.begin() + static_cast<std::ptrdiff_t>(
                                             fraction * static_cast<double>(samples.size() - 1));
    std::nth_element(samples.begin(), place, samples.end());
    return *place;
}

}  // namespace nnburst::bench
