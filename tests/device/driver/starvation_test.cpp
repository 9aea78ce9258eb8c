// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Clients that keep a driver busy, and other clients that must be served meanwhile. The tests look
/// at the order in which calls end, not at times.

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "device/driver_process.h"
#include "device/hal_models.h"
#include "nnburst/device.h"
#include "nnburst/model_builder.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;

/// Executions of loops that end only by their timeout, by one client of a driver.
class EndlessLoops {
  public:
    EndlessLoops(const SharedDevice& device, Priority priority, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            // A model each, as executions of one model take turns.
            const Model model = makeEndlessModel(1e30F + 1e28F * static_cast<float>(i));
            auto prepared = prepareModel(*device, model, {.priority = priority});
            EXPECT_TRUE(prepared) << prepared.error().message;
            auto request = std::make_shared<SmallRequest>();
            request->input<float>({1.0F}, {1}).output(4, {1});
            ++*running_;
            EXPECT_TRUE((*prepared)->execute(
                request->request, {.loopTimeout = 15s},
                [request, running = running_](const Result<>&, const ExecutionOutcome&) {
                    --*running;
                }));
        }
    }
    /// Executions that have not ended.
    [[nodiscard]] std::size_t running() const { return *running_; }

  private:
    const std::shared_ptr<std::atomic<std::size_t>> running_ =
        std::make_shared<std::atomic<std::size_t>>(0);
};

/// More loops than the driver has processors, and at least four.
std::size_t manyLoops() {
    return std::thread::hardware_concurrency() + 2;
}

class StarvationTest : public testing::TestWithParam<Priority> {
  protected:
    DriverProcess driver;
    const SharedDevice attacker = driver.connect();
    const SharedDevice victim = driver.connect();
};

TEST_P(StarvationTest, callsOfOneClientDoNotWaitForEndlessLoopsOfAnother) {
    const SharedPreparedModel prepared = *prepareModel(*victim, makeAddModel());
    const EndlessLoops loops(attacker, GetParam(), manyLoops());
    EXPECT_TRUE(victim->getSupportedOperations(makeAddModel()));
    EXPECT_TRUE(prepareModel(*victim, makeAddModel(5)));
    AddRequest add;
    ExecutionOutcome outcome;
    for (int i = 0; i < 10; ++i) {
        const auto executed = prepared->executeSynchronously(add.request, {}, outcome);
        EXPECT_TRUE(executed) << executed.error().message;
    }
    const auto burst = std::move(*prepared->configureExecutionBurst({}));
    for (int i = 0; i < 10; ++i) {
        const auto executed = burst->execute(add.request, {}, outcome);
        EXPECT_TRUE(executed) << executed.error().message;
    }
    EXPECT_EQ(loops.running(), manyLoops()) << "the loops had to end first";
}

TEST_P(StarvationTest, controlCallsDoNotWaitForEndlessLoopsOfTheSameClient) {
    const EndlessLoops loops(attacker, GetParam(), manyLoops());
    EXPECT_TRUE(attacker->getSupportedOperations(makeAddModel()));
    EXPECT_TRUE(prepareModel(*attacker, makeAddModel(5)));
    EXPECT_EQ(loops.running(), manyLoops()) << "the loops had to end first";
}

TEST_P(StarvationTest, theDriverSaysThatItIsBusyWhileAllProcessorsAreTaken) {
    EXPECT_EQ(victim->getStatus(), DeviceStatus::AVAILABLE);
    const EndlessLoops loops(attacker, GetParam(), manyLoops());
    EXPECT_TRUE(eventually([&] { return victim->getStatus() == DeviceStatus::BUSY; }));
    EXPECT_EQ(loops.running(), manyLoops());
}

TEST(DriverOnOneProcessor, isBusyWithOneExecution) {
    const DriverProcess driver({"--processors", std::to_string(::sched_getcpu())});
    const SharedDevice device = driver.connect();
    EXPECT_EQ(device->getStatus(), DeviceStatus::AVAILABLE);
    const EndlessLoops loop(device, Priority::MEDIUM, 1);
    // Again and again: it is also busy while the job of the execution waits for its thread.
    EXPECT_TRUE(eventually([&] {
        bool isBusy = true;
        for (int i = 0; i < 100; ++i) {
            isBusy = isBusy && device->getStatus() == DeviceStatus::BUSY;
        }
        return isBusy;
    }));
    EXPECT_EQ(loop.running(), 1);
}

// ---- Long operations

constexpr std::uint32_t kLongSize = 1 << 19;

/// Minutes of work on 2 MiB: each output depends on each input. Another model for each `bias`.
Model makeLongModel(float bias) {
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {kLongSize});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {kLongSize});
    builder.addOperation(
        OperationType::LOCAL_RESPONSE_NORMALIZATION,
        {in, builder.addScalar(static_cast<std::int32_t>(kLongSize)), builder.addScalar(bias),
         builder.addScalar(1.0F), builder.addScalar(0.5F)},
        {out});
    return std::move(*builder.build({in}, {out}));
}

/// A request of a model of makeLongModel.
Request makeLongRequest() {
    constexpr std::uint32_t kBytes = kLongSize * sizeof(float);
    Request request;
    request.pools = {*Region::create(2 * kBytes)};
    request.inputs = {{.location = {.poolIndex = 0, .offset = 0, .length = kBytes}}};
    request.outputs = {{.location = {.poolIndex = 0, .offset = kBytes, .length = kBytes}}};
    return request;
}

TEST_P(StarvationTest, executionsOfOneClientDoNotWaitForTheEndOfLongOperationsOfAnother) {
    const SharedPreparedModel prepared = *prepareModel(*victim, makeAddModel());
    const auto running = std::make_shared<std::atomic<std::size_t>>(0);
    const Request request = makeLongRequest();
    for (std::size_t i = 0; i < manyLoops(); ++i) {
        const auto longOne = prepareModel(*attacker, makeLongModel(1.0F + static_cast<float>(i)),
                                          {.priority = GetParam()});
        ASSERT_TRUE(longOne) << longOne.error().message;
        ++*running;
        // The deadline ends a test that fails.
        ASSERT_TRUE((*longOne)->execute(
            request, {.deadline = TimePoint(std::chrono::steady_clock::now()) + 60s},
            [running](const Result<>&, const ExecutionOutcome&) { --*running; }));
    }
    ASSERT_TRUE(eventually([&] { return victim->getStatus() == DeviceStatus::BUSY; }));
    AddRequest add;
    ExecutionOutcome outcome;
    const auto executed = prepared->executeSynchronously(add.request, {}, outcome);
    EXPECT_TRUE(executed) << executed.error().message;
    const auto burst = std::move(*prepared->configureExecutionBurst({}));
    const auto computed = burst->execute(add.request, {}, outcome);
    EXPECT_TRUE(computed) << computed.error().message;
    EXPECT_EQ(*running, manyLoops()) << "the long operations had to end first";
}

// ---- A client that is killed

/// Executes long models on all processors, one of them through a burst, until it is killed.
[[noreturn]] void keepBusy(const DriverProcess& driver) {
    const SharedDevice device = driver.connect();
    const Request request = makeLongRequest();
    std::vector<SharedPreparedModel> prepared;
    for (std::size_t i = 0; i < manyLoops(); ++i) {
        prepared.push_back(*prepareModel(*device, makeLongModel(1.0F + static_cast<float>(i))));
    }
    for (std::size_t i = 1; i < prepared.size(); ++i) {
        (void)prepared[i]->execute(request, {}, [](const auto&, const auto&) {});
    }
    ExecutionOutcome outcome;
    (void)(*prepared[0]->configureExecutionBurst({}))->execute(request, {}, outcome);
    ::_exit(1);
}

TEST(KilledClient, leavesNoExecutionThatRunsOn) {
    const DriverProcess driver;
    const pid_t client = ::fork();
    ASSERT_GE(client, 0);
    if (client == 0) {
        keepBusy(driver);
    }
    const SharedDevice other = driver.connect();
    EXPECT_TRUE(eventually([&] { return other->getStatus() == DeviceStatus::BUSY; }));
    std::this_thread::sleep_for(100ms);  // the burst executes as well
    ::kill(client, SIGKILL);
    ASSERT_EQ(::waitpid(client, nullptr, 0), client);
    EXPECT_TRUE(eventually([&] { return other->getStatus() == DeviceStatus::AVAILABLE; }));
}

INSTANTIATE_TEST_SUITE_P(Device, StarvationTest, testing::Values(Priority::LOW, Priority::HIGH),
                         [](const auto& instance) {
                             return instance.param == Priority::LOW ? "low" : "high";
                         });

}  // namespace
}  // namespace nnburst::test
