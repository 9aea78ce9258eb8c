// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Options and outcome of an execution of any kind.

#include <chrono>
#include <functional>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// Time limits of a WHILE (HAL 1.3 LoopTimeoutDurationNs).
inline constexpr std::chrono::nanoseconds kDefaultLoopTimeout = std::chrono::seconds(2);
inline constexpr std::chrono::nanoseconds kMaximumLoopTimeout = std::chrono::seconds(15);

/// How an execution runs.
struct ExecutionOptions {
    MeasureTiming measure = MeasureTiming::NO;
    /// The time by which it must have finished, else MISSED_DEADLINE_*.
    OptionalTimePoint deadline;
    /// Time limit of each WHILE; unset: kDefaultLoopTimeout; more than kMaximumLoopTimeout counts
    /// as that.
    OptionalTimeoutDuration loopTimeout;
};

/// What an execution reports beside the contents of the outputs. Pass the same object again: its
/// memory is reused, so that the steady state allocates nothing.
struct ExecutionOutcome {
    /// One for each model output if the status is NONE or OUTPUT_INSUFFICIENT_SIZE, else empty.
    /// Always empty from a driver of HAL 1.0 or 1.1.
    std::vector<OutputShape> outputShapes;
    Timing timing;
};

/// Called once, on a thread of the library, when an asynchronous execution has ended. Must not
/// block.
using ExecutionCallback = std::function<void(Result<> status, const ExecutionOutcome& outcome)>;

}  // namespace nnburst
