// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/dot8/shared_work.h"

#include <thread>

namespace nnburst::exec::dot8 {

namespace {

/// A unit of TimeLimit's work stands for a plain multiplication; these kernels do about as many in
/// that time.
constexpr std::size_t kMultiplicationsPerUnit = 64;

class Run {
  public:
    Run(std::size_t count, Task task, const void* work, TimeLimit& limit) noexcept
        : count_(count), task_(task), work_(work), limit_(limit) {}

    void onThreads(pthreadpool_t threads) noexcept {
        // sync [dot8-begun]: own atomics, because race detectors do not see those of the pool
        next_.store(0, std::memory_order_release);
        pthreadpool_parallelize_1d(threads, &Run::part, this, threadCount(threads), 0);
        // sync [dot8-ended]: what all threads have written
        (void)ended_.load(std::memory_order_acquire);
    }

    void onThisThread() noexcept { takeTasks(0); }

  private:
    static void part(void* run, std::size_t thread) {
        static_cast<Run*>(run)->onPoolThread(thread);
    }

    void onPoolThread(std::size_t thread) noexcept {
        // sync [dot8-begun]
        (void)next_.load(std::memory_order_acquire);
        takeTasks(thread);
        // sync [dot8-ended]: nothing of this object is read after it
        ended_.fetch_add(1, std::memory_order_release);
    }

    void takeTasks(std::size_t thread) noexcept {
        Pace pace(std::this_thread::get_id() == caller_ ? &limit_ : nullptr, isOver_);
        // Relaxed: it gives out indexes and nothing else.
        std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
        while (index < count_ && !pace.isOverAfter(0)) {
            task_(work_, index, thread, pace);
            index = next_.fetch_add(1, std::memory_order_relaxed);
        }
    }

    const std::size_t count_;
    const Task task_;
    const void* const work_;
    TimeLimit& limit_;
    const std::thread::id caller_ = std::this_thread::get_id();
    std::atomic<std::size_t> next_{0};
    std::atomic<std::size_t> ended_{0};  // threads
    std::atomic<bool> isOver_{false};
};

}  // namespace

bool Pace::isOverAfter(std::size_t multiplications) noexcept {
    if (limit_ == nullptr) {
        // Relaxed: nothing else becomes visible with it.
        return isOver_.load(std::memory_order_relaxed);
    }
    if (!limit_->isOverAfter(multiplications / kMultiplicationsPerUnit)) {
        return false;
    }
    isOver_.store(true, std::memory_order_relaxed);
    return true;
}

void runTasks(pthreadpool_t threads, std::size_t count, Task task, const void* work,
              TimeLimit& limit) {
    Run run(count, task, work, limit);
    if (threads == nullptr || count == 1) {
        run.onThisThread();
    } else {
        run.onThreads(threads);
    }
}

std::size_t threadCount(pthreadpool_t threads) noexcept {
    return threads == nullptr ? 1 : pthreadpool_get_threads_count(threads);
}

}  // namespace nnburst::exec::dot8
