// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "session_pool.h"

#include <algorithm>
#include <chrono>

namespace nnburst::serve {
namespace {

/// Interval at which a waiting request polls whether its client has gone.
constexpr std::chrono::milliseconds kPollInterval{100};

}  // namespace

SessionPool::SessionPool(std::vector<Session> sessions, std::size_t maximumWaiting)
    : sessions_(std::move(sessions)), maximumWaiting_(maximumWaiting) {
    for (Session& session : sessions_) {
        free_.push_back(&session);
    }
}

Outcome<SessionPool::Lease> SessionPool::acquire(const OptionalTimePoint& deadline,
                                                 const IsCancelled& isCancelled) {
    std::unique_lock lock(mutex_);
    if (!free_.empty()) {
        Session* session = free_.back();
        free_.pop_back();
        return Lease(*this, *session);
    }
    if (waiters_.size() >= maximumWaiting_) {
        return refuse(Code::RESOURCE_EXHAUSTED, "inference: {} requests wait for a session already",
                      waiters_.size());
    }
    Waiter waiter;
    const auto place = waiters_.insert(waiters_.end(), &waiter);
    while (waiter.session == nullptr) {
        const TimePoint now = std::chrono::steady_clock::now();
        const bool isLate = deadline && now >= *deadline;
        if (isLate || isCancelled()) {
            waiters_.erase(place);
            if (isLate) {
                return refuse(Code::DEADLINE_EXCEEDED, "inference: no session was free in time");
            }
            return refuse(Code::UNAVAILABLE, "inference: the client has gone, or the server ends");
        }
        const TimePoint nextPoll = now + kPollInterval;
        waiter.isServed.wait_until(lock, deadline ? std::min(*deadline, nextPoll) : nextPoll);
    }
    return Lease(*this, *waiter.session);
}

std::size_t SessionPool::waiting() const {
    const std::lock_guard lock(mutex_);
    return waiters_.size();
}

void SessionPool::giveBack(Session& session) {
    const std::lock_guard lock(mutex_);
    if (waiters_.empty()) {
        free_.push_back(&session);
        return;
    }
    Waiter* next = waiters_.front();
    waiters_.pop_front();
    next->session = &session;
    next->isServed.notify_one();
}

}  // namespace nnburst::serve
