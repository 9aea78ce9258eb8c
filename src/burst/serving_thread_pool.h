// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The threads that serve the bursts of a driver. A burst that is in use has a thread of its own,
/// so that nothing stands between a request and its execution. One that has been idle for a while
/// is parked: it has no thread, and the client rings its doorbell with the next request. While more
/// bursts are in use than there may be threads, they take turns, and no client's bursts keep those
/// of others from being served (serving_shares.h).

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>

#include "account/account.h"
#include "burst/burst_placement.h"
#include "burst/serving_shares.h"
#include "burst/spin_shares.h"
#include "fmq/spin_allowance.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "system/affinity.h"
#include "system/mutex.h"
#include "system/thread_set.h"

namespace nnburst::burst {

/// One turn of a thread that serves a burst.
class ServingTurn {
  public:
    /// `isOneOfMany` says whether the burst was ServingShares::isOneOfMany as the turn began.
    /// `hasMany` is that of its client (ServingShares::ClientThreads), `areSeveralServed` whether
    /// bursts of several clients are served. Both must outlive this.
    ServingTurn(bool isOneOfMany, const std::atomic<bool>& hasMany,
                const std::atomic<bool>& areSeveralServed) noexcept
        : isOneOfMany_(isOneOfMany), hasMany_(hasMany), areSeveralServed_(areSeveralServed) {}

    /// Whether the turn should end although there is more to do, so that the priority of the thread
    /// is decided anew: the burst has become one of many, or it has been one of many for
    /// ServingShares::kActiveFor. Reads the clock only in a turn of one of many.
    [[nodiscard]] bool isOver() const noexcept {
        if (isOneOfMany_) {
            return std::chrono::steady_clock::now() - begin_ > ServingShares::kActiveFor;
        }
        // Relaxed: the values only decide how long the turn takes.
        return areSeveralServed_.load(std::memory_order_relaxed) &&
               hasMany_.load(std::memory_order_relaxed);
    }

  private:
    const bool isOneOfMany_;
    const std::atomic<bool>& hasMany_;
    const std::atomic<bool>& areSeveralServed_;
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// What a thread of the pool serves: one burst.
class Servable {
  public:
    virtual ~Servable() = default;

    /// Serves on the calling thread until there has been nothing to do for a while and the burst is
    /// parked, or until it is stopped, or until `turn` is over, or for a short time while
    /// ServingThreadPool::isExhausted. At most one thread at a time. True if there is more to do:
    /// the pool calls it again after it has served the others that were rung.
    virtual bool serve(const ServingTurn& turn) noexcept = 0;
};

/// Thread-safe. Must outlive its registrations, which hold it. Long on purpose: which bursts have
/// rung, which threads serve and whose they are change together, under one mutex.
class ServingThreadPool {
  public:
    /// Threads that serve at the same time, unless `create` is given another number.
    static constexpr std::size_t kMaximumThreads = 64;

    /// Starts no threads yet; they will run under SCHED_FIFO with `realtimePriority`, unless that
    /// is 0. RESOURCE_EXHAUSTED_TRANSIENT if the system has no descriptors left.
    [[nodiscard]] static Result<std::shared_ptr<ServingThreadPool>> create(
        std::size_t maximumThreads = kMaximumThreads, std::uint32_t realtimePriority = 0);
    ~ServingThreadPool();
    ServingThreadPool(const ServingThreadPool&) = delete;
    ServingThreadPool& operator=(const ServingThreadPool&) = delete;

    /// RAII: a burst is served until this is destroyed, which waits for the thread that serves it
    /// and closes the doorbell.
    class Registration {
      public:
        Registration() noexcept = default;
        Registration(Registration&& other) noexcept;
        Registration& operator=(Registration&& other) noexcept;
        ~Registration();

        /// The client's end of the doorbell, one of a pair of sockets: sending to it rings. Once.
        [[nodiscard]] UniqueFd takeDoorbell() noexcept;
        /// Sending to it rings at the client's end. It lives as long as the registration.
        [[nodiscard]] int ringBackDescriptor() const noexcept;
        /// For the thread that serves the burst (SpinShares). It lives as long as the registration.
        [[nodiscard]] fmq::SpinAllowance& spinAllowance() const noexcept;
        /// For the thread that serves the burst; left at the end of its turn. It lives as long as
        /// the registration.
        [[nodiscard]] BurstPlacement::Assignment& assignment() const noexcept;
        /// Has the burst served as if the client had rung. Any thread, waits for no burst.
        void ring() const noexcept;

      private:
        friend class ServingThreadPool;
        struct Entry;
        std::shared_ptr<ServingThreadPool> pool_;
        std::shared_ptr<Entry> entry_;
    };

    /// Serves `burst`, which belongs to the client with this account, whenever its doorbell is
    /// rung. It must outlive the registration. RESOURCE_EXHAUSTED_TRANSIENT if there are no
    /// descriptors or threads left.
    [[nodiscard]] static Result<Registration> add(const std::shared_ptr<ServingThreadPool>& pool,
                                                  Servable& burst,
                                                  const SharedAccount& account = nullptr);

    /// RAII: marks the calling thread, which serves, as blocked on its client, so that the pool may
    /// start a replacement.
    class ScopedClientWait {
      public:
        explicit ScopedClientWait(ServingThreadPool& pool) noexcept;
        ~ScopedClientWait();
        ScopedClientWait(const ScopedClientWait&) = delete;
        ScopedClientWait& operator=(const ScopedClientWait&) = delete;

      private:
        ServingThreadPool& pool_;
    };

    /// Whether as many bursts are served as there may be threads, or as the system gives threads,
    /// and there are more bursts: one that is rung may have to wait, so those that are served take
    /// turns.
    [[nodiscard]] bool isExhausted() const noexcept {
        // Relaxed, here and below: the counts only decide how long threads serve and live.
        const std::size_t bursts = registrationCount_.load(std::memory_order_relaxed);
        return (isFull_.load(std::memory_order_relaxed) && bursts > maximumThreads_) ||
               (isStartRefused_.load(std::memory_order_relaxed) &&
                idle_.load(std::memory_order_relaxed) == 0 && bursts > threadCount());
    }

    [[nodiscard]] std::size_t threadCount() const noexcept {
        return threadCount_.load(std::memory_order_relaxed);
    }

  private:
    ServingThreadPool(std::size_t maximumThreads, std::uint32_t realtimePriority)
        : maximumThreads_(maximumThreads),
          realtimePriority_(realtimePriority),
          spins_(system::usableProcessors().size()),
          placement_(system::usableProcessors()),
          shares_(maximumThreads) {}

    void runThread() noexcept;
    /// A burst that the calling thread is to serve; null if there is none.
    struct NextBurst {
        std::shared_ptr<Registration::Entry> entry;
        bool isOneOfMany = false;  ///< ServingShares::isOneOfMany, as its turn begins
    };

    void answerRing(const std::shared_ptr<Registration::Entry>& entry) noexcept;
    [[nodiscard]] bool serve(const NextBurst& next) noexcept;
    [[nodiscard]] NextBurst begin(std::shared_ptr<Registration::Entry> entry) noexcept
        NNBURST_REQUIRES(mutex_);
    [[nodiscard]] NextBurst beginOrWait(const std::shared_ptr<Registration::Entry>& entry) noexcept
        NNBURST_EXCLUDES(mutex_);
    [[nodiscard]] NextBurst endAndTakeWaiting(Registration::Entry& entry, bool hasMore) noexcept
        NNBURST_EXCLUDES(mutex_);
    void addToWaiting(Registration::Entry& entry) noexcept NNBURST_REQUIRES(mutex_);
    [[nodiscard]] Registration::Entry* takeWaiting() noexcept NNBURST_REQUIRES(mutex_);
    void ringWaiting() noexcept NNBURST_EXCLUDES(mutex_);
    void ringNextWaiting() noexcept NNBURST_REQUIRES(mutex_);
    void noteServed() noexcept NNBURST_REQUIRES(mutex_);
    void ring(Registration::Entry& entry) noexcept NNBURST_REQUIRES(mutex_);
    [[nodiscard]] std::shared_ptr<Registration::Entry> takeRing(std::uint64_t id) noexcept
        NNBURST_EXCLUDES(mutex_);
    [[nodiscard]] std::size_t allowedThreads() const noexcept;
    [[nodiscard]] bool mayEnd() noexcept NNBURST_EXCLUDES(mutex_);
    Result<> ensureIdleThread() NNBURST_EXCLUDES(mutex_);
    void startReplacement() noexcept NNBURST_EXCLUDES(mutex_);
    void remove(const Registration::Entry& entry) noexcept NNBURST_EXCLUDES(mutex_);

    const std::size_t maximumThreads_;
    const std::uint32_t realtimePriority_;
    UniqueFd epoll_;
    UniqueFd end_;                             // an eventfd: readable when the threads are to end
    UniqueFd rings_;                           // an eventfd: written when a burst joins rung_
    std::atomic<std::size_t> idle_{0};         // threads that wait for a doorbell
    std::atomic<std::size_t> threadCount_{0};  // those that have not ended
    std::atomic<std::size_t> registrationCount_{0};
    std::atomic<std::size_t> clientWaits_{0};  // threads that wait for a client's answer
    std::atomic<bool> isFull_{false};          // as many bursts are served as there may be threads
    std::atomic<bool> isStartRefused_{false};  // the last attempt to start a replacement failed
    std::atomic<bool> areSeveralServed_{false};  // bursts of several clients are served
    SpinShares spins_;
    BurstPlacement placement_;

    system::Mutex mutex_;
    std::uint64_t lastId_ NNBURST_GUARDED_BY(mutex_) = 0;
    bool isEnding_ NNBURST_GUARDED_BY(mutex_) = false;  // no thread is started any more
    std::map<std::uint64_t, std::shared_ptr<Registration::Entry>> entries_
        NNBURST_GUARDED_BY(mutex_);
    ServingShares shares_ NNBURST_GUARDED_BY(mutex_);  // with those that were rung and wait
    std::list<Registration::Entry*> rung_ NNBURST_GUARDED_BY(mutex_);  // by the driver, untaken yet
    system::ThreadSet threads_ NNBURST_GUARDED_BY(mutex_);
};

}  // namespace nnburst::burst
