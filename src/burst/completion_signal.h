// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The descriptor by which an event loop of the application learns that an execution has ended: an
/// epoll instance with two members, the client's end of the doorbell, over which the driver rings
/// back, and an eventfd for the loss of the connection. What the driver sends means nothing but
/// "look": a driver that sends too much wakes the application in vain.

#include <atomic>

#include "nnburst/result.h"
#include "nnburst/unique_fd.h"

namespace nnburst::burst {

/// Used by one thread at a time, except `connectionLost`.
class CompletionSignal {
  public:
    /// The descriptor, which is made by the first call. `doorbell` is borrowed.
    /// RESOURCE_EXHAUSTED_TRANSIENT if the system has no descriptors left.
    [[nodiscard]] Result<int> descriptor(int doorbell);

    [[nodiscard]] bool exists() const noexcept { return static_cast<bool>(epoll_); }

    /// To be called before the driver is asked to ring.
    void expectRing() noexcept { isRingExpected_ = true; }

    /// Makes the descriptor unreadable, unless the connection is lost. No system call unless a ring
    /// is expected. `isArmed` (AnswerWait::isArmed) says whether the driver still has to ring: then
    /// a ring that has come is a late one, and another is expected.
    void clear(bool isArmed) noexcept;

    /// Makes it readable for ever. To be called after AnswerWait::isLostInOrder gives true. Any
    /// thread, does not block.
    void connectionLost() noexcept;

  private:
    int doorbell_ = -1;
    bool isRingExpected_ = false;
    UniqueFd epoll_;
    UniqueFd loss_;
    std::atomic<int> visibleLoss_{-1};  // loss_, for other threads
};

}  // namespace nnburst::burst
