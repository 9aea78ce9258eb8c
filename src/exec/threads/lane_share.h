// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What one client, or all clients of one user together, have used of the lanes of the execution
/// gate (execution_gate.h).

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include "account/account.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// One client, as executions see it: how long it has used lanes while others waited, the account
/// that pays for its memory, and whether it has gone. Its user is a LaneShare, too. Shared by the
/// device and all executions of the client. Any thread may call the public functions; the rest is
/// guarded by the mutex of the gate.
class LaneShare {
  public:
    /// `user` is the share of all clients of a user together; null: the client is its own user.
    /// Memory that executions take is charged to `account`; null: not charged.
    explicit LaneShare(std::shared_ptr<LaneShare> user = nullptr,
                       SharedAccount account = nullptr) noexcept
        : user_(std::move(user)), account_(std::move(account)) {}
    [[nodiscard]] const SharedAccount& account() const noexcept { return account_; }

    /// The client has gone. Its executions end soon, with an error. Any thread.
    void cancel() noexcept { isCancelled_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] const std::atomic<bool>& isCancelled() const noexcept { return isCancelled_; }

  private:
    friend class ExecutionGate;

    [[nodiscard]] LaneShare& user() noexcept { return user_ ? *user_ : *this; }
    /// An execution uses lanes from `start` on.
    void begin(TimePoint start) noexcept {
        for (LaneShare* share = this; share != nullptr; share = share->user_.get()) {
            ++share->runningCount_;
            share->startSum_ += start.time_since_epoch();
        }
    }
    /// An execution that has begun at `start` has ended. It has used lanes for `time`.
    void end(TimePoint start, std::chrono::nanoseconds time) noexcept {
        for (LaneShare* share = this; share != nullptr; share = share->user_.get()) {
            --share->runningCount_;
            share->startSum_ -= start.time_since_epoch();
        }
        add(time);
    }
    void add(std::chrono::nanoseconds time) noexcept {
        for (LaneShare* share = this; share != nullptr; share = share->user_.get()) {
            share->used_ += time;
        }
    }
    /// With the executions that have begun and not ended.
    [[nodiscard]] std::chrono::nanoseconds usedUntil(TimePoint now) const noexcept {
        return used_ + runningCount_ * now.time_since_epoch() - startSum_;
    }
    [[nodiscard]] const LaneShare& user() const noexcept { return user_ ? *user_ : *this; }
    /// How much more than `other` this has used, or its user more than the other's user.
    [[nodiscard]] std::chrono::nanoseconds usedMoreThan(const LaneShare& other,
                                                        TimePoint now) const noexcept {
        return &user() == &other.user() ? usedUntil(now) - other.usedUntil(now)
                                        : user().usedUntil(now) - other.user().usedUntil(now);
    }

    const std::shared_ptr<LaneShare> user_;
    const SharedAccount account_;

    // Guarded by the gate's mutex.
    std::chrono::nanoseconds used_{};          // by executions that have ended
    std::int64_t runningCount_ = 0;            // of executions whose start is known
    std::chrono::nanoseconds startSum_{};      // of their starts
    std::chrono::nanoseconds admittedUsed_{};  // as the gate's, of the clients of a user
    bool hasExtra_ = false;  // of a user: one of its executions is extra (execution_gate.h)

    std::atomic<bool> isCancelled_{false};
};

}  // namespace nnburst::exec
