// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// In the steady state ANeuralNetworksExecution_burstCompute of a reusable execution takes no
/// system call and no heap allocation in this process, on a device in this process and on one in a
/// driver process. Where each inference has an execution of its own, it takes no system call.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>
#include <tuple>

#include "api.h"
#include "burst/steady_state.h"
#include "configured_driver.h"

namespace nnburst::nnapi {
namespace {

enum class Arguments : std::uint8_t { BUFFERS, MEMORY };

using Case = std::tuple<const char*, Arguments>;

class NnapiSteadyState : public testing::TestWithParam<Case> {
  protected:
    /// False if an object could not be made. In a child process, where the runtime is a new one.
    bool warmUp() {
        const auto& [deviceName, arguments] = GetParam();
        processors.onDriversOwn(
            [] { static_cast<void>(allDevices()); });  // the first call starts the driver
        model = newAddition();
        compilation = newCompilation(model.get(), {deviceNamed(deviceName)});
        if (ANeuralNetworksCompilation_finish(compilation.get()) != kNoError) {
            return false;
        }
        burst = newBurst(compilation.get());
        execution = newExecution(compilation.get());
        if (arguments == Arguments::BUFFERS) {
            setArguments(execution.get(), a, b, sum);
        } else {
            memory.emplace(192);
            for (const std::int32_t input : {0, 1}) {
                ANeuralNetworksExecution_setInputFromMemory(
                    execution.get(), input, nullptr, memory->get(),
                    static_cast<std::size_t>(input) * 64, sizeof(TwoFloats));
            }
            ANeuralNetworksExecution_setOutputFromMemory(execution.get(), 0, nullptr, memory->get(),
                                                         128, sizeof(TwoFloats));
        }
        if (ANeuralNetworksExecution_setReusable(execution.get(), true) != kNoError ||
            !computeMany(10)) {
            return false;
        }
        test::waitForSleepOfOthers();
        return computeMany(10);
    }

    bool computeMany(int count) {
        for (int i = 0; i < count; ++i) {
            if (ANeuralNetworksExecution_burstCompute(execution.get(), burst.get()) != kNoError) {
                return false;
            }
        }
        return true;
    }

    /// With a new execution for each, in buffers.
    bool computeManyNew(int count) {
        for (int i = 0; i < count; ++i) {
            const Execution each = newExecution(compilation.get());
            setArguments(each.get(), a, b, sum);
            if (ANeuralNetworksExecution_burstCompute(each.get(), burst.get()) != kNoError) {
                return false;
            }
        }
        return true;
    }

    test::ProcessorsOfBothEnds processors;
    Model model;
    Compilation compilation;
    Burst burst;
    Execution execution;
    std::optional<MappedMemory> memory;
    TwoFloats a{1, 2};
    TwoFloats b{10, 20};
    TwoFloats sum{};
};

TEST_P(NnapiSteadyState, makesNoSystemCall) {
    const auto prepare = [this] {
        if (!warmUp()) {
            ::_exit(2);
        }
    };
    const auto compute = [this] { return computeMany(test::kExecutions); };
    if (std::get<0>(GetParam()) == kDriverDevice) {
        test::expectNoSystemCallOfBurst(prepare, compute);
    } else {
        test::expectNoSystemCall(prepare, compute);
    }
}

TEST_P(NnapiSteadyState, makesNoSystemCallForNewExecutionsInBuffers) {
    const auto prepare = [this] {
        if (!warmUp() || !computeManyNew(10)) {
            ::_exit(2);
        }
    };
    const auto compute = [this] { return computeManyNew(test::kExecutions); };
    if (std::get<0>(GetParam()) == kDriverDevice) {
        test::expectNoSystemCallOfBurst(prepare, compute);
    } else {
        test::expectNoSystemCall(prepare, compute);
    }
}

TEST_P(NnapiSteadyState, allocatesNothing) {
    if (!test::kCountsAllocations) {
        GTEST_SKIP() << "sanitizers bring their own allocator";
    }
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        if (!warmUp()) {
            ::_exit(2);
        }
        const std::uint64_t before = test::allocationCount();
        const bool isDone = computeMany(test::kExecutions);
        const std::uint64_t allocations = test::allocationCount() - before;
        if (allocations != 0) {
            std::fprintf(stderr, "%llu allocations\n",
                         static_cast<unsigned long long>(allocations));
        }
        ::_exit(isDone && allocations == 0 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

std::string nameOf(const testing::TestParamInfo<Case>& instance) {
    const auto& [deviceName, arguments] = instance.param;
    return std::string(deviceName == kDriverDevice ? "driver" : "thisProcess") + "_" +
           (arguments == Arguments::BUFFERS ? "buffers" : "memory");
}

INSTANTIATE_TEST_SUITE_P(Nnapi, NnapiSteadyState,
                         testing::Combine(testing::Values(kDriverDevice, "nnapi-reference"),
                                          testing::Values(Arguments::BUFFERS, Arguments::MEMORY)),
                         nameOf);

}  // namespace
}  // namespace nnburst::nnapi
