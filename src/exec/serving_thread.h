// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Threads that run nothing but executions: how the system is to treat them.

#include <sched.h>

#include <cstdint>
#include <span>
#include <vector>

#include "nnburst/result.h"

namespace nnburst::exec {

/// The highest priority of SCHED_FIFO.
inline constexpr std::uint32_t kMaximumRealtimePriority = 99;

/// Gives the calling thread SCHED_FIFO with `priority` (1 to kMaximumRealtimePriority).
/// GENERAL_FAILURE if the system refuses, with what to do.
[[nodiscard]] Result<> takeRealtimePriority(std::uint32_t priority);

/// The same, but 0 asks for nothing, and a refusal is a warning in the log that says which `thread`
/// goes on without.
void wishRealtimePriority(std::uint32_t priority, const char* thread);

/// Processors that the calling thread may run on.
[[nodiscard]] std::vector<std::uint32_t> usableProcessors();

/// The calling thread runs on these processors alone, unless it may run on none of them.
void runOn(std::span<const std::uint32_t> processors) noexcept;

/// The calling thread stays off these processors until this is dropped, on the same thread; unless
/// none would be left.
class StayingOff {
  public:
    explicit StayingOff(std::span<const std::uint32_t> processors) noexcept;
    ~StayingOff();
    StayingOff(const StayingOff&) = delete;
    StayingOff& operator=(const StayingOff&) = delete;

  private:
    cpu_set_t before_{};
    bool isOff_ = false;
};

}  // namespace nnburst::exec
