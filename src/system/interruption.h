// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Interrupts waits in the kernel that a peer can cause in calls that normally do not wait. A
/// thread that drops the last reference to a socket with SO_LINGER and unsent data waits: in
/// close(2), or when it does not receive a descriptor of a message. A thread that adds to an
/// eventfd that a peer has filled waits, too.

#include <chrono>

namespace nnburst::system {

/// RAII: while this lives, signals interrupt waits of the calling thread in the kernel, the first
/// one after kFirst. The first one installs a handler of SIGURG that does nothing, unless the
/// program has a handler of its own, which the waits then call; the thread takes the signal as long
/// as this lives. Without a timer of the system, or with a handler that has SA_RESTART, it has no
/// effect.
class ScopedInterruption {
  public:
    static constexpr std::chrono::milliseconds kFirst{1};

    ScopedInterruption() noexcept;
    ~ScopedInterruption();
    ScopedInterruption(const ScopedInterruption&) = delete;
    ScopedInterruption& operator=(const ScopedInterruption&) = delete;
};

}  // namespace nnburst::system
