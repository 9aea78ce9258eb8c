// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/pool/thread_pool.h"

#include <immintrin.h>
#include <linux/futex.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <exception>
#include <utility>

#include "exec/pool/denormals.h"

namespace nnburst::exec {

namespace {

/// Both kinds of sleepers use one word; a wake-up is for one kind.
enum class Sleeper : std::uint32_t { WORKER = 1, CALLER = 2 };

void sleepWhile(const std::atomic<std::uint32_t>& word, std::uint32_t value,
                Sleeper kind) noexcept {
    ::syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, value, nullptr, nullptr,
              static_cast<std::uint32_t>(kind));
}

void wake(const std::atomic<std::uint32_t>& word, Sleeper kind) noexcept {
    ::syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, nullptr, nullptr,
              static_cast<std::uint32_t>(kind));
}

/// Spins until `isDone`; false if that was not true within kSpinTime.
template <class Condition>
bool spinUntil(Condition isDone) noexcept {
    using Clock = ThreadPool::Clock;
    constexpr int kPollsBetweenClockReads = 64;
    Clock::time_point end{};
    for (;;) {
        for (int poll = 0; poll < kPollsBetweenClockReads; ++poll) {
            if (isDone()) {
                return true;
            }
            _mm_pause();
        }
        const Clock::time_point now = Clock::now();
        if (end == Clock::time_point{}) {
            end = now + ThreadPool::kSpinTime;
        } else if (now >= end) {
            return false;
        }
    }
}

/// How often the system has preempted this thread.
long preemptionsOfThisThread() noexcept {
    rusage usage{};
    return ::getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

bool takeOne(std::atomic<std::size_t>& left) noexcept {
    // Relaxed, as all that is done with shares: they give out indexes and nothing else.
    std::size_t seen = left.load(std::memory_order_relaxed);
    while (seen > 0) {
        if (left.compare_exchange_weak(seen, seen - 1, std::memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::unique_ptr<ThreadPool> ThreadPool::create(std::size_t threads) noexcept {
    try {
        std::unique_ptr<ThreadPool> pool(
            new ThreadPool(std::clamp<std::size_t>(threads, 1, kMaximumThreads)));
        pool->startWorkers();
        return pool;
    } catch (const std::exception&) {
        return nullptr;
    }
}

ThreadPool::~ThreadPool() {
    isEnding_ = true;
    publish();  // never closed, so that every worker sees it
    for (std::thread& worker : workers_) {
        worker.join();
    }
}

void ThreadPool::startWorkers() {
    workers_.reserve(threads_ - 1);
    for (std::size_t thread = 1; thread < threads_; ++thread) {
        workers_.emplace_back([this, thread] { work(thread); });
    }
}

void ThreadPool::runAlone(std::size_t count, Task task, const void* work,
                          bool flushesDenormals) noexcept {
    if (count > 0) {
        const ScopedDenormalFlush flush(flushesDenormals);
        task(work, 0, 0, count);
    }
}

void ThreadPool::run(std::size_t count, Task task, const void* work,
                     bool flushesDenormals) noexcept {
    // Acquire and release [pool-used]: the fields of the previous caller.
    if (threads_ == 1 || count <= 1 || isUsed_.exchange(true, std::memory_order_acquire)) {
        runAlone(count, task, work, flushesDenormals);
        return;
    }
    if (isAlone_ && isTimeAlone()) {
        runAlone(count, task, work, flushesDenormals);
        isUsed_.store(false, std::memory_order_release);  // sync [pool-used]
        return;
    }
    task_ = task;
    work_ = work;
    flushesDenormals_ = flushesDenormals;
    for (std::size_t thread = 0, begin = 0; thread < threads_; ++thread) {
        const std::size_t size = count / threads_ + (thread < count % threads_ ? 1 : 0);
        Share& share = shares_[thread];
        share.begin = begin;
        begin += size;
        share.end.store(begin, std::memory_order_relaxed);
        share.left.store(size, std::memory_order_relaxed);
    }
    publish();
    {
        const ScopedDenormalFlush flush(flushesDenormals);
        doIndexes(0);
    }
    if (awaitWorkers()) {
        startTimeAlone();
    }
    isUsed_.store(false, std::memory_order_release);  // sync [pool-used]
}

void ThreadPool::publish() noexcept {
    // Relaxed: between operators only workers that go to sleep change the word, and only bit 0.
    const std::uint32_t number =
        (word_.load(std::memory_order_relaxed) & ~(kOneOperator - 1)) + kOneOperator;
    // sync [pool-operator-published]: the operator's fields are complete
    const std::uint32_t before = word_.exchange(number | kOpen, std::memory_order_release);
    if ((before & kWorkersSleep) != 0) {
        wake(word_, Sleeper::WORKER);
    }
}

void ThreadPool::doIndexes(std::size_t thread) noexcept {
    Share& own = shares_[thread];
    while (takeOne(own.left)) {
        const std::size_t index = own.begin++;
        task_(work_, thread, index, index + 1);
    }
    for (std::size_t distance = 1; distance < threads_; ++distance) {
        Share& other = shares_[(thread + distance) % threads_];
        while (takeOne(other.left)) {
            const std::size_t index = other.end.fetch_sub(1, std::memory_order_relaxed) - 1;
            task_(work_, thread, index, index + 1);
        }
    }
}

bool ThreadPool::awaitWorkers() noexcept {
    // Relaxed: the loads below acquire.
    word_.fetch_and(~kOpen, std::memory_order_relaxed);
    std::uint32_t seen = 0;
    const auto haveLeft = [&] {
        // sync [pool-worker-left]: what the workers have written
        seen = word_.load(std::memory_order_acquire);
        return (seen & kWorkerMask) == 0;
    };
    if (spinUntil(haveLeft)) {
        return false;
    }
    const Clock::time_point start = Clock::now();
    while (!haveLeft()) {
        // Relaxed: a value that announces a sleep publishes nothing.
        if (word_.compare_exchange_strong(seen, seen | kCallerSleeps, std::memory_order_relaxed)) {
            sleepWhile(word_, seen | kCallerSleeps, Sleeper::CALLER);
        }
    }
    // Relaxed: [pool-worker-left] orders it.
    return wasPreempted_.exchange(false, std::memory_order_relaxed) &&
           Clock::now() - start >= kLongSleep;
}

bool ThreadPool::isTimeAlone() noexcept {
    const Clock::time_point now = Clock::now();
    if (now < aloneUntil_) {
        return true;
    }
    isAlone_ = false;
    togetherSince_ = now;
    return false;
}

void ThreadPool::startTimeAlone() noexcept {
    const Clock::time_point now = Clock::now();
    const bool isAgain = now - togetherSince_ < kTrustedAfter;
    timeAlone_ =
        isAgain ? std::clamp<Clock::duration>(2 * timeAlone_, kFirstTimeAlone, kLongestTimeAlone)
                : kFirstTimeAlone;
    isAlone_ = true;
    aloneUntil_ = now + timeAlone_;
}

void ThreadPool::work(std::size_t thread) {
    long preemptions = preemptionsOfThisThread();
    std::uint32_t previous = 0;
    for (;;) {
        const std::uint32_t seen = awaitOperator(previous);
        previous = seen & ~(kOneOperator - 1);
        if (!enter(seen)) {
            continue;
        }
        if (isEnding_) {
            return;
        }
        {
            const ScopedDenormalFlush flush(flushesDenormals_);
            doIndexes(thread);
        }
        leave(preemptions);
    }
}

std::uint32_t ThreadPool::awaitOperator(std::uint32_t previous) noexcept {
    std::uint32_t seen = 0;
    const auto isNew = [&] {
        // Relaxed: a worker that enters acquires.
        seen = word_.load(std::memory_order_relaxed);
        return (seen & kOpen) != 0 && (seen & ~(kOneOperator - 1)) != previous;
    };
    if (spinUntil(isNew)) {
        return seen;
    }
    while (!isNew()) {
        // Relaxed: as in awaitWorkers.
        if ((seen & kWorkersSleep) != 0 ||
            word_.compare_exchange_strong(seen, seen | kWorkersSleep, std::memory_order_relaxed)) {
            sleepWhile(word_, seen | kWorkersSleep, Sleeper::WORKER);
        }
    }
    return seen;
}

bool ThreadPool::enter(std::uint32_t seen) noexcept {
    const std::uint32_t number = seen & ~(kOneOperator - 1);
    while ((seen & kOpen) != 0 && (seen & ~(kOneOperator - 1)) == number) {
        // sync [pool-operator-published]
        if (word_.compare_exchange_weak(seen, seen + kOneWorker, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

void ThreadPool::leave(long& preemptions) noexcept {
    // Relaxed: only the caller sets the bit, and the addition below looks again.
    if ((word_.load(std::memory_order_relaxed) & kCallerSleeps) != 0) {
        const long before = std::exchange(preemptions, preemptionsOfThisThread());
        if (preemptions > before) {
            wasPreempted_.store(true, std::memory_order_relaxed);  // [pool-worker-left] orders it
        }
    }
    // sync [pool-worker-left]
    const std::uint32_t before = word_.fetch_sub(kOneWorker, std::memory_order_release);
    if ((before & kCallerSleeps) != 0 && (before & kWorkerMask) == kOneWorker) {
        wake(word_, Sleeper::CALLER);
    }
}

}  // namespace nnburst::exec
