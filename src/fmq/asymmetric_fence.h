// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The two halves of a fence between one side that publishes all the time and another that sleeps
/// now and then, in different processes. A publisher stores, then looks whether a thread sleeps; a
/// sleeper announces itself, then looks whether something was stored. One of the two must see the
/// other, which takes a full fence between store and load on both sides. The sleeper, which makes a
/// system call anyway, can make the publisher's fence: membarrier(2) with
/// MEMBARRIER_CMD_GLOBAL_EXPEDITED interrupts the processors on which registered processes run. The
/// publisher then needs no fence.

#include <atomic>
#include <cstdint>

namespace nnburst::fmq {

/// Whether this process can make heavy fences, and heavy fences of other processes act on it. The
/// first call registers it with the kernel (Linux 4.16), which takes milliseconds in a process that
/// has several threads; false where that is not permitted.
[[nodiscard]] bool hasHeavyFences() noexcept;

/// The sleeper's half: all that the threads of registered processes stored before is visible after
/// it, and they see what the caller stored before it. A system call. Requires hasHeavyFences.
void heavyFence() noexcept;

/// How many heavy fences the calling thread has made. For tests.
[[nodiscard]] std::uint64_t heavyFenceCount() noexcept;

/// The publisher's half against a sleeper that makes heavy fences: keeps the compiler from moving
/// loads before stores. Requires hasHeavyFences.
inline void lightFence() noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

}  // namespace nnburst::fmq
