// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What waiting for the other side of a burst has cost.

#include <chrono>
#include <cstdint>

namespace nnburst {

/// What the waits of one side of a burst have cost and brought, since the burst was configured.
struct WaitStats {
    std::uint64_t waits = 0;           ///< that did not end within the first microsecond
    std::uint64_t sleeps = 0;          ///< system calls that slept
    std::uint64_t earlyWakes = 0;      ///< timed sleeps that ended before what was waited for
    std::uint64_t lateWakes = 0;       ///< timed sleeps that ended after it
    std::chrono::nanoseconds burnt{};  ///< spent spinning in these waits
};

/// The same of both sides.
struct BurstWaitStats {
    WaitStats client;
    WaitStats driver;
};

/// Earlier names, for applications that use them.
using WaitFigures = WaitStats;
using BurstWaitFigures = BurstWaitStats;

}  // namespace nnburst
