// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The turns of users to start a worker. Starting one takes 6 to 30 ms of a processor, which
/// clients that connect again and again could otherwise take from those of other users.

#include <kj/async.h>
#include <kj/time.h>
#include <sys/types.h>

#include <cstddef>
#include <deque>
#include <map>
#include <memory>

namespace nnburst::device {

/// Used on the event loop's thread only. Outlives its turns.
class WorkerTurns {
  public:
    /// Limit on the turns that a user has at a time.
    static constexpr std::size_t kMaximumTurns = 2;
    /// The owner of a turn ends it when the worker is ready, or when it was not runnable at
    /// kIdleLooks looks in a row: a worker that waits for a file or a lock takes nothing from other
    /// users, and other clients of its user would be lost after kHangTimeout. The processor time
    /// of the worker would not show that: a worker that waits for a processor uses none either.
    static constexpr kj::Duration kLookInterval = 20 * kj::MILLISECONDS;
    static constexpr int kIdleLooks = 5;

    /// RAII: a worker of the user may be starting.
    class Turn {
      public:
        Turn(WorkerTurns& turns, uid_t user) noexcept : turns_(turns), user_(user) {}
        ~Turn() { turns_.end(user_); }
        KJ_DISALLOW_COPY(Turn);

      private:
        WorkerTurns& turns_;
        const uid_t user_;
    };
    using TurnPointer = std::unique_ptr<Turn>;

    WorkerTurns() = default;
    KJ_DISALLOW_COPY(WorkerTurns);

    /// Resolves when the user has less than kMaximumTurns, in the order of the calls.
    [[nodiscard]] kj::Promise<TurnPointer> take(uid_t user);

  private:
    struct OfUser {
        std::size_t taken = 0;
        std::deque<kj::Own<kj::PromiseFulfiller<void>>> waiting;
    };

    void end(uid_t user);

    std::map<uid_t, OfUser> users_;  // those that have turns
};

}  // namespace nnburst::device
