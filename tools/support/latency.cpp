// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/latency.h"

#include <algorithm>
#include <cstddef>

namespace nnburst::tools {

Latency summarise(std::vector<std::chrono::nanoseconds>& samples) {
    std::sort(samples.begin(), samples.end());
    const auto at = [&](double fraction) {
        const auto place =
            static_cast<std::size_t>(fraction * static_cast<double>(samples.size() - 1));
        return microseconds(samples[place]);
    };
    return {.p50 = at(0.5), .p99 = at(0.99), .max = at(1.0)};
}

}  // namespace nnburst::tools
