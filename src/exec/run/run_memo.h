// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The plan and the runner of a bound request's last run.

#include <cstdint>

namespace nnburst::exec {

class Plan;

/// With it, the next run of the request need not search for a runner and a plan.
struct RunMemo {
    static constexpr std::uint32_t kNoRunner = UINT32_MAX;

    Plan* plan = nullptr;
    std::uint64_t generation = 0;  ///< of GraphRunner::plans_; changes when a plan is dropped
    std::uint64_t placement = 0;   ///< Plan::placement when the addresses of the request were set
    /// The index of the runner that ran the request. It is preferred the next time.
    std::uint32_t runner = kNoRunner;
    /// Whether the last run used this memo. Its outputs then have the shapes of the run before.
    bool wasHit = false;
};

}  // namespace nnburst::exec
