// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How many executions of a client have ended, and how many of these failed. Each execution session
/// counts for itself, without a locked instruction; the counts are added up when somebody asks.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "system/mutex.h"

namespace nnburst::exec {

/// The counts of one session. Written by the thread that uses the session, read by any.
class SessionCounts {
  public:
    void add(bool hasFailed) noexcept {
        // One writer at a time: relaxed loads and stores lose nothing.
        ended_.store(ended_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        if (hasFailed) {
            failed_.store(failed_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        }
    }

  private:
    friend class ExecutionCounts;
    std::atomic<std::uint64_t> ended_{0};
    std::atomic<std::uint64_t> failed_{0};
    bool isCounted_ = false;  // in the sum of sessions that are gone; used by ExecutionCounts
};

/// Of one client. Thread-safe.
class ExecutionCounts {
  public:
    struct Totals {
        std::uint64_t ended = 0;
        std::uint64_t failed = 0;
    };

    [[nodiscard]] std::shared_ptr<SessionCounts> addSession() {
        auto counts = std::make_shared<SessionCounts>();
        const system::MutexLock lock(mutex_);
        if (sessions_.size() >= foldAt_) {
            foldEnded();
            foldAt_ = 2 * sessions_.size() + kFoldAtLeast;
        }
        sessions_.push_back(counts);
        return counts;
    }

    [[nodiscard]] Totals totals() {
        const system::MutexLock lock(mutex_);
        foldEnded();
        Totals totals = ofEndedSessions_;
        for (const auto& session : sessions_) {
            add(*session, totals);
        }
        return totals;
    }

  private:
    static constexpr std::size_t kFoldAtLeast = 16;

    static void add(const SessionCounts& session, Totals& totals) noexcept {
        totals.ended += session.ended_.load(std::memory_order_relaxed);
        totals.failed += session.failed_.load(std::memory_order_relaxed);
    }
    /// Adds the counts of sessions that are gone to their sum.
    void foldEnded() NNBURST_REQUIRES(mutex_) {
        const auto isEnded = [](const auto& session) { return session.use_count() == 1; };
        for (const auto& session : sessions_) {
            if (isEnded(session)) {
                add(*session, ofEndedSessions_);
                session->isCounted_ = true;
            }
        }
        std::erase_if(sessions_, [](const auto& session) { return session->isCounted_; });
    }

    system::Mutex mutex_;
    std::vector<std::shared_ptr<SessionCounts>> sessions_ NNBURST_GUARDED_BY(mutex_);
    std::size_t foldAt_ NNBURST_GUARDED_BY(mutex_) = kFoldAtLeast;
    Totals ofEndedSessions_ NNBURST_GUARDED_BY(mutex_);
};

}  // namespace nnburst::exec
