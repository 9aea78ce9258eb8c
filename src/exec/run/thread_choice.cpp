// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/thread_choice.h"

#include "nnburst/device.h"

namespace nnburst::exec {

std::vector<std::uint32_t> threadCountsToTry(std::size_t processors) {
    std::vector<std::uint32_t> counts{1};
    for (std::uint32_t count = 2; count <= processors && count <= DriverOptions::kMaximumThreads;
         count *= 2) {
        counts.push_back(count);
    }
    return counts;
}

bool isWorthIt(const LatencyComparison& times) noexcept {
    const auto& [more, fewer] = times;
    // At least a tenth, because other models could use these threads.
    return more.median * 10 < fewer.median * 9 && more.high <= fewer.high &&
           more.idleMedian <= fewer.idleMedian && more.idleHigh <= fewer.idleHigh;
}

}  // namespace nnburst::exec
