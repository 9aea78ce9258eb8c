// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// A device in a driver process, through the C API, and what happens when that process is killed.

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "api.h"
#include "configured_driver.h"
#include "nnburst/fence.h"

namespace nnburst::nnapi {
namespace {

/// The device in the driver; starts another driver if that of an earlier test was killed.
ANeuralNetworksDevice* driverDevice() {
    return deviceNamed(kDriverDevice);
}

/// A compiled addition on the device in the driver.
class NnapiDriver : public testing::Test {
  protected:
    void SetUp() override {
        device = driverDevice();
        ASSERT_NE(device, nullptr);
        compilation = newCompilation(model.get(), {device});
        ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError);
        ASSERT_FALSE(driverProcesses().empty());
    }

    [[nodiscard]] Execution newReadyExecution() {
        Execution execution = newExecution(compilation.get());
        setArguments(execution.get(), a, b, sum);
        return execution;
    }

    static void killDrivers() {
        for (const pid_t process : driverProcesses()) {
            ASSERT_EQ(::kill(process, SIGKILL), 0);
        }
    }

    Model model = newAddition();
    ANeuralNetworksDevice* device = nullptr;
    Compilation compilation;
    TwoFloats a{1, 2};
    TwoFloats b{10, 20};
    TwoFloats sum{};
};

TEST_F(NnapiDriver, computesInEachWay) {
    for (const Way way : kWays) {
        sum = {};
        const Execution execution = newReadyExecution();
        EXPECT_EQ(computeBy(way, execution.get(), compilation.get()), kNoError) << toString(way);
        EXPECT_EQ(sum, kSum) << toString(way);
    }
}

TEST_F(NnapiDriver, isNotReachedFromAForkedChild) {
    Execution execution = newReadyExecution();
    Burst burst = newBurst(compilation.get());
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ANeuralNetworksCompilation* another = nullptr;
        const bool isRefused =
            ANeuralNetworksExecution_compute(execution.get()) == kDeadObject &&
            ANeuralNetworksExecution_burstCompute(execution.get(), burst.get()) == kDeadObject &&
            ANeuralNetworksDevice_wait(device) == kDeadObject &&
            ANeuralNetworksCompilation_create(model.get(), &another) == kDeadObject;
        burst.reset();
        execution.reset();
        compilation.reset();
        std::_Exit(isRefused ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(ANeuralNetworksExecution_burstCompute(execution.get(), burst.get()), kNoError);
    EXPECT_EQ(sum, kSum);
}

TEST_F(NnapiDriver, computesInMemoryOfThisProcess) {
    const MappedMemory memory(64);
    memory.floats()[0] = 1;
    memory.floats()[1] = 2;
    for (const Way way : kWays) {
        const Execution execution = newExecution(compilation.get());
        for (const std::int32_t input : {0, 1}) {
            ASSERT_EQ(ANeuralNetworksExecution_setInputFromMemory(execution.get(), input, nullptr,
                                                                  memory.get(), 0, 8),
                      kNoError);
        }
        ASSERT_EQ(ANeuralNetworksExecution_setOutputFromMemory(execution.get(), 0, nullptr,
                                                               memory.get(), 32, 8),
                  kNoError);
        EXPECT_EQ(computeBy(way, execution.get(), compilation.get()), kNoError) << toString(way);
        EXPECT_EQ(memory.floats()[9], 4) << toString(way);
        memory.floats()[9] = 0;
    }
}

TEST_F(NnapiDriver, computesReusableExecutions) {
    const Burst burst = newBurst(compilation.get());
    const Execution execution = newReadyExecution();
    ASSERT_EQ(ANeuralNetworksExecution_setReusable(execution.get(), true), kNoError);
    for (int i = 0; i < 100; ++i) {
        a[0] = static_cast<float>(i);
        ASSERT_EQ(ANeuralNetworksExecution_burstCompute(execution.get(), burst.get()), kNoError);
        EXPECT_EQ(sum[0], static_cast<float>(10 + i));
    }
}

TEST_F(NnapiDriver, hasAnEventWithADescriptor) {
    const UniqueFd fence = newFence();
    const Event pending = newEvent(fence.get());
    const Execution execution = newReadyExecution();
    const Event done = startWith(execution.get(), {pending.get()});
    int fd = -1;
    EXPECT_EQ(ANeuralNetworksEvent_getSyncFenceFd(done.get(), &fd), kNoError);
    const UniqueFd own(fd);
    signalFence(fence.get());
    EXPECT_EQ(ANeuralNetworksEvent_wait(done.get()), kNoError);
    EXPECT_EQ(sum, kSum);
}

/// Each way, in a burst that stands when the driver is killed and on objects that stand, too.
TEST_F(NnapiDriver, thatIsKilledMakesItsObjectsDead) {
    const Burst burst = newBurst(compilation.get());
    const Execution reusable = newReadyExecution();
    ASSERT_EQ(ANeuralNetworksExecution_setReusable(reusable.get(), true), kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_burstCompute(reusable.get(), burst.get()), kNoError);
    killDrivers();
    EXPECT_EQ(ANeuralNetworksExecution_burstCompute(reusable.get(), burst.get()), kDeadObject);
    for (const Way way : {Way::COMPUTE, Way::START, Way::FENCED}) {
        const Execution execution = newReadyExecution();
        EXPECT_EQ(computeBy(way, execution.get(), compilation.get()), kDeadObject) << toString(way);
    }
}

TEST_F(NnapiDriver, thatIsKilledEndsAnExecutionThatWaits) {
    const UniqueFd fence = newFence();
    const Event pending = newEvent(fence.get());
    const Execution execution = newReadyExecution();
    const Event done = startWith(execution.get(), {pending.get()});
    killDrivers();
    EXPECT_EQ(ANeuralNetworksEvent_wait(done.get()), kDeadObject);
}

TEST_F(NnapiDriver, thatIsKilledIsReplacedWhereTheRuntimeChooses) {
    const Compilation chosen = newCompilation(model.get());
    ASSERT_EQ(ANeuralNetworksCompilation_finish(chosen.get()), kNoError);
    const Burst burst = newBurst(chosen.get());
    const auto compute = [&](Way way) {
        sum = {};
        const Execution execution = newExecution(chosen.get());
        setArguments(execution.get(), a, b, sum);
        EXPECT_EQ(way == Way::BURST
                      ? ANeuralNetworksExecution_burstCompute(execution.get(), burst.get())
                      : computeBy(way, execution.get(), chosen.get()),
                  kNoError)
            << toString(way);
        EXPECT_EQ(sum, kSum) << toString(way);
    };
    compute(Way::BURST);
    killDrivers();
    for (const Way way : kWays) {
        compute(way);
    }
}

TEST_F(NnapiDriver, thatIsKilledIsStartedAgainForALaterCompilation) {
    killDrivers();
    const Execution execution = newReadyExecution();
    ASSERT_EQ(ANeuralNetworksExecution_compute(execution.get()), kDeadObject);
    const Compilation later = newCompilation(model.get(), {device});
    ASSERT_EQ(ANeuralNetworksCompilation_finish(later.get()), kNoError);
    const Execution again = newExecution(later.get());
    setArguments(again.get(), a, b, sum);
    EXPECT_EQ(ANeuralNetworksExecution_compute(again.get()), kNoError);
    EXPECT_EQ(sum, kSum);
}

TEST_F(NnapiDriver, thatIsKilledIsStartedAgainForAProgramThatWaitsForIt) {
    killDrivers();
    const Execution execution = newReadyExecution();
    ASSERT_EQ(ANeuralNetworksExecution_compute(execution.get()), kDeadObject);
    EXPECT_EQ(ANeuralNetworksDevice_wait(device), kNoError);
    EXPECT_FALSE(driverProcesses().empty());
}

TEST_F(NnapiDriver, keepsItsNameAndLevelWhenItIsKilled) {
    killDrivers();
    const char* name = nullptr;
    std::int64_t level = 0;
    EXPECT_EQ(ANeuralNetworksDevice_getName(device, &name), kNoError);
    EXPECT_STREQ(name, kDriverDevice);
    EXPECT_EQ(ANeuralNetworksDevice_getFeatureLevel(device, &level), kNoError);
    EXPECT_EQ(level, ANEURALNETWORKS_FEATURE_LEVEL_5);
}

class NnapiTwoDevices : public NnapiDriver {
  protected:
    void SetUp() override {
        NnapiDriver::SetUp();
        devices = {driverDevice(), referenceDevice()};
        compilation = newCompilation(model.get(), devices);
    }

    std::vector<ANeuralNetworksDevice*> devices;
};

TEST_F(NnapiTwoDevices, runAModelTogether) {
    ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError);
    for (const Way way : kWays) {
        sum = {};
        const Execution execution = newReadyExecution();
        EXPECT_EQ(computeBy(way, execution.get(), compilation.get()), kNoError) << toString(way);
        EXPECT_EQ(sum, kSum) << toString(way);
    }
}

TEST_F(NnapiTwoDevices, haveNoTimeoutsAndDurations) {
    EXPECT_EQ(ANeuralNetworksCompilation_setTimeout(compilation.get(), 1000), kBadData);
    ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError);
    const Execution execution = newReadyExecution();
    EXPECT_EQ(ANeuralNetworksExecution_setTimeout(execution.get(), 1000), kBadData);
    EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution.get(), true), kBadData);
    EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution.get(), false), kBadData);
}

TEST_F(NnapiTwoDevices, supportWhatOneOfThemDoes) {
    bool isSupported = false;
    EXPECT_EQ(
        ANeuralNetworksModel_getSupportedOperationsForDevices(
            model.get(), devices.data(), static_cast<std::uint32_t>(devices.size()), &isSupported),
        kNoError);
    EXPECT_TRUE(isSupported);
}

}  // namespace
}  // namespace nnburst::nnapi
