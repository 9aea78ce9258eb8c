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

namespace nnburst::exec {

namespace {

/// Once on each thread of a pool: none ends its part before all have begun, so that no thread gets
/// two.
class WorkerSetUp {
  public:
    WorkerSetUp(std::uint32_t count, std::span<const std::uint32_t> processors,
                std::uint32_t realtimePriority) noexcept
        : count_(count), processors_(processors), realtimePriority_(realtimePriority) {}

    void runOn(pthreadpool_t pool) {
        // sync [worker-set-up]: in words of our own, as race detectors do not see those of the pool
        begun_.store(1, std::memory_order_release);
        pthreadpool_parallelize_1d(pool, &WorkerSetUp::run, this, count_, 0);
        while (ended_.load(std::memory_order_acquire) < count_ - 1) {
            std::this_thread::yield();
        }
    }

  private:
    static void run(void* context, std::size_t /*part*/) {
        static_cast<WorkerSetUp*>(context)->runPart();
    }

    void runPart() {
        // sync [worker-set-up]
        (void)begun_.load(std::memory_order_acquire);
        if (std::this_thread::get_id() == caller_) {
            awaitAll();
            return;
        }
        place(begun_.fetch_add(1, std::memory_order_relaxed) - 1);
        awaitAll();
        // Not before: it would keep its processor from one that has not begun.
        system::wishRealtimePriority(realtimePriority_, "a kernel thread");
        // sync [worker-set-up]
        ended_.fetch_add(1, std::memory_order_release);
    }

    void awaitAll() const noexcept {
        while (begun_.load(std::memory_order_relaxed) < count_) {
            std::this_thread::yield();
        }
    }

    void place(std::uint32_t worker) const noexcept {
        ::pthread_setname_np(::pthread_self(), "nnburst-kernel");
        if (worker < processors_.size()) {
            system::runOn(processors_.subspan(worker, 1));
        }
    }

    const std::thread::id caller_ = std::this_thread::get_id();
    const std::uint32_t count_;
    const std::span<const std::uint32_t> processors_;  // one a worker, or none
    const std::uint32_t realtimePriority_;
    std::atomic<std::uint32_t> begun_{0};  // the calling thread included
    std::atomic<std::uint32_t> ended_{0};
};

}  // namespace

Result<std::shared_ptr<const KernelThreads>> KernelThreads::create(std::uint32_t count,
                                                                   WorkerPlacement placement,
                                                                   std::uint32_t realtimePriority) {
    std::vector<std::uint32_t> processors;
    if (placement == WorkerPlacement::APART) {
        processors = system::usableProcessors();
        // The first is left to the thread that calls, and to interrupts, which most often go there.
        processors = processors.size() < count
                         ? std::vector<std::uint32_t>()
                         : std::vector(processors.begin() + 1, processors.begin() + count);
    }
    pthreadpool_t pool = pthreadpool_create(count);
    if (pool == nullptr) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                       fmt::format("cannot create a pool of {} threads", count));
    }
    std::shared_ptr<const KernelThreads> threads(
        new KernelThreads(pool, count, std::move(processors)));
    WorkerSetUp(count, threads->processors(), realtimePriority).runOn(pool);
    return threads;
}

}  // namespace nnburst::exec
