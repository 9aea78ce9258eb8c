// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Threads that run nothing but executions: how the system is to treat them.

#include <cstdint>
#include <span>
#include <vector>

#include "exec/executable.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// The highest priority of SCHED_FIFO.
inline constexpr std::uint32_t kMaximumRealtimePriority = 99;

/// Gives the calling thread SCHED_FIFO with `priority` (1 to kMaximumRealtimePriority).
/// GENERAL_FAILURE if the system refuses, with what to do.
[[nodiscard]] Result<> takeRealtimePriority(std::uint32_t priority);

/// Processors that the calling thread may run on.
[[nodiscard]] std::vector<std::uint32_t> usableProcessors();

/// The calling thread runs on these processors alone, or on all others of its own. Neither changes
/// anything if none would be left.
void runOn(std::span<const std::uint32_t> processors) noexcept;
void stayOff(std::span<const std::uint32_t> processors) noexcept;

/// Readies the calling thread for executions of `executable`. What the system refuses is logged.
void readyServingThread(const Executable& executable);

}  // namespace nnburst::exec
