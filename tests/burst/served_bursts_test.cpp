// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Bursts and the threads that serve them: parking, spinning, and many bursts.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <cerrno>
#include <deque>
#include <future>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "burst/channel.h"
#include "exec/threads/execution_gate.h"
#include "fakes.h"
#include "serving_support.h"
#include "support/eventually.h"
#include "support/sleeping_threads.h"
#include "system/affinity.h"

namespace nnburst::burst {
namespace {

using namespace std::chrono_literals;

TEST(ParkedBurst, isServedAgainAndHasNoThreadMeanwhile) {
    BurstPair burst;
    DoublingRequest doubling;
    ExecutionOutcome outcome;
    const Channel channel = std::move(*Channel::open(burst.controller->channel()));
    const auto& word =
        *reinterpret_cast<const fmq::EventWord*>(channel.memory().data() + kRequestEventOffset);
    for (int round = 0; round < 3; ++round) {
        doubling.in()[0] = static_cast<float>(round);
        ASSERT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
        EXPECT_EQ(doubling.out()[0], 2.0F * static_cast<float>(round));
        ASSERT_TRUE(test::eventually([&] { return (word.word & fmq::EventFlag::kParked) != 0; }));
    }
}

TEST(ParkedBurst, forgetsMemoryThatIsFreed) {
    BurstPair burst;
    const DoublingRequest doubling;
    std::mutex mutex;
    std::weak_ptr<const Region> received;  // guarded by mutex
    burst.driver->setMemories([&](std::span<const std::int32_t> slots) {
        auto regions = asReceived(burst.controller->getMemories(slots));
        const std::lock_guard lock(mutex);
        received = regions[0];
        return Result<std::vector<SharedRegion>>(std::move(regions));
    });
    const auto isForgotten = [&] {
        const std::lock_guard lock(mutex);
        return received.expired();
    };
    ExecutionOutcome outcome;
    ASSERT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
    const Channel channel = std::move(*Channel::open(burst.controller->channel()));
    const auto& word =
        *reinterpret_cast<const fmq::EventWord*>(channel.memory().data() + kRequestEventOffset);
    ASSERT_TRUE(test::eventually([&] { return (word.word & fmq::EventFlag::kParked) != 0; }));
    EXPECT_FALSE(isForgotten());
    burst.controller->freeMemory(doubling.pool.region());
    ASSERT_TRUE(test::eventually(isForgotten));
}

TEST(ParkedBurst, wakesThreadsThatSleepWhenItIsStopped) {
    BurstPair burst;
    const Channel channel = std::move(*Channel::open(burst.controller->channel()));
    fmq::EventFlag flag = channel.requestEvent();
    std::this_thread::sleep_for(300ms);  // it is parked by now: nobody else sleeps
    const fmq::EventFlag::Announcement announcement = flag.announceSleeper();
    burst.server->stop();
    EXPECT_TRUE(flag.sleep(announcement, std::chrono::steady_clock::now() + 20s));
}

/// The other side may have thousands of threads sleep on the words of a channel.
TEST(Burst, wakesFewOfTheThreadsThatSleepOnItsWords) {
    BurstPair burst;
    const Channel channel = std::move(*Channel::open(burst.controller->channel()));
    const auto wordAt = [&channel](std::uint64_t offset) -> fmq::EventWord& {
        return *reinterpret_cast<fmq::EventWord*>(channel.memory().data() + offset);
    };
    const test::SleepingThreads onRequests(wordAt(kRequestEventOffset), 3 * kMaximumWoken);
    const test::SleepingThreads onResults(wordAt(kResultEventOffset), 2 * kMaximumWoken);
    ASSERT_TRUE(onRequests.fallAsleep());
    ASSERT_TRUE(onResults.fallAsleep());
    const DoublingRequest doubling;
    ExecutionOutcome outcome;
    ASSERT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
    std::this_thread::sleep_for(20ms);
    EXPECT_LE(onRequests.woken(), std::size_t{kMaximumWoken});
    EXPECT_LE(onResults.woken(), std::size_t{kMaximumWoken});
    burst.server->stop();
    std::this_thread::sleep_for(20ms);
    EXPECT_LE(onRequests.woken(), std::size_t{2 * kMaximumWoken});
}

TEST(Burst, hasAThreadFromItsSetUpOn) {
    const BurstPair burst;
    const Channel channel = std::move(*Channel::open(burst.controller->channel()));
    const auto& word =
        *reinterpret_cast<const fmq::EventWord*>(channel.memory().data() + kRequestEventOffset);
    // Only a thread that serves the burst parks it, after it has waited for a quarter of a second.
    ASSERT_TRUE(test::eventually([&] { return (word.word & fmq::EventFlag::kParked) != 0; }));
}

TEST(Burst, letsNoClientMakeTheDriverSpinForLong) {
    BurstPair burst({.clientWait = {.spinWindow = 1h, .mode = WaitMode::SPIN},
                     .driverWait = {.spinWindow = 1h, .mode = WaitMode::SPIN}});
    const DoublingRequest doubling;
    ExecutionOutcome outcome;
    const Channel channel = std::move(*Channel::open(burst.controller->channel()));
    const auto& word =
        *reinterpret_cast<const fmq::EventWord*>(channel.memory().data() + kRequestEventOffset);
    for (int round = 0; round < 8; ++round) {  // it does not spin on the processor of its client
        const std::chrono::nanoseconds before = burst.controller->waitStats().driver.burnt;
        const ExecutionOptions options{.deadline = std::chrono::steady_clock::now() + 10s};
        ASSERT_TRUE(burst.controller->execute(doubling.request, options, outcome));
        ASSERT_TRUE(test::eventually([&] { return (word.word & fmq::EventFlag::kParked) != 0; }));
        EXPECT_LT(burst.controller->waitStats().driver.burnt - before, 150ms);
    }
}

/// Bursts of one client that are asked to spin, and an execution of each now and then.
TEST(Burst, spinsWithOthersOnNoMoreThreadsThanThereAreProcessors) {
    constexpr std::size_t kBursts = 12;
    constexpr WaitPolicy kSpin{.spinWindow = 1h, .mode = WaitMode::SPIN};
    const auto pool = *ServingThreadPool::create();
    std::deque<BurstPair> bursts;
    for (std::size_t i = 0; i < kBursts; ++i) {
        bursts.emplace_back(
            BurstOptions{.clientWait = {.mode = WaitMode::BLOCK}, .driverWait = kSpin}, pool);
    }
    const DoublingRequest doubling;
    ExecutionOutcome outcome;
    const auto begin = std::chrono::steady_clock::now();
    for (int round = 0; round < 20; ++round) {
        for (BurstPair& burst : bursts) {
            ASSERT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
        }
        std::this_thread::sleep_for(5ms);
    }
    std::chrono::nanoseconds spun{};
    for (BurstPair& burst : bursts) {
        spun += burst.controller->waitStats().driver.burnt;
    }
    EXPECT_LE(spun, (std::chrono::steady_clock::now() - begin) *
                        static_cast<long>(system::usableProcessors().size()));
    if (!fmq::hasOneProcessor()) {
        EXPECT_GT(spun, 0ns);
    }
}

TEST(ParkedBurst, stopsAtOnce) {
    BurstPair burst;
    std::this_thread::sleep_for(300ms);
    burst.server = nullptr;  // a watchdog of the test run ends it otherwise
}

TEST(Burst, tellsTheClientWhileExecutionsWaitForEachOther) {
    BurstPair burst;
    const Channel channel = std::move(*Channel::open(burst.controller->channel()));
    const fmq::EventFlag driver(
        *reinterpret_cast<fmq::EventWord*>(channel.memory().data() + kRequestEventOffset));
    DoublingRequest doubling;
    ExecutionOutcome outcome;
    const auto execute = [&] {
        ASSERT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
    };
    execute();
    EXPECT_FALSE(driver.isContended());
    ++burst.model->delayed;
    execute();
    ASSERT_TRUE(test::eventually([&] { return driver.isContended(); }));
    for (int i = 0; i < 100; ++i) {
        execute();
    }
    ASSERT_TRUE(test::eventually([&] { return !driver.isContended(); }));
}

TEST(Burst, tellsTheClientWhileSpinningWouldTakeTheProcessorsOfOthers) {
    BurstPair burst;
    const Channel channel = std::move(*Channel::open(burst.controller->channel()));
    const fmq::EventFlag driver(
        *reinterpret_cast<fmq::EventWord*>(channel.memory().data() + kRequestEventOffset));
    DoublingRequest doubling;
    ExecutionOutcome outcome;
    burst.model->wouldOversubscribe = true;
    ASSERT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
    ASSERT_TRUE(test::eventually([&] { return driver.isContended(); }));
}

TEST(Burst, leavesTheGateAfterItsAnswerWhateverThatIs) {
    exec::ExecutionGate gate(1);
    BurstPair burst;
    burst.model->gate = &gate;
    DoublingRequest doubling;
    ExecutionOutcome outcome;
    ASSERT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
    EXPECT_TRUE(test::eventually([&] { return !gate.isBusy(); }));
    burst.model->setOnRun([] { return failure(ErrorStatus::GENERAL_FAILURE, "for the test"); });
    EXPECT_FALSE(burst.controller->execute(doubling.request, {}, outcome));
    EXPECT_TRUE(test::eventually([&] { return !gate.isBusy(); }));
    burst.model->setOnRun([]() -> Result<> { throw std::bad_alloc(); });
    EXPECT_FALSE(burst.controller->execute(doubling.request, {}, outcome));
    EXPECT_TRUE(test::eventually([&] { return !gate.isBusy(); }));
}

TEST(ManyBursts, areServedWhileTheClientOfOneDoesNotAnswer) {
    const auto pool = *ServingThreadPool::create(1);
    BurstPair silent({}, pool);
    BurstPair other({}, pool);
    std::promise<void> isAsked;
    std::promise<void> answer;
    silent.driver->setMemories([&](auto) -> Result<std::vector<SharedRegion>> {
        isAsked.set_value();
        answer.get_future().wait();
        return failure(ErrorStatus::GENERAL_FAILURE, "no answer");
    });
    std::thread waiting([&] {
        DoublingRequest doubling;
        ExecutionOutcome outcome;
        EXPECT_FALSE(silent.controller->execute(doubling.request, {}, outcome));
    });
    isAsked.get_future().wait();
    DoublingRequest doubling;
    ExecutionOutcome outcome;
    const Result<> result = other.controller->execute(
        doubling.request, {.deadline = std::chrono::steady_clock::now() + 10s}, outcome);
    EXPECT_TRUE(result) << result.error().message;
    answer.set_value();
    waiting.join();
}

TEST(ManyBursts, areServedWhileOthersWaitForTheirFirstRequest) {
    const auto pool = *ServingThreadPool::create(1);
    std::vector<std::unique_ptr<BurstPair>> unused;
    for (int i = 0; i < 200; ++i) {
        unused.push_back(std::make_unique<BurstPair>(BurstOptions(), pool));
    }
    BurstPair used({}, pool);
    DoublingRequest doubling;
    ExecutionOutcome outcome;
    // Where each of the others kept the thread for a quarter of a second, this would take 50 s.
    const Result<> result = used.controller->execute(
        doubling.request, {.deadline = std::chrono::steady_clock::now() + 20s}, outcome);
    EXPECT_TRUE(result) << result.error().message;
}

TEST(ManyBursts, ofAClientGetALowPriorityWhenAnotherClientComes) {
    const int usual = ::getpriority(PRIO_PROCESS, 0);
    const int low = lowNice();
    if (low == usual) {
        GTEST_SKIP() << "this process may not set a nice value back";
    }
    Amounts limits;
    limits[Resource::MEMORY] = std::uint64_t{1} << 30;
    const SharedAccount user = Account::create("user", limits);
    const SharedAccount many = Account::create("many", limits, user);
    const SharedAccount other = Account::create("other", limits, user);
    const auto pool = *ServingThreadPool::create();
    const DoublingRequest doubling;
    ExecutionOutcome outcome;
    std::atomic<int> nice{usual};
    std::deque<BurstPair> bursts;
    const auto executeOnAll = [&] {
        for (const BurstPair& burst : bursts) {
            EXPECT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
        }
    };
    for (std::size_t i = 0; i <= ServingShares::kManyServed; ++i) {
        bursts.emplace_back(BurstOptions(), pool, many);
    }
    bursts.front().model->setOnRun([&nice] {
        nice = ::getpriority(PRIO_PROCESS, 0);
        return Result<>();
    });
    executeOnAll();
    EXPECT_EQ(nice, usual) << "there is no other client";
    bursts.emplace_back(BurstOptions(), pool, other);
    // They are in use all the time: no turn of theirs ends because it has nothing to do.
    ASSERT_TRUE(test::eventually([&] {
        executeOnAll();
        return nice == low;
    }));
}

TEST(ManyBursts, shareFewThreads) {
    constexpr int kBursts = 40;
    const auto pool = *ServingThreadPool::create(3);
    std::vector<std::unique_ptr<BurstPair>> bursts;
    std::vector<std::thread> clients;
    for (int i = 0; i < kBursts; ++i) {
        bursts.push_back(std::make_unique<BurstPair>(BurstOptions(), pool));
    }
    for (const auto& burst : bursts) {
        clients.emplace_back([&burst] {
            DoublingRequest doubling;
            ExecutionOutcome outcome;
            const auto reusable =
                std::move(*burst->controller->createReusableExecution(doubling.request, {}));
            for (int i = 0; i < 200; ++i) {
                doubling.in()[0] = static_cast<float>(i);
                ASSERT_TRUE(reusable->compute({}, outcome));
                ASSERT_EQ(doubling.out()[0], 2.0F * static_cast<float>(i));
            }
        });
    }
    for (std::thread& client : clients) {
        client.join();
    }
    // More while some ask for memory; one hears doorbells.
    ASSERT_TRUE(test::eventually([&] { return pool->threadCount() <= 4; }));
}

}  // namespace
}  // namespace nnburst::burst
