// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Real-time priority of threads that serve executions.

#include <cstdint>

#include "nnburst/result.h"

namespace nnburst::system {

/// The highest priority of SCHED_FIFO.
inline constexpr std::uint32_t kMaximumRealtimePriority = 99;

/// Gives the calling thread SCHED_FIFO with `priority` (1 to kMaximumRealtimePriority).
/// GENERAL_FAILURE if the system refuses, with what to do.
[[nodiscard]] Result<> takeRealtimePriority(std::uint32_t priority);

/// The same, but 0 asks for nothing, and a refusal is a warning in the log that says which `thread`
/// goes on without.
void wishRealtimePriority(std::uint32_t priority, const char* thread);

}  // namespace nnburst::system
