// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How one side of a queue waits for the other.

#include <chrono>

namespace nnburst {

/// Spin first, then sleep. Spinning answers within a fraction of a microsecond and burns a
/// processor; a sleeper answers tens of microseconds late, because waking a processor takes that
/// long.
struct WaitPolicy {
    /// Spin this long before sleeping; measured in time, never in turns. Taken as zero where this
    /// process may use one processor only, because spinning there keeps the other side from
    /// running.
    std::chrono::nanoseconds spinWindow{std::chrono::milliseconds(2)};
};

}  // namespace nnburst
