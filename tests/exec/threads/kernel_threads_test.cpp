// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Where kernels run: threads, their processors, and the pages of their memory.

#include "exec/threads/kernel_threads.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "nnburst/builtin_models.h"
#include "support/signal_threads.h"
#include "support/test_request.h"
#include "system/affinity.h"
#include "system/huge_pages.h"
#include "system/scheduling.h"

namespace nnburst::exec {
namespace {

constexpr std::uint32_t kThreads = 2;

TEST(KernelThreads, poolThreadsApartHaveAProcessorEach) {
    const std::vector<std::uint32_t> usable = system::usableProcessors();
    const auto threads = KernelThreads::create(kThreads, KernelThreadPlacement::APART, 0);
    ASSERT_TRUE(threads) << threads.error().message;
    EXPECT_EQ((*threads)->count(), kThreads);
    EXPECT_EQ(pthreadpool_get_threads_count((*threads)->pool()), kThreads);
    const auto processors = (*threads)->processors();
    if (usable.size() < kThreads) {
        EXPECT_TRUE(processors.empty());
        return;
    }
    ASSERT_EQ(processors.size(), kThreads - 1);
    EXPECT_NE(processors[0], usable[0]);
    EXPECT_EQ(std::count(usable.begin(), usable.end(), processors[0]), 1);
    EXPECT_EQ(system::usableProcessors(), usable) << "the calling thread stays where it was";
}

TEST(KernelThreads, moreThanThereAreProcessorsRunAnywhere) {
    const auto count = static_cast<std::uint32_t>(system::usableProcessors().size()) + 1;
    const auto threads = KernelThreads::create(count, KernelThreadPlacement::APART, 0);
    ASSERT_TRUE(threads) << threads.error().message;
    EXPECT_TRUE((*threads)->processors().empty());
    const auto floating = KernelThreads::create(kThreads, KernelThreadPlacement::ANYWHERE, 0);
    ASSERT_TRUE(floating);
    EXPECT_TRUE((*floating)->processors().empty());
}

TEST(KernelThreads, blockTheSignalsOfTheProcess) {
    const int before = test::threadsThatReceive(SIGTERM);
    const auto threads = KernelThreads::create(kThreads, KernelThreadPlacement::ANYWHERE, 0);
    ASSERT_TRUE(threads) << threads.error().message;
    EXPECT_EQ(test::threadsThatReceive(SIGTERM), before);
}

/// The policy of a pool thread. Own atomics, because race detectors do not see those of the pool.
struct Found {
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<bool> isReady{false};
    std::atomic<int> policy{-1};
};

void findPolicy(void* context, std::size_t /*part*/) {
    Found& found = *static_cast<Found*>(context);
    (void)found.isReady.load(std::memory_order_acquire);
    if (std::this_thread::get_id() != found.caller) {
        found.policy.store(::sched_getscheduler(0), std::memory_order_release);
    }
}

TEST(KernelThreads, haveTheUsualPriorityWhereABackgroundJobMakesThem) {
    const system::ScopedBackgroundPriority background;
    if (::sched_getscheduler(0) != SCHED_IDLE) {
        GTEST_SKIP() << "this process may not set a nice value back";
    }
    const auto threads = KernelThreads::create(kThreads, KernelThreadPlacement::ANYWHERE, 0);
    ASSERT_TRUE(threads) << threads.error().message;
    Found found;
    found.policy.store(-1, std::memory_order_release);
    found.isReady.store(true, std::memory_order_release);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (found.policy.load(std::memory_order_acquire) == -1 &&
           std::chrono::steady_clock::now() < end) {
        pthreadpool_parallelize_1d((*threads)->pool(), &findPolicy, &found, 64, 0);
    }
    EXPECT_EQ(found.policy, SCHED_OTHER);
}

TEST(ServingThread, doesNotRunOnTheProcessorsOfPoolThreadsUnlessNoneIsLeft) {
    const std::vector<std::uint32_t> usable = system::usableProcessors();
    const std::span<const std::uint32_t> none;
    const std::span<const std::uint32_t> allButTheFirst = std::span(usable).subspan(1);
    std::thread([&] {
        {
            const system::ScopedCpuExclusion nothing(none);
            EXPECT_EQ(system::usableProcessors(), usable);
            const system::ScopedCpuExclusion all(usable);
            EXPECT_EQ(system::usableProcessors(), usable);
            const system::ScopedCpuExclusion others(allButTheFirst);
            EXPECT_EQ(system::usableProcessors(), std::vector<std::uint32_t>{usable[0]});
        }
        EXPECT_EQ(system::usableProcessors(), usable);
    }).join();
    std::thread([&] {
        system::runOn(std::span(usable).last(1));
        EXPECT_EQ(system::usableProcessors(), std::vector<std::uint32_t>{usable.back()});
    }).join();
}

TEST(KernelThreads, twoComputeWhatOneComputes) {
    DriverOptions options;
    options.threads = kThreads;
    for (const auto precision : {BuiltinPrecision::FLOAT32, BuiltinPrecision::QUANT8}) {
        const Model model = *makeMobileNetV1({.resolution = 96, .precision = precision});
        const auto alone = compile(model, true);
        TestRequest expected = randomRequest(*alone, 5);
        ASSERT_TRUE(expected.run(*alone));
        for (const auto placement :
             {KernelThreadPlacement::ANYWHERE, KernelThreadPlacement::APART}) {
            const auto shared = CompiledModel::compile(*Engine::create(options, placement), model);
            ASSERT_TRUE(shared) << shared.error().message;
            EXPECT_EQ((*shared)->kernelThreads(), kThreads);
            TestRequest request = randomRequest(**shared, 5);
            ASSERT_TRUE(request.run(**shared));
            EXPECT_TRUE(std::equal(request.output(0).begin(), request.output(0).end(),
                                   expected.output(0).begin(), expected.output(0).end()));
        }
    }
}

TEST(HugePages, lieBehindLargeBlocksAndChangeNoResult) {
    constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;
    const Model model = *makeMobileNetV1({.width = 1.0F, .resolution = 64});
    const auto before = compile(model, true);
    TestRequest expected = randomRequest(*before, 3);
    ASSERT_TRUE(expected.run(*before));

    EXPECT_EQ(system::blockAlignment(kHugePageBytes, 64), 64U) << "nobody wants them yet";
    const Result<> granted = system::useHugePages();
    if (!granted) {
        EXPECT_NE(granted.error().message.find("transparent_hugepage"), std::string::npos);
        EXPECT_EQ(system::blockAlignment(kHugePageBytes, 64), 64U);
        GTEST_SKIP() << granted.error().message;
    }
    EXPECT_EQ(system::blockAlignment(kHugePageBytes, 64), kHugePageBytes);
    EXPECT_EQ(system::blockAlignment(kHugePageBytes - 1, 64), 64U);
    const auto large = AlignedBuffer::allocate(3 * kHugePageBytes);
    ASSERT_TRUE(large);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large->data()) % kHugePageBytes, 0U);
    large->data()[3 * kHugePageBytes + kMappingPaddingBytes - 1] = std::byte{1};
    large->release();
    EXPECT_EQ(large->data()[0], std::byte{0});

    const auto after = compile(model, true);
    TestRequest request = randomRequest(*after, 3);
    ASSERT_TRUE(request.run(*after));
    EXPECT_TRUE(std::equal(request.output(0).begin(), request.output(0).end(),
                           expected.output(0).begin(), expected.output(0).end()));
}

}  // namespace
}  // namespace nnburst::exec
