// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Runs all steps of the inputs, and keeps outputs and times.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nnburst/result.h"
#include "nnburst_run/input_steps.h"
#include "nnburst_run/profile_reader.h"
#include "nnburst_run/runner.h"
#include "nnburst_run/trace.h"

namespace nnburst::run {

/// The results of all steps of a run.
struct StepResults {
    std::vector<std::vector<std::byte>> outputs;  ///< of all steps, one after the other
    std::vector<std::chrono::nanoseconds> latencies;
    std::vector<ClientCall> calls;  ///< one for each execution
};

/// Runs each step `repeat` times, in order; states are fed back from step to step. If there is a
/// profile, the device records all executions but one before the first step.
[[nodiscard]] Result<StepResults> runSteps(Runner& runner, std::size_t outputCount,
                                           const InputSteps& inputs, std::uint64_t repeat,
                                           ProfileReader* profile);

}  // namespace nnburst::run
