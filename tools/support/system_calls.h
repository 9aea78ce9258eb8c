// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Counts the system calls that a program and the processes that it starts make, by ptrace(2). A
/// process is stopped only where it makes a call: code that makes none runs at full speed.

#include <cstdint>
#include <functional>
#include <vector>

#include "nnburst/result.h"

namespace nnburst::tools {

/// Calls made between two marks.
struct TracedCounts {
    std::uint64_t own = 0;          ///< by the process itself, with all its threads
    std::uint64_t descendants = 0;  ///< by all processes that it started
    std::uint64_t value = 0;        ///< of the mark at the end
};

/// Ends a section with `value` and begins the next one. Only inside of `body` of countSystemCalls.
void markSystemCalls(std::uint64_t value = 0) noexcept;

/// Drops what this process and those that it starts write to standard error from now on, for
/// programs that repeat `body` to measure it: they report its warnings and errors then. Only inside
/// of `body` of countSystemCalls.
void discardStandardError() noexcept;

/// Runs `body` in a process of its own and counts its system calls. Returns one entry for each
/// section: the first lasts until the first mark, the last one from the last mark to the end.
/// GENERAL_FAILURE if tracing is not permitted, or with the message of the error that `body`
/// returned. Must be called before this process has threads.
[[nodiscard]] Result<std::vector<TracedCounts>> countSystemCalls(
    const std::function<Result<>()>& body);

}  // namespace nnburst::tools
