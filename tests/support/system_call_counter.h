// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Counts the system calls of a whole process, for proofs that there are none.

#include <cstdint>

namespace nnburst::test {

/// From this call on, every system call of every thread of this process is counted. The calls by
/// which threads sleep and are woken (futex and membarrier) are counted and made. Calls that write
/// text or end the process are made and not counted. All other calls are counted and not made. This
/// cannot be undone, so call it in a forked child. Returns false if it is not possible: without
/// seccomp(2), or on processors other than x86-64.
[[nodiscard]] bool countAllSystemCallsFromNow() noexcept;

/// Calls that were counted.
struct SeccompCounts {
    std::uint64_t futexes = 0;
    std::uint64_t fences = 0;  ///< membarrier
    std::uint64_t others = 0;
};

/// The calls that were counted so far.
[[nodiscard]] SeccompCounts systemCalls() noexcept;

}  // namespace nnburst::test
