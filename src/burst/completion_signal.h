// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The descriptor by which an event loop of the application learns that an execution has ended: an
/// epoll instance with two members, the client's end of the doorbell, over which the driver rings
/// back, and an eventfd for the loss of the connection. What the driver sends means nothing but
/// "look": a driver that sends too much wakes the application in vain.

#include <atomic>
#include <cstdint>

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

    /// How often the driver has been asked to ring (AnswerWait::arm) without a ring that was taken.
    /// More than one while the ring for a result is late that the client has found by polling.
    [[nodiscard]] std::uint32_t& ringsToCome() noexcept { return ringsToCome_; }

    /// Takes the rings that have come and that the driver was asked for. The descriptor is then
    /// unreadable until the next ring, unless the connection is lost. No system call if no ring is
    /// to come.
    void takeRings() noexcept;

    /// Takes also those that a faulty driver has sent without being asked, which would make the
    /// descriptor readable for ever.
    void takeAllRings() noexcept;

    /// Makes it readable for ever. To be called after AnswerWait::isLostInOrder gives true. Any
    /// thread, does not block.
    void connectionLost() noexcept;

  private:
    [[nodiscard]] bool takeRing() noexcept;

    int doorbell_ = -1;
    std::uint32_t ringsToCome_ = 0;
    UniqueFd epoll_;
    UniqueFd loss_;
    std::atomic<int> visibleLoss_{-1};  // loss_, for other threads
};

}  // namespace nnburst::burst
