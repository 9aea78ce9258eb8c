// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Counts the system calls of a whole process, for proofs that there are none.

#include <cstdint>

namespace nnburst::test {

/// From this call on, every system call of every thread of this process is counted. Futex calls are
/// made all the same, and calls that write text or end the process are neither counted nor kept
/// from it; all others are not made. There is no way back, so call it in a forked child. Gives
/// false where that is not possible: no seccomp(2), or another processor than x86-64.
[[nodiscard]] bool countAllSystemCallsFromNow() noexcept;

/// System calls counted so far; `futexCallCount` of them were futex calls.
[[nodiscard]] std::uint64_t systemCallCount() noexcept;
[[nodiscard]] std::uint64_t futexCallCount() noexcept;

}  // namespace nnburst::test
