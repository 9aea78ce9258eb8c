// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How Linux divides processors between ordinary threads (SCHED_OTHER): scopes in which a thread
/// makes way for others. To be destroyed on the thread that has made them. Real-time threads are
/// left as they are.

namespace nnburst::system {

/// RAII: the calling thread has a long time slice, so that a thread with a usual one that wakes up
/// on its processor runs at once if it has had less than its share, and not at the end of a slice.
/// The shares of both stay the same. Scopes may be nested. Does nothing before Linux 6.12, which
/// has time slices of threads (sched_setattr(2), `sched_runtime`).
class ScopedLongTimeSlice {
  public:
    ScopedLongTimeSlice() noexcept;
    ~ScopedLongTimeSlice();
    ScopedLongTimeSlice(const ScopedLongTimeSlice&) = delete;
    ScopedLongTimeSlice& operator=(const ScopedLongTimeSlice&) = delete;
};

/// RAII: the calling thread has a nice value of 10, a tenth of the weight of threads with 0, so
/// that it takes little of a processor that others want. Does nothing in a process that may not set
/// the value back, for which it needs CAP_SYS_NICE or an RLIMIT_NICE of 20 (LimitNICE=+0 of
/// systemd).
class ScopedLowPriority {
  public:
    ScopedLowPriority() noexcept;
    ~ScopedLowPriority();
    ScopedLowPriority(const ScopedLowPriority&) = delete;
    ScopedLowPriority& operator=(const ScopedLowPriority&) = delete;

  private:
    const int niceBefore_;
};

}  // namespace nnburst::system
