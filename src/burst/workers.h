// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The threads that serve the bursts of a driver. A burst that is in use has a thread to itself, so
/// that nothing stands between a request and its execution. One that has been idle for a while is
/// parked: it has none, and the client rings its doorbell with the next request. While more bursts
/// are in use than there may be threads, they take turns.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "nnburst/memory.h"
#include "nnburst/result.h"

namespace nnburst::burst {

/// What a worker serves.
class Served {
  public:
    virtual ~Served() = default;

    /// Serves on the calling thread until there has been nothing to do for a while, and has then
    /// told the client to ring; or until it is stopped, or `Workers::isCrowded`. One thread at a
    /// time. True if there is more to do: it is to be called again when others had their turn.
    virtual bool serve() noexcept = 0;
};

/// Thread-safe. Dropped after all that was added is removed.
class Workers {
  public:
    /// Threads that serve at a time, unless another number is asked for.
    static constexpr std::size_t kMaximumThreads = 64;

    /// Starts no threads yet; they will run under SCHED_FIFO with `realtimePriority`, unless that
    /// is 0. RESOURCE_EXHAUSTED_TRANSIENT if the system has no descriptors left.
    [[nodiscard]] static Result<std::shared_ptr<Workers>> create(
        std::size_t maximumThreads = kMaximumThreads, std::uint32_t realtimePriority = 0);
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// A burst that is served, until this is dropped, which waits for the thread that serves it.
    class Place {
      public:
        Place() noexcept = default;
        Place(Place&& other) noexcept;
        Place& operator=(Place&& other) noexcept;
        ~Place();

        /// What the client rings, by sending something: one end of a pair of sockets. Once.
        [[nodiscard]] UniqueFd takeDoorbell() noexcept;
        /// Has the burst served as if the client had rung. Any thread, does not block.
        void ring() const noexcept;

      private:
        friend class Workers;
        struct Entry;
        std::shared_ptr<Workers> workers_;
        std::shared_ptr<Entry> entry_;
    };

    /// Serves `served` whenever its doorbell is rung. It must outlive the place.
    /// RESOURCE_EXHAUSTED_TRANSIENT if there are no descriptors or threads left.
    [[nodiscard]] static Result<Place> add(const std::shared_ptr<Workers>& workers, Served& served);

    /// While this lives, the thread that makes it, which serves, waits for what a client may never
    /// do: another thread may be started instead of it.
    class WaitingForClient {
      public:
        explicit WaitingForClient(Workers& workers) noexcept;
        ~WaitingForClient();
        WaitingForClient(const WaitingForClient&) = delete;
        WaitingForClient& operator=(const WaitingForClient&) = delete;

      private:
        Workers& workers_;
    };

    /// No thread may be left for a burst that is rung for: whoever is served is to make way soon.
    [[nodiscard]] bool isCrowded() const noexcept {
        return idle_.load(std::memory_order_relaxed) == 0 &&
               placeCount_.load(std::memory_order_relaxed) > maximumThreads_;
    }

    [[nodiscard]] std::size_t threadCount() const noexcept {
        return threadCount_.load(std::memory_order_relaxed);
    }

  private:
    Workers(std::size_t maximumThreads, std::uint32_t realtimePriority) noexcept
        : maximumThreads_(maximumThreads), realtimePriority_(realtimePriority) {}

    void work() noexcept;
    void serve(Place::Entry& entry) noexcept;
    void ring(const Place::Entry& entry) const noexcept;
    [[nodiscard]] std::shared_ptr<Place::Entry> find(std::uint64_t id);
    [[nodiscard]] bool hasSurplus() const noexcept;
    [[nodiscard]] bool mayLeave() noexcept;
    Result<> ensureIdleThread();
    void remove(const Place::Entry& entry) noexcept;

    const std::size_t maximumThreads_;
    const std::uint32_t realtimePriority_;
    UniqueFd epoll_;
    UniqueFd end_;                             // an eventfd: readable when the threads are to end
    std::atomic<std::size_t> idle_{0};         // threads that wait for a doorbell
    std::atomic<std::size_t> threadCount_{0};  // those that have not ended
    std::atomic<std::size_t> placeCount_{0};
    std::atomic<std::size_t> waitingForClients_{0};  // threads

    std::mutex mutex_;
    std::uint64_t lastId_ = 0;  // guarded by mutex_, as all below
    std::map<std::uint64_t, std::shared_ptr<Place::Entry>> entries_;
    std::vector<std::thread> threads_;
    std::vector<std::thread::id> ended_;  // of threads_
};

}  // namespace nnburst::burst
