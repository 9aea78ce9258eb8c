// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Ends waits in the kernel that a peer may cause where none is expected: a socket with SO_LINGER
/// that still has something to send makes whoever drops its last reference wait, be it by close(2)
/// or by not taking it out of a message. So does an eventfd that a peer has filled for whoever adds
/// to it.

#include <chrono>

namespace nnburst::system {

/// RAII: while this lives, signals interrupt what the calling thread waits for in the kernel, the
/// first one after kFirst. Installs a handler of SIGURG that does nothing. Without a timer of the
/// system it has no effect.
class ScopedInterruption {
  public:
    static constexpr std::chrono::milliseconds kFirst{1};

    ScopedInterruption() noexcept;
    ~ScopedInterruption();
    ScopedInterruption(const ScopedInterruption&) = delete;
    ScopedInterruption& operator=(const ScopedInterruption&) = delete;
};

}  // namespace nnburst::system
