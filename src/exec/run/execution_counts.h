// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How many executions of a client have ended, how many of these failed, and how long they took.
/// Each execution session counts for itself, without a locked instruction; the counts are added up
/// when they are read. Reading the clock takes longer than counting, so a session times its first
/// execution, and then each kTimedOneIn-th for all of those since.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "nnburst/types.h"
#include "system/duration_histogram.h"
#include "system/mutex.h"

namespace nnburst::exec {

/// The counts of one session. Written by the thread that uses the session, read by any.
class SessionCounts {
  public:
    static constexpr std::uint64_t kTimedOneIn = 16;

    /// Called when an execution begins. Sets `begin`, which is empty, if this execution is timed.
    /// (Returned, it would be copied in one piece: system::copyByParts.)
    void begin(OptionalTimePoint& begin) const noexcept {
        if (ended_.load(std::memory_order_relaxed) % kTimedOneIn == 0) {
            begin = std::chrono::steady_clock::now();
        }
    }

    /// Called when it has ended.
    void add(bool hasFailed, const OptionalTimePoint& begin) noexcept {
        const std::uint64_t before = increase(ended_, 1);
        if (hasFailed) {
            (void)increase(failed_, 1);
        }
        if (begin) {
            addDuration(std::chrono::steady_clock::now() - *begin, before == 0 ? 1 : kTimedOneIn);
        }
    }

  private:
    friend class ExecutionCounts;

    /// Returns the value of `counter` before.
    static std::uint64_t increase(std::atomic<std::uint64_t>& counter,
                                  std::uint64_t amount) noexcept {
        // One writer at a time: relaxed loads and stores lose nothing.
        const std::uint64_t before = counter.load(std::memory_order_relaxed);
        counter.store(before + amount, std::memory_order_relaxed);
        return before;
    }

    /// Of `count` executions, each.
    [[gnu::noinline]] void addDuration(std::chrono::nanoseconds duration,
                                       std::uint64_t count) noexcept {
        (void)increase(durations_[system::DurationHistogram::bucketOf(duration)], count);
        (void)increase(durationSumNs_, count * static_cast<std::uint64_t>(duration.count()));
    }

    std::atomic<std::uint64_t> ended_{0};
    std::atomic<std::uint64_t> failed_{0};
    std::array<std::atomic<std::uint64_t>, system::DurationHistogram::kBuckets> durations_{};
    std::atomic<std::uint64_t> durationSumNs_{0};
    bool isCounted_ = false;  // in the sum of sessions that are gone; used by ExecutionCounts
};

/// The counts of one client. Thread-safe.
class ExecutionCounts {
  public:
    struct Totals {
        std::uint64_t ended = 0;
        std::uint64_t failed = 0;
        system::DurationHistogram durations;

        void add(const Totals& other) noexcept {
            ended += other.ended;
            failed += other.failed;
            durations.add(other.durations);
        }
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

    /// How many executions have ended.
    [[nodiscard]] std::uint64_t endedCount() const {
        const system::MutexLock lock(mutex_);
        std::uint64_t count = ofEndedSessions_.ended;
        for (const auto& session : sessions_) {
            count += session->ended_.load(std::memory_order_relaxed);
        }
        return count;
    }

  private:
    static constexpr std::size_t kFoldAtLeast = 16;

    static void add(const SessionCounts& session, Totals& totals) noexcept {
        totals.ended += session.ended_.load(std::memory_order_relaxed);
        totals.failed += session.failed_.load(std::memory_order_relaxed);
        for (std::size_t i = 0; i < session.durations_.size(); ++i) {
            totals.durations.counts[i] += session.durations_[i].load(std::memory_order_relaxed);
        }
        totals.durations.sum +=
            std::chrono::nanoseconds(session.durationSumNs_.load(std::memory_order_relaxed));
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

    mutable system::Mutex mutex_;
    std::vector<std::shared_ptr<SessionCounts>> sessions_ NNBURST_GUARDED_BY(mutex_);
    std::size_t foldAt_ NNBURST_GUARDED_BY(mutex_) = kFoldAtLeast;
    Totals ofEndedSessions_ NNBURST_GUARDED_BY(mutex_);
};

}  // namespace nnburst::exec
