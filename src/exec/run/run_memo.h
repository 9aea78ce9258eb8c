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
    std::uint64_t generation = 0;  ///< of the runner's plans
    std::uint64_t placement = 0;   ///< of the plan, with the addresses of the request
    /// Of the model's runners, the one that ran it; it is taken again if it is free.
    std::uint32_t runner = kNoRunner;
    /// Whether the last run used this memo. Its outputs then have the shapes of the run before.
    bool wasHit = false;
};

}  // namespace nnburst::exec
