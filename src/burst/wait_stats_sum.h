// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The sum of the statistics of several bursts.

#include "nnburst/wait_stats.h"

namespace nnburst::burst {

inline void add(BurstWaitStats& sum, const BurstWaitStats& more) noexcept {
    for (const WaitStat& stat : kWaitStats) {
        stat.set(sum.client, stat.of(sum.client) + stat.of(more.client));
        stat.set(sum.driver, stat.of(sum.driver) + stat.of(more.driver));
    }
}

}  // namespace nnburst::burst
