// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What a driver process holds, and whether it has given it back.

#include <sys/types.h>

#include <atomic>
#include <string>
#include <thread>

#include "outcome.h"

namespace nnburst::stress {

/// All zero if the process is gone.
[[nodiscard]] Usage usageOf(pid_t pid);

/// Memory may stay above what it was by a tenth, and by this: stacks of threads, the allocator.
inline constexpr std::uint64_t kMemorySlackBytes = 8 << 20;
/// Mapped addresses may stay: the allocator's arenas reserve 64 MiB each, eight for a processor.
inline constexpr std::uint64_t kAddressSlackBytes = std::uint64_t{4} << 30;
/// Descriptors and mappings may stay above what they were by this: a connection that is closing.
inline constexpr std::uint64_t kCountSlack = 8;
/// Threads may stay: the driver's pools keep some that wait for more work.
inline constexpr std::uint64_t kThreadSlack = 32;

/// Files of ours in /dev/shm. There should be none: regions have no names.
[[nodiscard]] std::uint64_t sharedMemoryFileCount();

/// What of `after` exceeds `before`; empty if nothing does.
[[nodiscard]] std::string excess(const Usage& before, const Usage& after);

/// Records the largest of each figure of a process, on a thread, until it is destroyed.
class UsageWatch {
  public:
    explicit UsageWatch(pid_t pid);
    ~UsageWatch();
    UsageWatch(const UsageWatch&) = delete;
    UsageWatch& operator=(const UsageWatch&) = delete;

    /// Ends the recording.
    [[nodiscard]] Usage largest();

  private:
    std::atomic<bool> isDone_{false};
    Usage largest_;  // written by the thread until it is joined
    std::thread thread_;
};

}  // namespace nnburst::stress
