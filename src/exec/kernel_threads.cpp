// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/kernel_threads.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <thread>
#include <utility>

#include "exec/serving_thread.h"

namespace nnburst::exec {

namespace {

/// Once on each thread of a pool: none ends its part before all have begun, so that no thread gets
/// two.
struct WorkerSetUp {
    std::thread::id caller;
    std::uint32_t count;
    std::span<const std::uint32_t> processors;  // one a worker, or none
    std::uint32_t realtimePriority;
    std::atomic<std::uint32_t> begun{0};
    std::atomic<std::uint32_t> workers{0};

    static void run(void* context, std::size_t /*part*/) {
        static_cast<WorkerSetUp*>(context)->setUp();
    }

    void setUp() {
        if (std::this_thread::get_id() != caller) {
            setUpWorker(workers.fetch_add(1, std::memory_order_relaxed));
        }
        // Nothing is handed over but the count itself.
        begun.fetch_add(1, std::memory_order_relaxed);
        while (begun.load(std::memory_order_relaxed) < count) {
            std::this_thread::yield();
        }
    }

    void setUpWorker(std::uint32_t worker) {
        ::pthread_setname_np(::pthread_self(), "nnburst-kernel");
        if (worker < processors.size()) {
            runOn(processors.subspan(worker, 1));
        }
        if (realtimePriority != 0) {
            if (const Result<> taken = takeRealtimePriority(realtimePriority); !taken) {
                spdlog::warn("a kernel thread has no real-time priority: {}",
                             taken.error().message);
            }
        }
    }
};

}  // namespace

std::vector<std::uint32_t> usableProcessors() {
    std::vector<std::uint32_t> processors;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof(set), &set) == 0) {
        for (std::uint32_t processor = 0; processor < CPU_SETSIZE; ++processor) {
            if (CPU_ISSET(processor, &set)) {
                processors.push_back(processor);
            }
        }
    }
    return processors;
}

Result<std::shared_ptr<const KernelThreads>> KernelThreads::create(std::uint32_t count,
                                                                   WorkerPlacement placement,
                                                                   std::uint32_t realtimePriority) {
    std::vector<std::uint32_t> processors;
    if (placement == WorkerPlacement::APART) {
        processors = usableProcessors();
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
    WorkerSetUp setUp{.caller = std::this_thread::get_id(),
                      .count = count,
                      .processors = threads->processors(),
                      .realtimePriority = realtimePriority};
    pthreadpool_parallelize_1d(pool, &WorkerSetUp::run, &setUp, count, 0);
    return threads;
}

}  // namespace nnburst::exec
