// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The sessions of one version of a model. A request takes a free one, or waits in a queue of
/// bounded length, first come, first served. Thread-safe.

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "failure.h"
#include "nnburst/session.h"

namespace nnburst::serve {

class SessionPool {
  public:
    /// A session that belongs to one request, until it is destroyed.
    class Lease {
      public:
        Lease(SessionPool& pool, Session& session) noexcept : pool_(&pool), session_(&session) {}
        Lease(Lease&& other) noexcept
            : pool_(other.pool_), session_(std::exchange(other.session_, nullptr)) {}
        Lease& operator=(Lease&&) = delete;
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        ~Lease() {
            if (session_ != nullptr) {
                pool_->giveBack(*session_);
            }
        }
        [[nodiscard]] Session& session() const noexcept { return *session_; }

      private:
        SessionPool* pool_;
        Session* session_;
    };

    /// Whether the client of a request has gone, or the server ends without it.
    using IsCancelled = std::function<bool()>;

    /// `sessions` are at least one. At most `maximumWaiting` requests wait at a time.
    SessionPool(std::vector<Session> sessions, std::size_t maximumWaiting);

    /// DEADLINE_EXCEEDED if no session is free by the deadline, RESOURCE_EXHAUSTED if too many
    /// requests wait already, UNAVAILABLE if the request is cancelled.
    [[nodiscard]] Outcome<Lease> acquire(const OptionalTimePoint& deadline,
                                         const IsCancelled& isCancelled);

    [[nodiscard]] std::size_t size() const noexcept { return sessions_.size(); }
    /// Requests that wait now.
    [[nodiscard]] std::size_t waiting() const;
    /// For questions that do not change it: what inputs and outputs it has.
    [[nodiscard]] const Session& anySession() const noexcept { return sessions_.front(); }

  private:
    struct Waiter {
        std::condition_variable isServed;
        Session* session = nullptr;
    };

    void giveBack(Session& session);

    std::vector<Session> sessions_;
    const std::size_t maximumWaiting_;
    mutable std::mutex mutex_;
    std::vector<Session*> free_;  ///< guarded by mutex_; the one used last is at the end
    std::list<Waiter*> waiters_;  ///< guarded by mutex_; empty if free_ is not
};

}  // namespace nnburst::serve
