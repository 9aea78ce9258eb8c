// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Executions and preparations that wait for a thread while others of their client have all.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "device/devices.h"
#include "device/hal_models.h"
#include "nnburst/fence.h"
#include "nnburst/result.h"
#include "support/held_accelerator.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;

/// The threads of a client for jobs of a kind.
std::size_t threadsOfClient() {
    return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 2, 8);
}

class WaitingExecutionTest : public DeviceTest {
  protected:
    /// Takes all threads with executions that end after `loopTimeout`.
    void takeAllThreads(Priority priority, std::chrono::nanoseconds loopTimeout) {
        loop_.input(std::vector<float>{1.0F}, {}).output(sizeof(float));
        const SharedPreparedModel endless = prepare(makeEndlessModel(), {.priority = priority});
        for (std::size_t i = 0; i < threadsOfClient(); ++i) {
            const Result<> launched = endless->execute(
                loop_.request, {.loopTimeout = loopTimeout},
                [ended = ended_](const Result<>& /*status*/, const ExecutionOutcome& /*outcome*/) {
                    ++*ended;
                });
            ASSERT_TRUE(launched) << launched.error().message;
        }
    }
    void expectThatNoneHasEnded() const { EXPECT_EQ(*ended_, 0U); }

    /// In each way that needs a thread of the device; executeSynchronously of a local device runs
    /// on the calling one. `timeout` is for each of them.
    std::vector<Result<>> executeInEachWay(const SharedPreparedModel& prepared,
                                           std::chrono::nanoseconds timeout) {
        const auto options = [timeout] {
            return ExecutionOptions{.deadline = std::chrono::steady_clock::now() + timeout};
        };
        std::vector<Result<>> results;
        std::promise<Result<>> called;
        EXPECT_TRUE(
            prepared->execute(add_.request, options(),
                              [&](const Result<>& status, const ExecutionOutcome& /*outcome*/) {
                                  called.set_value(status);
                              }));
        results.push_back(called.get_future().get());
        const auto fenced = prepared->executeFenced(add_.request, {}, options(), {});
        EXPECT_TRUE(fenced) << fenced.error().message;
        (void)waitForFence(fenced->fence.get(), std::chrono::steady_clock::now() + kWatchdog);
        Timing timing;
        results.push_back(fenced->callback(timing, timing));
        if (GetParam() != Kind::LOCAL) {
            ExecutionOutcome outcome;
            results.push_back(prepared->executeSynchronously(add_.request, options(), outcome));
        }
        return results;
    }

    AddRequest add_;

  private:
    SmallRequest loop_;
    const std::shared_ptr<std::atomic<std::size_t>> ended_ =
        std::make_shared<std::atomic<std::size_t>>(0);
};

/// They were once answered when a thread was free. executeSynchronously had taken the driver for
/// gone by then.
TEST_P(WaitingExecutionTest, endsAtItsDeadlineThoughNoThreadIsFree) {
    const SharedPreparedModel prepared = prepare(makeAddModel(), {.priority = Priority::LOW});
    takeAllThreads(Priority::MEDIUM, 5s);
    for (const Result<>& result : executeInEachWay(prepared, 50ms)) {
        ASSERT_FALSE(result);
        EXPECT_TRUE(isMissedDeadline(result.error().status)) << result.error().message;
    }
    expectThatNoneHasEnded();
    EXPECT_FALSE(prepared->isMemoryInUse());
}

/// Whether another attempt may succeed was once a matter of which thread saw the deadline first.
TEST_P(WaitingExecutionTest, doesNotCountAsWaitingIfItsDeadlineHadPassed) {
    const SharedPreparedModel prepared = prepare(makeAddModel(), {.priority = Priority::LOW});
    takeAllThreads(Priority::MEDIUM, 500ms);
    for (const Result<>& result : executeInEachWay(prepared, -1ms)) {
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().status, ErrorStatus::MISSED_DEADLINE_PERSISTENT)
            << result.error().message;
    }
}

/// All threads once went to executions of any priority that came first.
TEST_P(WaitingExecutionTest, isNotHeldUpByThoseOfLowerPriority) {
    const SharedPreparedModel prepared = prepare(makeAddModel());
    takeAllThreads(Priority::LOW, 5s);
    for (const Result<>& result : executeInEachWay(prepared, kWatchdog)) {
        EXPECT_TRUE(result) << result.error().message;
    }
    expectThatNoneHasEnded();
}

/// Those beyond 256 once failed after they had been accepted.
TEST_P(WaitingExecutionTest, isNotRefusedAfterItsFence) {
    constexpr std::size_t kCount = 300;
    const SharedPreparedModel prepared = prepare(makeAddModel());
    const UniqueFd fence = std::move(*makeFence());
    std::vector<FencedExecution> executions;
    for (std::size_t i = 0; i < kCount; ++i) {
        auto launched = prepared->executeFenced(add_.request, std::array{fence.get()}, {}, {});
        ASSERT_TRUE(launched) << launched.error().message;
        executions.push_back(std::move(*launched));
    }
    takeAllThreads(Priority::MEDIUM, 500ms);
    signalFence(fence.get());
    for (const FencedExecution& execution : executions) {
        (void)waitForFence(execution.fence.get(), std::chrono::steady_clock::now() + kWatchdog);
        Timing timing;
        const Result<> result = execution.callback(timing, timing);
        EXPECT_TRUE(result) << result.error().message;
    }
}

NNBURST_INSTANTIATE_FOR_ALL_DEVICES(WaitingExecutionTest);

/// The time went to others: another attempt may succeed. PERSISTENT says that it will not.
TEST(WaitingPreparation, endsAtItsDeadlineAndMayBeTriedAgain) {
    using Prepared = Result<SharedPreparedModel>;
    const auto accelerator = std::make_shared<HeldAccelerator>(threadsOfClient());
    const SharedDevice device = *makeLocalDevice(accelerator);
    const auto prepare = [&device](const PrepareOptions& options) {
        const auto ended = std::make_shared<std::promise<Prepared>>();
        EXPECT_TRUE(device->prepareModel(makeAddModel(), options, [ended](Prepared prepared) {
            ended->set_value(std::move(prepared));
        }));
        return ended->get_future();
    };
    std::vector<std::future<Prepared>> held;
    for (std::size_t i = 0; i < threadsOfClient(); ++i) {
        held.push_back(prepare({.priority = Priority::HIGH}));
    }
    auto late =
        prepare({.priority = Priority::LOW, .deadline = std::chrono::steady_clock::now() + 50ms});
    EXPECT_EQ(late.wait_for(kWatchdog), std::future_status::ready);
    accelerator->letGo();
    const Prepared result = late.get();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT)
        << result.error().message;
    for (auto& preparation : held) {
        EXPECT_TRUE(preparation.get());
    }
}

}  // namespace
}  // namespace nnburst::test
