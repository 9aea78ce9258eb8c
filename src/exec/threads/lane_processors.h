// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Which processors the gate has bound woken executions to. Owned by ExecutionGate, guarded
/// by its mutex.

#include <sched.h>

#include <cstdint>
#include <optional>

namespace nnburst::exec {

/// On which processors executions run that were woken, one on each. Left to itself, Linux lets a
/// woken thread wait on the processor of another execution while the one that has become free
/// idles: it does not move threads that ran less than half a millisecond ago, which is longer than
/// an execution of a small network. Not thread-safe.
class LaneProcessors {
  public:
    LaneProcessors() noexcept { CPU_ZERO(&taken_); }

    /// One of `allowed` on which no other execution was put: that of the caller, which is about to
    /// leave it, if possible. None if there is no such processor.
    [[nodiscard]] std::optional<std::uint32_t> take(const cpu_set_t& allowed) noexcept;
    void giveBack(std::uint32_t processor) noexcept { CPU_CLR(processor, &taken_); }

  private:
    cpu_set_t taken_;
};

}  // namespace nnburst::exec
