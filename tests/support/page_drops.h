// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Counts the pages that are dropped: a program that links page_drops.cpp has the calls of
/// madvise(2) with MADV_DONTNEED counted, of all threads, and can hold them up.

#include <cstddef>

namespace nnburst::test {

/// In all calls since the last resetDrops.
[[nodiscard]] std::size_t droppedBytes() noexcept;
/// In one of these calls at most.
[[nodiscard]] std::size_t longestDropBytes() noexcept;
void resetDrops() noexcept;

/// RAII: calls wait as long as this exists. At most one at a time.
class HeldDrops {
  public:
    HeldDrops() noexcept;
    ~HeldDrops();
    HeldDrops(const HeldDrops&) = delete;
    HeldDrops& operator=(const HeldDrops&) = delete;

    /// Whether a call waits.
    [[nodiscard]] static bool isOneWaiting() noexcept;
};

}  // namespace nnburst::test
