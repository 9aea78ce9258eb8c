// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// HAL 1.3 IPreparedModel::executeFenced and IFencedExecutionCallback.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "device/devices.h"
#include "device/local/fence_waiter.h"
#include "nnburst/fence.h"
#include "nnburst/prepared_model.h"

namespace nnburst::test {
namespace {

/// Calls of statx(2), of which a look at the state of a fence makes one.
std::atomic<int> statxCalls{0};

}  // namespace
}  // namespace nnburst::test

// In the place of that of the C library.
extern "C" int statx(int directory, const char* path, int flags, unsigned int mask,
                     struct statx* status) noexcept {
    ++nnburst::test::statxCalls;
    return static_cast<int>(::syscall(SYS_statx, directory, path, flags, mask, status));
}

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;

class FencedExecutionTest : public DeviceTest {
  protected:
    Result<FencedExecution> launch(const Request& request, const std::vector<int>& waitFor = {},
                                   const ExecutionOptions& options = {},
                                   OptionalTimeoutDuration timeoutAfterFence = std::nullopt) {
        return prepared_->executeFenced(request, waitFor, options, timeoutAfterFence);
    }

    /// The result of an execution whose fence is signalled.
    Result<> end(const FencedExecution& execution) {
        if (execution.fence) {
            const Result<> waited =
                waitForFence(execution.fence.get(), std::chrono::steady_clock::now() + kWatchdog);
            const Result<> status = execution.callback(launched, fenced);
            EXPECT_EQ(waited.has_value(), status.has_value());
            return status;
        }
        return execution.callback(launched, fenced);
    }

    void expectFailure(const Result<>& result, ErrorStatus status) {
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().status, status) << result.error().message;
        EXPECT_EQ(launched, Timing{});
        EXPECT_EQ(fenced, Timing{});
    }

    void use(const Model& model) { prepared_ = prepare(model); }

    void SetUp() override {
        DeviceTest::SetUp();
        use(makeAddModel());
        fence = std::move(*makeFence());
    }

    SharedPreparedModel prepared_;
    UniqueFd fence;
    Timing launched;
    Timing fenced;
};

TEST_P(FencedExecutionTest, runsAtOnceWithoutFences) {
    AddRequest add;
    const auto execution = launch(add.request);
    ASSERT_TRUE(execution) << execution.error().message;
    const Result<> ended = end(*execution);
    ASSERT_TRUE(ended) << ended.error().message;
    EXPECT_EQ(add.out()[3], 13.0F);
    EXPECT_EQ(launched, Timing{});
    EXPECT_EQ(fenced, Timing{});
}

TEST_P(FencedExecutionTest, startsWhenAllFencesAreSignalled) {
    AddRequest add;
    const UniqueFd other = std::move(*makeFence());
    const auto execution = launch(add.request, {fence.get(), other.get()});
    ASSERT_TRUE(execution) << execution.error().message;
    signalFence(other.get());
    EXPECT_FALSE(waitForFence(execution->fence.get(), std::chrono::steady_clock::now() + 20ms));
    const Result<> early = execution->callback(launched, fenced);
    ASSERT_FALSE(early);
    EXPECT_EQ(early.error().status, ErrorStatus::GENERAL_FAILURE) << "it has not ended";
    EXPECT_EQ(add.out()[3], -1.0F);
    add.a()[3] = 100.0F;  // the memory is the application's until the fence is signalled
    signalFence(fence.get());
    ASSERT_TRUE(end(*execution));
    EXPECT_EQ(add.out()[3], 110.0F);
}

TEST_P(FencedExecutionTest, waitsForTheFenceOfAnother) {
    AddRequest first;
    AddRequest second;
    Request next = second.request;
    next.pools.push_back(first.pool.region());
    next.inputs[0] = first.request.outputs[0];
    next.inputs[0].location.poolIndex = 1;
    const auto before = launch(first.request, {fence.get()});
    ASSERT_TRUE(before);
    const auto after = launch(next, {before->fence.get()});
    ASSERT_TRUE(after);
    signalFence(fence.get());
    ASSERT_TRUE(end(*after));
    EXPECT_EQ(second.out()[3], 3.0F + 10.0F + 10.0F);
    EXPECT_TRUE(end(*before));
}

TEST_P(FencedExecutionTest, aFenceMayCrossDevices) {
    const SharedDevice local = *makeLocalDevice();
    const SharedPreparedModel there = *prepareModel(*local, makeAddModel());
    AddRequest first;
    AddRequest second;
    const auto before = there->executeFenced(first.request, std::array{fence.get()}, {}, {});
    ASSERT_TRUE(before);
    const auto after = launch(second.request, {before->fence.get()});
    ASSERT_TRUE(after);
    signalFence(fence.get());
    EXPECT_TRUE(end(*after));
    EXPECT_EQ(first.out()[3], 13.0F);
}

TEST_P(FencedExecutionTest, anErrorOfAnAwaitedFenceSpreads) {
    AddRequest add;
    const auto execution = launch(add.request, {fence.get()});
    ASSERT_TRUE(execution);
    AddRequest next;
    const auto after = launch(next.request, {execution->fence.get()});
    ASSERT_TRUE(after);
    failFence(fence.get());
    expectFailure(end(*after), ErrorStatus::GENERAL_FAILURE);
    expectFailure(end(*execution), ErrorStatus::GENERAL_FAILURE);
    EXPECT_EQ(*fenceState(execution->fence.get()), FenceState::FAILED);
    EXPECT_EQ(add.out()[3], -1.0F) << "it did not run";
}

TEST_P(FencedExecutionTest, measuresFromTheLaunchAndFromTheFence) {
    AddRequest add;
    const auto execution = launch(add.request, {fence.get()}, {.measure = MeasureTiming::YES});
    ASSERT_TRUE(execution);
    std::this_thread::sleep_for(20ms);
    signalFence(fence.get());
    ASSERT_TRUE(end(*execution));
    EXPECT_GE(launched.timeInDriver, 20000U);
    EXPECT_NE(launched.timeInDriver, kTimeNotAvailable);
    EXPECT_LT(fenced.timeInDriver, launched.timeInDriver);
    EXPECT_LE(launched.timeOnDevice, launched.timeInDriver);
    EXPECT_LE(fenced.timeOnDevice, fenced.timeInDriver);
}

TEST_P(FencedExecutionTest, refusesWhatIsNoFence) {
    AddRequest add;
    const UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    for (const int fd : {file.get(), -1}) {
        const auto execution = launch(add.request, {fd});
        ASSERT_FALSE(execution);
        EXPECT_EQ(execution.error().status, ErrorStatus::INVALID_ARGUMENT);
    }
    const auto execution = launch(add.request, std::vector<int>(kMaximumFences + 1, fence.get()));
    ASSERT_FALSE(execution);
    EXPECT_EQ(execution.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_EQ(execution.error().message,
              "execution with 127 fences to wait for: must be at most 126");
}

TEST_P(FencedExecutionTest, waitsForAsManyFencesAsAllowed) {
    AddRequest add;
    const auto execution = launch(add.request, std::vector<int>(kMaximumFences, fence.get()));
    ASSERT_TRUE(execution) << execution.error().message;
    EXPECT_EQ(*fenceState(execution->fence.get()), FenceState::PENDING);
    signalFence(fence.get());
    EXPECT_TRUE(waitForFence(execution->fence.get()));
    EXPECT_EQ(add.out()[3], 13.0F);
}

TEST_P(FencedExecutionTest, refusesInvalidRequestsAtTheLaunch) {
    AddRequest add;
    add.request.inputs[0].location.length -= 4;
    const auto execution = launch(add.request, {fence.get()});
    ASSERT_FALSE(execution);
    EXPECT_EQ(execution.error().status, ErrorStatus::INVALID_ARGUMENT);
}

TEST_P(FencedExecutionTest, refusesOutputsOfUnknownDimensions) {
    use(makeAddModel(0));
    AddRequest add(4);
    add.request.outputs[0].dimensions = {};
    const auto execution = launch(add.request);
    ASSERT_FALSE(execution);
    EXPECT_EQ(execution.error().status, ErrorStatus::INVALID_ARGUMENT);
    add.request.outputs[0].dimensions = {4};
    const auto known = launch(add.request);
    ASSERT_TRUE(known) << known.error().message;
    EXPECT_TRUE(end(*known));
}

TEST_P(FencedExecutionTest, theLongestTimeoutAndTheLastDeadlineChangeNothing) {
    AddRequest add;
    const auto execution = launch(add.request, {fence.get()}, {.deadline = TimePoint::max()},
                                  std::chrono::nanoseconds::max());
    ASSERT_TRUE(execution) << execution.error().message;
    signalFence(fence.get());
    const Result<> result = end(*execution);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(add.out()[3], 13.0F);
}

TEST_P(FencedExecutionTest, endsAtItsDeadlineThoughTheFenceIsPending) {
    AddRequest add;
    const auto execution = launch(add.request, {fence.get()},
                                  {.deadline = TimePoint(std::chrono::steady_clock::now()) + 20ms});
    ASSERT_TRUE(execution);
    expectFailure(end(*execution), ErrorStatus::MISSED_DEADLINE_TRANSIENT);
}

TEST_P(FencedExecutionTest, hasTheTimeAfterItsFencesAndNoMore) {
    AddRequest add;
    const auto execution = launch(add.request, {fence.get()}, {}, 0ns);
    ASSERT_TRUE(execution);
    signalFence(fence.get());
    const Result<> ended = end(*execution);
    ASSERT_FALSE(ended);
    EXPECT_TRUE(ended.error().status == ErrorStatus::MISSED_DEADLINE_TRANSIENT ||
                ended.error().status == ErrorStatus::MISSED_DEADLINE_PERSISTENT);
    const ExecutionOptions later{.deadline = TimePoint(std::chrono::steady_clock::now()) + 1h};
    const auto withDeadline = launch(add.request, {fence.get()}, later, 0ns);
    ASSERT_TRUE(withDeadline);
    EXPECT_FALSE(end(*withDeadline));
    const auto generous = launch(add.request, {fence.get()}, {}, 1h);
    ASSERT_TRUE(generous);
    EXPECT_TRUE(end(*generous));
}

TEST_P(FencedExecutionTest, hasTheTimeAfterItsFencesHoweverLongTheyTake) {
    AddRequest add;
    Result<> ended;
    // A loaded machine may need more than the first timeouts for the execution.
    for (std::chrono::milliseconds timeout = 100ms; timeout < kWatchdog; timeout *= 2) {
        fence = std::move(*makeFence());
        const auto execution = launch(add.request, {fence.get()}, {}, timeout);
        ASSERT_TRUE(execution);
        std::this_thread::sleep_for(timeout);  // a timeout that began at the launch is over
        signalFence(fence.get());
        ended = end(*execution);
        if (ended) {
            break;
        }
    }
    EXPECT_TRUE(ended) << ended.error().message;
}

TEST_P(FencedExecutionTest, theDevicesObjectsMayBeDroppedMeanwhile) {
    AddRequest add;
    auto execution = launch(add.request, {fence.get()});
    ASSERT_TRUE(execution);
    prepared_ = nullptr;
    device = nullptr;
    signalFence(fence.get());
    EXPECT_TRUE(end(*execution));
    EXPECT_EQ(add.out()[3], 13.0F);
}

NNBURST_INSTANTIATE_FOR_ALL_DEVICES(FencedExecutionTest);

/// Executions whose callbacks hold all threads come first. What waits then runs in the order of the
/// priorities of its models, not in the order of the launches.
TEST(LocalExecutions, ofModelsOfHigherPriorityComeFirst) {
    constexpr std::size_t kEach = 64;  // many times the threads of a client
    const AddRequest add;
    std::mutex mutex;
    std::string order;
    const SharedDevice device = *makeLocalDevice();
    std::promise<void> open;  // destroyed before the device, whose threads then go on
    const std::shared_future<void> opened = open.get_future().share();
    const auto launch = [&](Priority priority, char name) {
        const SharedPreparedModel prepared =
            *prepareModel(*device, makeAddModel(), {.priority = priority});
        for (std::size_t i = 0; i < kEach; ++i) {
            const Result<> launched = prepared->execute(
                add.request, {},
                [&mutex, &order, name, opened](const Result<>& status, const ExecutionOutcome&) {
                    EXPECT_TRUE(status) << status.error().message;
                    if (name == 'h') {
                        opened.wait();
                    }
                    const std::lock_guard lock(mutex);
                    order += name;
                });
            ASSERT_TRUE(launched) << launched.error().message;
        }
    };
    launch(Priority::HIGH, 'h');
    launch(Priority::LOW, 'l');
    launch(Priority::HIGH, 'u');  // LOW reaches HIGH only after two seconds
    open.set_value();
    const auto hasEnded = [&] {
        const std::lock_guard lock(mutex);
        return order.size() == 3 * kEach;
    };
    ASSERT_TRUE(eventually(hasEnded));
    // The thread that takes the first of LOW has found no other; others may be at one.
    const std::string beforeLow = order.substr(0, order.find('l'));
    EXPECT_GE(std::ranges::count(beforeLow, 'u'), kEach / 2) << order;
}

// One fence can release all of these executions at once. Those beyond 256 were once refused.
TEST(LocalExecutions, asManyMayWaitForAThreadAsMayWaitForFences) {
    constexpr std::uint32_t kCount = device::FenceWaiter::kMaximumWaits;
    constexpr std::uint32_t kBytes = 4 * sizeof(float);
    std::atomic<std::uint32_t> endedCount{0};
    const SharedDevice device = *makeLocalDevice();
    const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
    const auto argument = [](std::uint32_t index) {
        return RequestArgument{.location = {.offset = index * kBytes, .length = kBytes}};
    };
    Request request{.inputs = {argument(0), argument(1)},
                    .pools = {*Region::create(std::uint64_t{kCount + 2} * kBytes)}};
    std::promise<void> open;  // destroyed before the device, whose threads then go on
    const std::shared_future<void> opened = open.get_future().share();
    for (std::uint32_t index = 0; index < kCount; ++index) {
        request.outputs = {argument(2 + index)};
        const auto hold = [&endedCount, opened](const Result<>& status, const ExecutionOutcome&) {
            if (status) {  // an execution that is refused calls back on this thread
                opened.wait();
                ++endedCount;
            }
        };
        const Result<> launched = prepared->execute(request, {}, hold);
        ASSERT_TRUE(launched) << "execution " << index << ": " << launched.error().message;
    }
    open.set_value();
    EXPECT_TRUE(eventually([&] { return endedCount == kCount; }));
}

TEST(FencedExecutionProcess, theFencesOfADeadDriverFail) {
    const DriverProcess driver;
    const SharedDevice device = driver.connect();
    const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
    const UniqueFd fence = std::move(*makeFence());
    AddRequest add;
    const auto execution = prepared->executeFenced(add.request, std::array{fence.get()}, {}, {});
    ASSERT_TRUE(execution);
    driver.signal(SIGKILL);
    const Result<> waited =
        waitForFence(execution->fence.get(), std::chrono::steady_clock::now() + kWatchdog);
    ASSERT_FALSE(waited);
    EXPECT_EQ(waited.error().status, ErrorStatus::GENERAL_FAILURE) << waited.error().message;
    Timing timing;
    const Result<> ended = execution->callback(timing, timing);
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
}

TEST(FencedExecutionProcess, aClientKeepsNoDescriptorsOfExecutionsThatHaveEnded) {
    const SharedDevice device = *spawnDriver({}, NNBURST_DRIVER_PATH);
    const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
    AddRequest add;
    const auto execute = [&] {
        const auto execution = prepared->executeFenced(add.request, {}, {}, {});
        ASSERT_TRUE(execution) << execution.error().message;
        EXPECT_TRUE(waitForFence(execution->fence.get()));
    };
    execute();
    const std::size_t before = descriptorCount(::getpid());
    for (int i = 0; i < 30; ++i) {
        execute();
    }
    EXPECT_TRUE(eventually([&] { return descriptorCount(::getpid()) < before + 15; }));
}

TEST(FencedExecutionProcess, aClientDoesNotLookAtAllPendingFencesAtEachLaunch) {
    constexpr int kLaunches = 400;
    const SharedDevice device = *spawnDriver({}, NNBURST_DRIVER_PATH);
    const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
    const UniqueFd fence = std::move(*makeFence());
    AddRequest add;
    std::vector<FencedExecution> launched;
    statxCalls = 0;
    for (int i = 0; i < kLaunches; ++i) {
        auto execution = prepared->executeFenced(add.request, std::array{fence.get()}, {}, {});
        ASSERT_TRUE(execution) << execution.error().message;
        launched.push_back(*std::move(execution));
    }
    // About 4 for each launch, and one a second for each fence.
    EXPECT_LT(statxCalls, 40 * kLaunches);
    EXPECT_GE(statxCalls, kLaunches) << "a look at a fence is no longer a call of statx";
    failFence(fence.get());
}

TEST(FencedExecutionProcess, aDeadClientLeavesNothingInTheDriver) {
    const DriverProcess driver;
    const SharedDevice watching = driver.connect();
    ASSERT_TRUE(watching->getType());
    const std::size_t before = descriptorCount(driver.pid());
    const UniqueFd fence = std::move(*makeFence());
    {
        const SharedDevice device = driver.connect();
        const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
        AddRequest add;
        const auto execution =
            prepared->executeFenced(add.request, std::array{fence.get()}, {}, {});
        ASSERT_TRUE(execution);
    }
    // The fence is never signalled.
    EXPECT_TRUE(eventually([&] { return descriptorCount(driver.pid()) <= before; }));
}

}  // namespace
}  // namespace nnburst::test
