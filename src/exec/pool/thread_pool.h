// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Threads that share the work of one operator after the other. Workers spin briefly for the next
/// operator, then sleep; only sleepers are woken, so operators that follow each other need no
/// system calls. The caller never waits for a worker that has not begun: it does that worker's
/// share itself.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace nnburst::exec {

/// The calling thread and the workers that the pool owns. Any thread may call run(); if another
/// thread is running something, or the call comes from a task, all of the work is done by the
/// calling thread.
class ThreadPool {
  public:
    using Clock = std::chrono::steady_clock;

    /// Does the work with the indexes from `begin` up to `end`, which is not included. `thread` is
    /// less than threads(); no other call of the same run has it at the same time.
    using Task = void (*)(const void* work, std::size_t thread, std::size_t begin, std::size_t end);

    static constexpr std::size_t kMaximumThreads = 256;  // kWorkerMask counts the workers
    /// How long a worker spins for the next operator, and the caller for workers that have not
    /// finished: longer than operators of small networks that are not shared out, and a small part
    /// of what a thread may run before the system takes its processor.
    static constexpr std::chrono::microseconds kSpinTime{100};
    /// After a worker has lost its processor in the middle of an operator, so that the caller slept
    /// for kLongSleep or more, the caller works alone for this time. The time doubles if that
    /// happens again before the threads have worked together for kTrustedAfter, as it does beside
    /// another busy process, whose time slices last some milliseconds.
    static constexpr std::chrono::milliseconds kFirstTimeAlone{2};
    static constexpr std::chrono::milliseconds kLongestTimeAlone{1000};
    static constexpr std::chrono::milliseconds kTrustedAfter{30};
    static constexpr std::chrono::microseconds kLongSleep{300};

    /// `threads` of at most kMaximumThreads, the calling one included. Null if the system gives no
    /// threads.
    [[nodiscard]] static std::unique_ptr<ThreadPool> create(std::size_t threads) noexcept;

    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;
    /// Must not be called while run() runs.
    ~ThreadPool();

    [[nodiscard]] std::size_t threads() const noexcept { return threads_; }

    /// Calls `task` so that each index below `count` is in one call; returns when all calls have
    /// returned. Allocates nothing. Only the first operator of a pool is certain to be shared: a
    /// caller of KernelThreads::create waits there until all threads have begun.
    void run(std::size_t count, Task task, const void* work, bool flushesDenormals) noexcept;
    /// The same on the calling thread alone.
    static void runAlone(std::size_t count, Task task, const void* work,
                         bool flushesDenormals) noexcept;

  private:
    // word_:  bits 31 to 11: number of the operator | 10 to 3: workers inside | 2: open | 1: the
    // caller sleeps | 0: workers sleep. A worker may enter while the operator is open. The
    // operator's fields below change only while none is open and no worker inside.
    static constexpr std::uint32_t kWorkersSleep = 1;
    static constexpr std::uint32_t kCallerSleeps = 2;
    static constexpr std::uint32_t kOpen = 4;
    static constexpr std::uint32_t kOneWorker = 8;
    static constexpr std::uint32_t kWorkerMask = 255 * kOneWorker;
    static constexpr std::uint32_t kOneOperator = 256 * kOneWorker;

    /// The indexes of one thread: it takes them from the front, others from the back.
    struct alignas(64) Share {
        std::atomic<std::size_t> left{0};
        std::atomic<std::size_t> end{0};
        std::size_t begin = 0;  ///< of the thread itself
    };

    explicit ThreadPool(std::size_t threads) : threads_(threads), shares_(threads) {}

    void startWorkers();
    void work(std::size_t thread);
    /// A value of word_ with an operator that is open and not `previous`.
    [[nodiscard]] std::uint32_t awaitOperator(std::uint32_t previous) noexcept;
    [[nodiscard]] bool enter(std::uint32_t seen) noexcept;
    void leave(long& preemptions) noexcept;
    void publish() noexcept;
    void doIndexes(std::size_t thread) noexcept;
    /// Returns whether the caller slept for kLongSleep because a worker had lost its processor.
    bool awaitWorkers() noexcept;
    [[nodiscard]] bool isTimeAlone() noexcept;
    void startTimeAlone() noexcept;

    const std::size_t threads_;
    std::vector<Share> shares_;
    std::vector<std::thread> workers_;

    // Of the caller that has set isUsed_.
    std::atomic<bool> isUsed_{false};
    bool isAlone_ = false;
    Clock::time_point aloneUntil_{};
    Clock::time_point togetherSince_{};
    Clock::duration timeAlone_{};  ///< the last one

    // The operator.
    Task task_ = nullptr;
    const void* work_ = nullptr;
    bool flushesDenormals_ = false;
    bool isEnding_ = false;

    std::atomic<bool> wasPreempted_{false};  ///< a worker, in the middle of an operator
    alignas(64) std::atomic<std::uint32_t> word_{0};
};

}  // namespace nnburst::exec
