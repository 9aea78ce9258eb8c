// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Counts the system calls of a whole process, for proofs that there are none.

#include <cstdint>

namespace nnburst::test {

/// From this call on, every system call of every thread of this process is counted and, but for
/// those that end it or write text, not made: the caller gets ENOSYS. There is no way back, so call
/// it in a forked child. Gives false where the kernel does not let it (seccomp(2)).
[[nodiscard]] bool countAllSystemCallsFromNow() noexcept;

/// System calls counted so far; `futexCallCount` of them were futex calls.
[[nodiscard]] std::uint64_t systemCallCount() noexcept;
[[nodiscard]] std::uint64_t futexCallCount() noexcept;

}  // namespace nnburst::test
