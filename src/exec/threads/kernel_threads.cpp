// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/threads/kernel_threads.h"

#include <fmt/format.h>
#include <pthread.h>

#include <atomic>
#include <thread>
#include <utility>

#include "system/affinity.h"
#include "system/realtime.h"
#include "system/scheduling.h"
#include "system/thread.h"

namespace nnburst::exec {

namespace {

/// Runs once on each thread of a pool: no part ends before all have begun, so that no thread runs
/// two parts.
class PoolThreadSetUp {
  public:
    PoolThreadSetUp(std::uint32_t count, std::span<const std::uint32_t> processors,
                    std::uint32_t realtimePriority) noexcept
        : count_(count), processors_(processors), realtimePriority_(realtimePriority) {}

    void runOn(pthreadpool_t pool) {
        // sync [pool-thread-set-up]: own atomics, because race detectors do not see those of the
        // pool
        begun_.store(1, std::memory_order_release);
        pthreadpool_parallelize_1d(pool, &PoolThreadSetUp::run, this, count_, 0);
        while (ended_.load(std::memory_order_acquire) < count_ - 1) {
            std::this_thread::yield();
        }
    }

  private:
    static void run(void* context, std::size_t /*part*/) {
        static_cast<PoolThreadSetUp*>(context)->runPart();
    }

    void runPart() {
        // sync [pool-thread-set-up]
        (void)begun_.load(std::memory_order_acquire);
        if (std::this_thread::get_id() == caller_) {
            awaitAll();
            return;
        }
        place(begun_.fetch_add(1, std::memory_order_relaxed) - 1);
        awaitAll();
        // Not earlier: a real-time thread would take the processor from one that has not begun.
        system::tryTakeRealtimePriority(realtimePriority_, "a kernel thread");
        // sync [pool-thread-set-up]
        ended_.fetch_add(1, std::memory_order_release);
    }

    void awaitAll() const noexcept {
        while (begun_.load(std::memory_order_relaxed) < count_) {
            std::this_thread::yield();
        }
    }

    void place(std::uint32_t index) const noexcept {
        system::leaveScopes(inherited_);  // threads of the packaged pool are not ours
        ::pthread_setname_np(::pthread_self(), "nnburst-kernel");
        if (index < processors_.size()) {
            system::runOn(processors_.subspan(index, 1));
        }
    }

    const std::thread::id caller_ = std::this_thread::get_id();
    const system::InheritedPriority inherited_ = system::priorityWithoutScopes();
    const std::uint32_t count_;
    const std::span<const std::uint32_t> processors_;  // one for each pool thread, or empty
    const std::uint32_t realtimePriority_;
    std::atomic<std::uint32_t> begun_{0};  // the calling thread included
    std::atomic<std::uint32_t> ended_{0};
};

}  // namespace

Result<std::shared_ptr<const KernelThreads>> KernelThreads::create(std::uint32_t count,
                                                                   KernelThreadPlacement placement,
                                                                   std::uint32_t realtimePriority) {
    std::vector<std::uint32_t> processors;
    if (placement == KernelThreadPlacement::APART) {
        processors = system::usableProcessors();
        // The first processor is left to the calling thread and to interrupts, most of which it
        // handles.
        processors = processors.size() < count
                         ? std::vector<std::uint32_t>()
                         : std::vector(processors.begin() + 1, processors.begin() + count);
    }
    pthreadpool_t pool = [count] {
        const system::ScopedSignalBlock block;
        return pthreadpool_create(count);
    }();
    if (pool == nullptr) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                       fmt::format("cannot create a pool of {} threads", count));
    }
    std::shared_ptr<const KernelThreads> threads(
        new KernelThreads(pool, count, std::move(processors)));
    PoolThreadSetUp(count, threads->processors(), realtimePriority).runOn(pool);
    return threads;
}

}  // namespace nnburst::exec
