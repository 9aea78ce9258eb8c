// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/memory_reserve.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <new>
#include <thread>

#include "support/exhausted_memory.h"
#include "system/interruption.h"

namespace nnburst::system {
namespace {

constexpr std::size_t kSmallBytes = 64;

bool canAllocate(std::size_t bytes) {
    void* const allocated = ::operator new(bytes, std::nothrow);
    ::operator delete(allocated);
    return allocated != nullptr;
}

TEST(MemoryReserve, letsASmallAllocationSucceedWhenMemoryHasRunOut) {
    EXPECT_EXIT_STATUS(([] {
                           test::exhaustMemory();
                           return canAllocate(kSmallBytes) ? 1 : 0;
                       }),
                       0);
    EXPECT_EXIT_STATUS(([] {
                           keepMemoryReserve();
                           test::exhaustMemory();
                           return canAllocate(kSmallBytes) ? 0 : 1;
                       }),
                       0);
}

TEST(MemoryReserve, isKeptWhenAnAllocationIsTooLargeForIt) {
    EXPECT_EXIT_STATUS(([] {
                           keepMemoryReserve();
                           test::exhaustMemory();
                           if (canAllocate(2 * kMemoryReserveBytes)) {
                               return 1;
                           }
                           return canAllocate(kSmallBytes) ? 0 : 2;
                       }),
                       0);
}

TEST(MemoryReserve, isTakenAgainWhenThereIsRoom) {
    EXPECT_EXIT_STATUS(([] {
                           keepMemoryReserve();
                           test::exhaustMemory();
                           if (!canAllocate(kSmallBytes)) {
                               return 1;
                           }
                           const rlimit unlimited{.rlim_cur = RLIM_INFINITY,
                                                  .rlim_max = RLIM_INFINITY};
                           ::setrlimit(RLIMIT_AS, &unlimited);
                           refillMemoryReserve();
                           test::exhaustMemory();
                           return canAllocate(kSmallBytes) ? 0 : 2;
                       }),
                       0);
}

TEST(ScopedInterruption, needsNoMemory) {
    EXPECT_EXIT_STATUS(([] {
                           std::thread([] {
                               test::exhaustMemory();
                               const ScopedInterruption interruption;
                           }).join();
                           return 0;
                       }),
                       0);
}

}  // namespace
}  // namespace nnburst::system
