// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/thread_set.h"

#include <gtest/gtest.h>

#include <latch>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "support/eventually.h"
#include "support/failing_allocations.h"
#include "system/mutex.h"
#include "system/thread.h"

namespace nnburst::system {
namespace {

/// Has allocated what all threads use at their start and end.
void allocateOnce() {
    startThread("first", [] {})->join();
}

void joinAll(std::vector<std::thread> threads) {
    for (std::thread& thread : threads) {
        thread.join();
    }
}

TEST(ThreadSet, startsNoThreadForWhichItHasNoMemory) {
    allocateOnce();
    bool hasFailed = true;
    for (int allocations = 0; hasFailed; ++allocations) {
        ThreadSet threads;
        bool isStarted = false;
        test::failAllocationAfter(allocations);
        try {
            isStarted = threads.start("test", [] {}).has_value();
        } catch (const std::bad_alloc&) {
        }
        hasFailed = test::stopFailingAllocations();
        EXPECT_EQ(threads.size(), isStarted ? 1U : 0U) << allocations << " allocations";
        joinAll(threads.takeAll());
    }
}

TEST(ThreadSet, endsThreadsWithoutMemory) {
    allocateOnce();
    constexpr int kThreads = 3;
    Mutex mutex;
    ThreadSet threads;
    std::latch areAllStarted(kThreads + 1);
    for (int i = 0; i < kThreads; ++i) {
        const MutexLock lock(mutex);
        ASSERT_TRUE(threads.start("test", [&] {
            areAllStarted.arrive_and_wait();
            test::failAllocationAfter(0);
            const MutexLock ending(mutex);
            threads.endSelf();
        }));
    }
    areAllStarted.arrive_and_wait();
    EXPECT_TRUE(test::eventually([&] {
        const MutexLock lock(mutex);
        return threads.size() == 0;
    }));
    const MutexLock lock(mutex);
    threads.joinEnded();
    EXPECT_TRUE(threads.takeAll().empty());
}

TEST(ThreadSet, leavesThreadsThatWereTakenToTheirOwner) {
    Mutex mutex;
    ThreadSet threads;
    std::latch isTaken(1);
    ASSERT_TRUE(threads.start("test", [&] {
        isTaken.wait();
        const MutexLock lock(mutex);
        threads.endSelf();
    }));
    std::vector<std::thread> taken = threads.takeAll();
    isTaken.count_down();
    EXPECT_EQ(taken.size(), 1U);
    joinAll(std::move(taken));
    EXPECT_TRUE(threads.takeAll().empty());
}

}  // namespace
}  // namespace nnburst::system
