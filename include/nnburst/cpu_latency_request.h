// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Idle processors enter idle states, from which some take 100 microseconds and more to wake up. An
/// application that waits for sensors or for its driver can limit this time.

#include <chrono>
#include <utility>

#include "nnburst/export.h"
#include "nnburst/result.h"
#include "nnburst/unique_fd.h"

namespace nnburst {

/// Keeps all processors of the machine out of idle states with a longer wake-up time than
/// requested, until this object is destroyed. Costs power.
class CpuLatencyRequest {
  public:
    /// 0: processors do not enter idle states at all. INVALID_ARGUMENT for a negative time;
    /// GENERAL_FAILURE if the system does not grant it (/dev/cpu_dma_latency belongs to root); the
    /// message says what to do.
    [[nodiscard]] NNBURST_EXPORT static Result<CpuLatencyRequest> request(
        std::chrono::microseconds longestWakeUp);

    CpuLatencyRequest() noexcept = default;  ///< asks for nothing

  private:
    explicit CpuLatencyRequest(UniqueFd file) noexcept : file_(std::move(file)) {}

    UniqueFd file_;  // what was written to it holds while it is open
};

}  // namespace nnburst
