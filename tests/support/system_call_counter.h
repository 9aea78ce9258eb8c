// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Counts the system calls of a whole process, for proofs that there are none.

#include <cstdint>

namespace nnburst::test {

/// From this call on, every system call of every thread of this process is counted. The calls by
/// which threads sleep and are woken (futex and membarrier) are made all the same, and calls that
/// write text or end the process are neither counted nor kept from it; all others are not made.
/// There is no way back, so call it in a forked child. Gives false where that is not possible: no
/// seccomp(2), or another processor than x86-64.
[[nodiscard]] bool countAllSystemCallsFromNow() noexcept;

struct SystemCalls {
    std::uint64_t futexes = 0;
    std::uint64_t fences = 0;  ///< membarrier
    std::uint64_t others = 0;
};

/// Those counted so far.
[[nodiscard]] SystemCalls systemCalls() noexcept;

}  // namespace nnburst::test
