// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Bursts.

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "api.h"

namespace nnburst::nnapi {
namespace {

class NnapiBurst : public CompiledAddition {
  protected:
    Burst burst = newBurst(compilation.get());
};

TEST_F(NnapiBurst, refusesNull) {
    ANeuralNetworksBurst* created = nullptr;
    const Execution execution = newReadyExecution();
    EXPECT_EQ(ANeuralNetworksBurst_create(nullptr, &created), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksBurst_create(compilation.get(), nullptr), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksExecution_burstCompute(execution.get(), nullptr), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksExecution_burstCompute(nullptr, burst.get()), kUnexpectedNull);
    EXPECT_EQ(created, nullptr);
}

TEST_F(NnapiBurst, thatIsNullIsFreedWithoutEffect) {
    ANeuralNetworksBurst_free(nullptr);
}

TEST_F(NnapiBurst, computesManyExecutions) {
    for (int i = 0; i < 20; ++i) {
        a = {static_cast<float>(i), 2};
        const Execution execution = newReadyExecution();
        ASSERT_EQ(ANeuralNetworksExecution_burstCompute(execution.get(), burst.get()), kNoError);
        EXPECT_EQ(sum, (TwoFloats{static_cast<float>(10 + i), 22}));
    }
}

TEST_F(NnapiBurst, refusesAnExecutionOfAnotherCompilation) {
    const Compilation other = newCompilation(model.get());
    ASSERT_EQ(ANeuralNetworksCompilation_finish(other.get()), kNoError);
    const Execution execution = newExecution(other.get());
    setArguments(execution.get(), a, b, sum);
    EXPECT_EQ(ANeuralNetworksExecution_burstCompute(execution.get(), burst.get()), kBadData);
}

TEST_F(NnapiBurst, computesAReusableExecutionInAnyBurstOfItsCompilation) {
    const Burst other = newBurst(compilation.get());
    const Execution execution = newReadyExecution();
    ASSERT_EQ(ANeuralNetworksExecution_setReusable(execution.get(), true), kNoError);
    for (ANeuralNetworksBurst* used : {burst.get(), other.get(), burst.get(), other.get()}) {
        sum = {};
        EXPECT_EQ(ANeuralNetworksExecution_burstCompute(execution.get(), used), kNoError);
        EXPECT_EQ(sum, kSum);
    }
}

TEST_F(NnapiBurst, computesSeveralReusableExecutionsInTurn) {
    TwoFloats otherSum{};
    const TwoFloats otherA{100, 200};
    const Execution first = newReadyExecution();
    const Execution second = newExecution(compilation.get());
    setArguments(second.get(), otherA, b, otherSum);
    for (ANeuralNetworksExecution* execution : {first.get(), second.get()}) {
        ASSERT_EQ(ANeuralNetworksExecution_setReusable(execution, true), kNoError);
    }
    for (int i = 0; i < 3; ++i) {
        sum = {};
        otherSum = {};
        EXPECT_EQ(ANeuralNetworksExecution_burstCompute(first.get(), burst.get()), kNoError);
        EXPECT_EQ(ANeuralNetworksExecution_burstCompute(second.get(), burst.get()), kNoError);
        EXPECT_EQ(sum, kSum);
        EXPECT_EQ(otherSum, (TwoFloats{110, 220}));
    }
}

TEST_F(NnapiBurst, leavesAReusableExecutionThatOutlivesIt) {
    const Execution execution = newReadyExecution();
    ASSERT_EQ(ANeuralNetworksExecution_setReusable(execution.get(), true), kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_burstCompute(execution.get(), burst.get()), kNoError);
    burst.reset();
    sum = {};
    const Burst next = newBurst(compilation.get());
    EXPECT_EQ(ANeuralNetworksExecution_burstCompute(execution.get(), next.get()), kNoError);
    EXPECT_EQ(sum, kSum);
}

/// Each of two threads gets its result or BAD_STATE, as the other is using the burst.
TEST_F(NnapiBurst, computesOneExecutionAtATime) {
    const Burst used = newBurst(compilation.get());
    std::array<int, 2> failures{};
    std::array<int, 2> successes{};
    const auto computeMany = [&](std::size_t thread) {
        for (int i = 0; i < 200; ++i) {
            TwoFloats mine{};
            const Execution execution = newExecution(compilation.get());
            setArguments(execution.get(), a, b, mine);
            const int result = ANeuralNetworksExecution_burstCompute(execution.get(), used.get());
            if (result == kNoError) {
                ++successes[thread];
                EXPECT_EQ(mine, kSum);
            } else {
                EXPECT_EQ(result, kBadState);
                ++failures[thread];
            }
        }
    };
    std::thread other([&] { computeMany(1); });
    computeMany(0);
    other.join();
    EXPECT_GT(successes[0] + successes[1], 0);
    EXPECT_EQ(successes[0] + failures[0], 200);
    EXPECT_EQ(successes[1] + failures[1], 200);
}

TEST_F(NnapiBurst, computesWhileAnotherThreadFreesReusableExecutions) {
    constexpr int kExecutions = 300;
    const auto newReusable = [this] {
        Execution execution = newReadyExecution();
        EXPECT_EQ(ANeuralNetworksExecution_setReusable(execution.get(), true), kNoError);
        EXPECT_EQ(ANeuralNetworksExecution_burstCompute(execution.get(), burst.get()), kNoError);
        return execution;
    };
    const Execution used = newReusable();
    std::vector<Execution> unused;
    for (int i = 0; i < kExecutions; ++i) {
        unused.push_back(newReusable());
    }
    std::atomic<bool> isDone{false};
    std::thread other([&] {
        unused.clear();
        isDone = true;
    });
    do {
        EXPECT_EQ(ANeuralNetworksExecution_burstCompute(used.get(), burst.get()), kNoError);
    } while (!isDone);
    other.join();
    EXPECT_EQ(sum, kSum);
}

TEST_F(NnapiBurst, leavesAnExecutionThatItRefusesInPreparation) {
    const Compilation other = newCompilation(model.get());
    ASSERT_EQ(ANeuralNetworksCompilation_finish(other.get()), kNoError);
    const Burst foreign = newBurst(other.get());
    const Execution execution = newReadyExecution();
    ASSERT_EQ(ANeuralNetworksExecution_burstCompute(execution.get(), foreign.get()), kBadData);
    EXPECT_EQ(ANeuralNetworksExecution_burstCompute(execution.get(), burst.get()), kNoError);
    EXPECT_EQ(sum, kSum);
}

/// Memory and burst may be freed in either order after an execution.
TEST_F(NnapiBurst, outlivesMemoryAndMemoryOutlivesIt) {
    for (const bool isMemoryFirst : {true, false}) {
        std::optional<MappedMemory> memory(std::in_place, 8);
        Burst used = newBurst(compilation.get());
        {
            const Execution execution = newExecution(compilation.get());
            ASSERT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, a.data(), 8),
                      kNoError);
            ASSERT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, b.data(), 8),
                      kNoError);
            ASSERT_EQ(ANeuralNetworksExecution_setOutputFromMemory(execution.get(), 0, nullptr,
                                                                   memory->get(), 0, 8),
                      kNoError);
            ASSERT_EQ(ANeuralNetworksExecution_burstCompute(execution.get(), used.get()), kNoError);
            EXPECT_EQ(memory->floats()[1], 22);
        }
        if (isMemoryFirst) {
            memory.reset();
            const Execution execution = newReadyExecution();
            EXPECT_EQ(ANeuralNetworksExecution_burstCompute(execution.get(), used.get()), kNoError);
        }
        used.reset();
    }
}

TEST_F(NnapiBurst, computesWithNewMemoryEachTime) {
    for (int i = 0; i < 50; ++i) {
        const MappedMemory memory(8);
        memory.floats()[0] = static_cast<float>(i);
        const Execution execution = newExecution(compilation.get());
        ASSERT_EQ(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, nullptr,
                                                              memory.get(), 0, 8),
                  kNoError);
        ASSERT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, b.data(), 8),
                  kNoError);
        ASSERT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, sum.data(), 8),
                  kNoError);
        ASSERT_EQ(ANeuralNetworksExecution_burstCompute(execution.get(), burst.get()), kNoError);
        EXPECT_EQ(sum[0], static_cast<float>(10 + i));
    }
}

}  // namespace
}  // namespace nnburst::nnapi
