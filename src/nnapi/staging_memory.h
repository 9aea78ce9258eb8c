// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Shared memory in which the executions of a compilation stage the values in the program's own
/// memory (arguments.h). What an execution has used is kept for later ones, so that a program that
/// makes an execution for each inference takes no new memory each time: the pages are there, and
/// bursts and drivers have mapped them. Thread-safe.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "nnburst/memory.h"
#include "nnburst/result.h"

namespace nnburst::nnapi {

class StagingMemory {
  public:
    /// Limit on mappings that are kept: executions of a compilation that a program has at once.
    static constexpr std::size_t kMaximumKept = 4;
    /// Larger mappings are not kept. Making new memory of this size takes 1 ms.
    static constexpr std::uint64_t kMaximumKeptBytes = 1U << 20;

    /// Memory of at least `sizeBytes`, with any contents, which no other execution has.
    [[nodiscard]] Result<Mapping> take(std::uint64_t sizeBytes);
    /// Memory that was taken, and that no device uses any more.
    void giveBack(Mapping mapping) noexcept;

  private:
    std::mutex mutex_;
    std::vector<Mapping> kept_;  ///< guarded by mutex_
};

}  // namespace nnburst::nnapi
