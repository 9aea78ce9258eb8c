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
/// GENERAL_FAILURE, with a remedy, if the system refuses.
[[nodiscard]] Result<> takeRealtimePriority(std::uint32_t priority);

/// As takeRealtimePriority, but 0 leaves the priority as it is, and a refusal is only logged as a
/// warning that names `thread`.
void tryTakeRealtimePriority(std::uint32_t priority, const char* thread);

}  // namespace nnburst::system
