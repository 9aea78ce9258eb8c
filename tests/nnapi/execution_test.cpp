// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Executions: arguments, options, states, each way to compute, shapes and durations.

#include <limits>
#include <thread>
#include <vector>

#include "api.h"
#include "nnburst/fence.h"

namespace nnburst::nnapi {
namespace {

class NnapiExecution : public CompiledAddition {
  protected:
    Execution execution = newExecution(compilation.get());
    float values[5] = {};
};

TEST_F(NnapiExecution, refusesNullWhenItIsCreated) {
    ANeuralNetworksExecution* created = nullptr;
    EXPECT_EQ(ANeuralNetworksExecution_create(nullptr, &created), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksExecution_create(compilation.get(), nullptr), kUnexpectedNull);
    EXPECT_EQ(created, nullptr);
}

TEST_F(NnapiExecution, thatIsNullIsFreedWithoutEffect) {
    ANeuralNetworksExecution_free(nullptr);
}

TEST_F(NnapiExecution, thatIsNullIsRefusedByEachFunction) {
    const MappedMemory memory(8);
    const Burst burst = newBurst(compilation.get());
    ANeuralNetworksEvent* event = nullptr;
    std::uint32_t number = 0;
    std::uint64_t duration = 0;
    EXPECT_EQ(ANeuralNetworksExecution_setInput(nullptr, 0, nullptr, values, 8), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksExecution_setOutput(nullptr, 0, nullptr, values, 8), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(nullptr, 0, nullptr, memory.get(), 0, 8),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksExecution_setOutputFromMemory(nullptr, 0, nullptr, memory.get(), 0, 8),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(nullptr, true), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksExecution_setTimeout(nullptr, 1000), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksExecution_setLoopTimeout(nullptr, 1000), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(nullptr, true), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksExecution_setReusable(nullptr, true), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksExecution_compute(nullptr), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksExecution_startCompute(nullptr, &event), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksExecution_burstCompute(nullptr, burst.get()), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(nullptr, nullptr, 0, 0, &event),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(nullptr, 0, &number), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandDimensions(nullptr, 0, &number),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksExecution_getDuration(nullptr, ANEURALNETWORKS_DURATION_ON_HARDWARE,
                                                   &duration),
              kUnexpectedNull);
}

TEST_F(NnapiExecution, thatIsNotComputedIsFreed) {
    setArguments(execution.get(), a, b, sum);
    execution.reset();
    EXPECT_EQ(sum, TwoFloats{});
}

// ---- Arguments

/// setInput and setOutput have the same rules.
using SetArgument = int (*)(ANeuralNetworksExecution* execution, std::int32_t index,
                            const ANeuralNetworksOperandType* type, void* buffer,
                            std::size_t length);
using SetFromMemory = int (*)(ANeuralNetworksExecution* execution, std::int32_t index,
                              const ANeuralNetworksOperandType* type,
                              const ANeuralNetworksMemory* memory, std::size_t offset,
                              std::size_t length);

struct ArgumentKind {
    const char* name;
    SetArgument set;
    SetFromMemory setFromMemory;
    std::int32_t count;  ///< of an addition
};

class NnapiArgument : public CompiledAddition, public testing::WithParamInterface<ArgumentKind> {
  protected:
    int set(std::int32_t index, const ANeuralNetworksOperandType* type, void* buffer,
            std::size_t length) {
        return GetParam().set(execution.get(), index, type, buffer, length);
    }
    int setFromMemory(std::int32_t index, const ANeuralNetworksOperandType* type,
                      std::size_t offset, std::size_t length) {
        return GetParam().setFromMemory(execution.get(), index, type, memory.get(), offset, length);
    }

    static constexpr std::size_t kMemoryBytes = 20;
    Execution execution = newExecution(compilation.get());
    float values[5] = {};
    MappedMemory memory{kMemoryBytes};
    const Type same{ANEURALNETWORKS_TENSOR_FLOAT32, {2}};
    const Type larger{ANEURALNETWORKS_TENSOR_FLOAT32, {3}};
    const Type higher{ANEURALNETWORKS_TENSOR_FLOAT32, {1, 2}};
    const Type scaled{ANEURALNETWORKS_TENSOR_FLOAT32, {2}, 1};
    const Type huge{ANEURALNETWORKS_TENSOR_FLOAT32, {1U << 31, 2}};
};

TEST_P(NnapiArgument, isSetOnce) {
    EXPECT_EQ(set(0, nullptr, values, 8), kNoError);
    EXPECT_EQ(set(0, nullptr, values, 8), kBadState);
    EXPECT_EQ(setFromMemory(0, nullptr, 0, 8), kBadState);
}

TEST_P(NnapiArgument, inMemoryIsSetOnce) {
    EXPECT_EQ(setFromMemory(0, nullptr, 0, 8), kNoError);
    EXPECT_EQ(setFromMemory(0, nullptr, 0, 8), kBadState);
    EXPECT_EQ(set(0, nullptr, values, 8), kBadState);
}

TEST_P(NnapiArgument, thatDoesNotExistIsRefused) {
    for (const std::int32_t index : {-1, GetParam().count, 999}) {
        EXPECT_EQ(set(index, nullptr, values, 8), kBadData) << index;
        EXPECT_EQ(setFromMemory(index, nullptr, 0, 8), kBadData) << index;
    }
}

TEST_P(NnapiArgument, hasTheLengthOfItsOperand) {
    for (const std::size_t length : {std::size_t{4}, std::size_t{12}, std::size_t{20}}) {
        EXPECT_EQ(set(0, nullptr, values, length), kBadData) << length;
        EXPECT_EQ(setFromMemory(0, nullptr, 0, length), kBadData) << length;
    }
}

TEST_P(NnapiArgument, refusesNullWithALength) {
    EXPECT_EQ(set(0, nullptr, nullptr, 8), kUnexpectedNull);
    EXPECT_EQ(GetParam().setFromMemory(execution.get(), 0, nullptr, nullptr, 0, 8),
              kUnexpectedNull);
}

TEST_P(NnapiArgument, liesWithinItsMemory) {
    EXPECT_EQ(setFromMemory(0, nullptr, kMemoryBytes - 7, 8), kBadData);
    EXPECT_EQ(setFromMemory(0, nullptr, kMemoryBytes + 1, 8), kBadData);
    EXPECT_EQ(setFromMemory(0, nullptr, SIZE_MAX - 3, 8), kBadData);
    EXPECT_EQ(setFromMemory(0, nullptr, kMemoryBytes - 8, 8), kNoError);
}

TEST_P(NnapiArgument, hasTheDimensionsOfItsOperand) {
    for (const Type* type : {&larger, &higher, &scaled, &huge}) {
        EXPECT_EQ(set(0, type->get(), values, 8), kBadData);
        EXPECT_EQ(setFromMemory(0, type->get(), 0, 8), kBadData);
    }
    EXPECT_EQ(set(0, same.get(), values, 8), kNoError);
}

TEST_P(NnapiArgument, hasATypeWithAsManyDimensionsAsItSays) {
    const std::uint32_t size = 2;
    ANeuralNetworksOperandType type{.type = ANEURALNETWORKS_TENSOR_FLOAT32,
                                    .dimensionCount = 1,
                                    .dimensions = nullptr,
                                    .scale = 0,
                                    .zeroPoint = 0};
    EXPECT_EQ(set(0, &type, values, 8), kBadData);
    EXPECT_EQ(setFromMemory(0, &type, 0, 8), kBadData);
    type.dimensionCount = 0;
    type.dimensions = &size;
    EXPECT_EQ(set(0, &type, values, 8), kBadData);
    EXPECT_EQ(setFromMemory(0, &type, 0, 8), kBadData);
}

TEST_P(NnapiArgument, mayBePaddedIfTheExecutionAllowsIt) {
    ASSERT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(execution.get(), true),
              kNoError);
    EXPECT_EQ(set(0, nullptr, values, 4), kBadData);
    EXPECT_EQ(setFromMemory(0, nullptr, 0, 4), kBadData);
    EXPECT_EQ(set(0, nullptr, values, 20), kNoError);
}

TEST_P(NnapiArgument, inMemoryMayBePaddedIfTheExecutionAllowsIt) {
    ASSERT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(execution.get(), true),
              kNoError);
    EXPECT_EQ(setFromMemory(0, nullptr, 4, 20), kBadData);
    EXPECT_EQ(setFromMemory(0, nullptr, 4, 16), kNoError);
}

TEST_P(NnapiArgument, thatIsSetFixesThePadding) {
    ASSERT_EQ(set(0, nullptr, values, 8), kNoError);
    EXPECT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(execution.get(), true),
              kBadState);
    EXPECT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(execution.get(), false),
              kBadState);
}

TEST_P(NnapiArgument, thatIsMissingMakesTheExecutionFail) {
    // All but the first of this kind.
    for (const std::int32_t input : {0, 1}) {
        if (input != 0 || GetParam().count == 1) {
            ASSERT_EQ(ANeuralNetworksExecution_setInput(execution.get(), input, nullptr, values, 8),
                      kNoError);
        }
    }
    if (GetParam().count != 1) {
        ASSERT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, values, 8),
                  kNoError);
    }
    EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kBadData);
}

int setInput(ANeuralNetworksExecution* execution, std::int32_t index,
             const ANeuralNetworksOperandType* type, void* buffer, std::size_t length) {
    return ANeuralNetworksExecution_setInput(execution, index, type, buffer, length);
}

INSTANTIATE_TEST_SUITE_P(
    Nnapi, NnapiArgument,
    testing::Values(ArgumentKind{"input", setInput, ANeuralNetworksExecution_setInputFromMemory, 2},
                    ArgumentKind{"output", ANeuralNetworksExecution_setOutput,
                                 ANeuralNetworksExecution_setOutputFromMemory, 1}),
    [](const auto& instance) { return instance.param.name; });

// ---- Each way to compute

class NnapiWay : public CompiledAddition, public testing::WithParamInterface<Way> {
  protected:
    [[nodiscard]] int compute(ANeuralNetworksExecution* execution) {
        return computeBy(GetParam(), execution, compilation.get());
    }
};

TEST_P(NnapiWay, computesFromBuffers) {
    const Execution execution = newReadyExecution();
    EXPECT_EQ(compute(execution.get()), kNoError);
    EXPECT_EQ(sum, kSum);
}

TEST_P(NnapiWay, computesInMemory) {
    for (const bool isSealed : {true, false}) {
        const MappedMemory memory(64, isSealed);
        const Execution execution = newExecution(compilation.get());
        memory.floats()[0] = 1;
        memory.floats()[1] = 2;
        memory.floats()[4] = 10;
        memory.floats()[5] = 20;
        for (const std::int32_t input : {0, 1}) {
            ASSERT_EQ(ANeuralNetworksExecution_setInputFromMemory(
                          execution.get(), input, nullptr, memory.get(),
                          static_cast<std::size_t>(input) * 16, 8),
                      kNoError);
        }
        ASSERT_EQ(ANeuralNetworksExecution_setOutputFromMemory(execution.get(), 0, nullptr,
                                                               memory.get(), 32, 8),
                  kNoError);
        EXPECT_EQ(compute(execution.get()), kNoError);
        EXPECT_EQ(memory.floats()[8], 11);
        EXPECT_EQ(memory.floats()[9], 22);
    }
}

TEST_P(NnapiWay, computesPaddedArguments) {
    const float paddedA[] = {1, 2, 99, 99};
    const float paddedB[] = {10, 20, 99};
    float paddedSum[] = {0, 0, 7, 7};
    const Execution execution = newExecution(compilation.get());
    ASSERT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(execution.get(), true),
              kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, paddedA, 16),
              kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, paddedB, 12),
              kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, paddedSum, 16),
              kNoError);
    EXPECT_EQ(compute(execution.get()), kNoError);
    EXPECT_EQ(paddedSum[0], 11);
    EXPECT_EQ(paddedSum[1], 22);
}

TEST_P(NnapiWay, readsBuffersWhenItComputes) {
    const Execution execution = newReadyExecution();
    a = {100, 200};
    EXPECT_EQ(compute(execution.get()), kNoError);
    EXPECT_EQ(sum, (TwoFloats{110, 220}));
}

/// Every function that changes or computes an execution, after it was computed.
TEST_P(NnapiWay, leavesAnExecutionThatCannotBeChangedOrComputed) {
    const MappedMemory memory(8);
    const Execution execution = newReadyExecution();
    ASSERT_EQ(compute(execution.get()), kNoError);
    ANeuralNetworksExecution* const done = execution.get();
    EXPECT_EQ(ANeuralNetworksExecution_setInput(done, 0, nullptr, a.data(), 8), kBadState);
    EXPECT_EQ(ANeuralNetworksExecution_setOutput(done, 0, nullptr, sum.data(), 8), kBadState);
    EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(done, 0, nullptr, memory.get(), 0, 8),
              kBadState);
    EXPECT_EQ(ANeuralNetworksExecution_setOutputFromMemory(done, 0, nullptr, memory.get(), 0, 8),
              kBadState);
    EXPECT_EQ(ANeuralNetworksExecution_setLoopTimeout(done, 1000), kBadState);
    EXPECT_EQ(ANeuralNetworksExecution_setReusable(done, true), kBadState);
    EXPECT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(done, true), kBadState);
    for (const Way way : kWays) {
        EXPECT_EQ(computeBy(way, done, compilation.get()), kBadState) << toString(way);
    }
}

TEST_P(NnapiWay, computesAReusableExecutionAgain) {
    const Execution execution = newReadyExecution();
    ASSERT_EQ(ANeuralNetworksExecution_setReusable(execution.get(), true), kNoError);
    for (int i = 0; i < 5; ++i) {
        a = {static_cast<float>(i), 2};
        EXPECT_EQ(compute(execution.get()), kNoError);
        EXPECT_EQ(sum, (TwoFloats{static_cast<float>(10 + i), 22}));
    }
}

TEST_P(NnapiWay, computesAReusableExecutionAfterEachOtherWay) {
    const Execution execution = newReadyExecution();
    ASSERT_EQ(ANeuralNetworksExecution_setReusable(execution.get(), true), kNoError);
    for (const Way other : kWays) {
        EXPECT_EQ(computeBy(other, execution.get(), compilation.get()), kNoError)
            << toString(other);
        sum = {};
        EXPECT_EQ(compute(execution.get()), kNoError) << "after " << toString(other);
        EXPECT_EQ(sum, kSum);
    }
}

TEST_P(NnapiWay, doesNotAllowOtherArgumentsOfAReusableExecution) {
    const Execution execution = newReadyExecution();
    ASSERT_EQ(ANeuralNetworksExecution_setReusable(execution.get(), true), kNoError);
    ASSERT_EQ(compute(execution.get()), kNoError);
    EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, a.data(), 8),
              kBadState);
    EXPECT_EQ(ANeuralNetworksExecution_setReusable(execution.get(), false), kBadState);
    EXPECT_EQ(compute(execution.get()), kNoError);
}

TEST_P(NnapiWay, tellsTheShapeOfTheOutput) {
    const Execution execution = newReadyExecution();
    ASSERT_EQ(compute(execution.get()), kNoError);
    std::uint32_t rank = 0;
    std::uint32_t size = 0;
    EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(execution.get(), 0, &rank), kNoError);
    EXPECT_EQ(rank, 1U);
    EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandDimensions(execution.get(), 0, &size),
              kNoError);
    EXPECT_EQ(size, 2U);
}

INSTANTIATE_TEST_SUITE_P(Nnapi, NnapiWay, testing::ValuesIn(kWays),
                         [](const auto& instance) { return toString(instance.param); });

// ---- While it is computed

TEST_F(NnapiExecution, inComputationCannotBeChangedOrComputed) {
    const UniqueFd fence = newFence();
    const Event pending = newEvent(fence.get());
    const Execution waiting = newReadyExecution();
    const Event done = startWith(waiting.get(), {pending.get()});
    EXPECT_EQ(ANeuralNetworksExecution_setInput(waiting.get(), 0, nullptr, a.data(), 8), kBadState);
    EXPECT_EQ(ANeuralNetworksExecution_setLoopTimeout(waiting.get(), 1000), kBadState);
    EXPECT_EQ(ANeuralNetworksExecution_compute(waiting.get()), kBadState);
    signalFence(fence.get());
    EXPECT_EQ(ANeuralNetworksEvent_wait(done.get()), kNoError);
    EXPECT_EQ(sum, kSum);
}

TEST_F(NnapiExecution, thatIsReusableIsNotComputedTwiceAtATime) {
    const UniqueFd fence = newFence();
    const Event pending = newEvent(fence.get());
    const Execution waiting = newReadyExecution();
    ASSERT_EQ(ANeuralNetworksExecution_setReusable(waiting.get(), true), kNoError);
    const Event done = startWith(waiting.get(), {pending.get()});
    for (const Way way : kWays) {
        EXPECT_EQ(computeBy(way, waiting.get(), compilation.get()), kBadState) << toString(way);
    }
    signalFence(fence.get());
    EXPECT_EQ(ANeuralNetworksEvent_wait(done.get()), kNoError);
    EXPECT_EQ(ANeuralNetworksExecution_compute(waiting.get()), kNoError);
}

TEST_F(NnapiExecution, runsBesideOthersOfItsCompilation) {
    constexpr int kThreads = 4;
    std::vector<std::thread> threads;
    std::vector<int> results(kThreads, -1);
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&, i] {
            for (int n = 0; n < 25; ++n) {
                TwoFloats mine{};
                const Execution own = newExecution(compilation.get());
                setArguments(own.get(), a, b, mine);
                results[static_cast<std::size_t>(i)] = ANeuralNetworksExecution_compute(own.get());
                EXPECT_EQ(mine, kSum);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(results, std::vector<int>(kThreads, kNoError));
}

/// Executions that take 1 ms each and end at their loop timeout. Most of them wait for a thread.
class NnapiManyExecutions : public testing::Test {
  protected:
    NnapiManyExecutions() {
        EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError);
        for (int i = 0; i < kCount; ++i) {
            executions.push_back(newExecution(compilation.get()));
            ANeuralNetworksExecution* const execution = executions.back().get();
            EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(execution, 0, nullptr,
                                                                  memory.get(), 0, sizeof(float)),
                      kNoError);
            EXPECT_EQ(ANeuralNetworksExecution_setOutputFromMemory(
                          execution, 0, nullptr, memory.get(),
                          static_cast<std::size_t>(1 + i) * sizeof(float), sizeof(float)),
                      kNoError);
            EXPECT_EQ(ANeuralNetworksExecution_setLoopTimeout(execution, 1'000'000), kNoError);
        }
    }
    /// None of `events` is that of an execution that the device did not begin.
    static void expectAllHaveRun(const std::vector<Event>& events) {
        for (const Event& event : events) {
            const int result = ANeuralNetworksEvent_wait(event.get());
            ASSERT_TRUE(isMissedDeadline(result)) << result;
        }
    }

    static constexpr int kCount = 400;
    const EndlessLoop loop;
    const Compilation compilation = newCompilation(loop.get(), {referenceDevice()});
    const MappedMemory memory{(1 + kCount) * sizeof(float)};
    std::vector<Execution> executions;
    std::vector<Event> events;
};

TEST_F(NnapiManyExecutions, areAllComputedIfStartedTogether) {
    for (const Execution& execution : executions) {
        events.push_back(start(execution.get()));
    }
    expectAllHaveRun(events);
}

TEST_F(NnapiManyExecutions, areAllComputedIfOneFenceReleasesThem) {
    const UniqueFd fence = newFence();
    const Event pending = newEvent(fence.get());
    for (const Execution& execution : executions) {
        events.push_back(startWith(execution.get(), {pending.get()}));
    }
    signalFence(fence.get());
    expectAllHaveRun(events);
}

// ---- Shapes

TEST_F(NnapiExecution, hasNoShapesBeforeItIsComputed) {
    std::uint32_t number = 0;
    EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(execution.get(), 0, &number),
              kBadState);
    EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandDimensions(execution.get(), 0, &number),
              kBadState);
}

TEST_F(NnapiExecution, hasShapesOfItsOutputsAlone) {
    const Execution done = newReadyExecution();
    ASSERT_EQ(ANeuralNetworksExecution_compute(done.get()), kNoError);
    std::uint32_t number = 0;
    for (const std::int32_t index : {-1, 1, 999}) {
        EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(done.get(), index, &number),
                  kBadData);
        EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandDimensions(done.get(), index, &number),
                  kBadData);
    }
    EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(done.get(), 0, nullptr),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandDimensions(done.get(), 0, nullptr),
              kUnexpectedNull);
}

/// An addition whose dimensions the model leaves open.
class NnapiOpenShapes : public testing::Test {
  protected:
    NnapiOpenShapes() { EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError); }

    int setInputs(ANeuralNetworksExecution* execution, const Type& type) {
        const std::size_t bytes = std::size_t{4} * type.get()->dimensions[0];
        const int result =
            ANeuralNetworksExecution_setInput(execution, 0, type.get(), values, bytes);
        return result != kNoError
                   ? result
                   : ANeuralNetworksExecution_setInput(execution, 1, type.get(), values, bytes);
    }

    Model model = newAddition(Type(ANEURALNETWORKS_TENSOR_FLOAT32, {0}));
    Compilation compilation = newCompilation(model.get());
    const Type three{ANEURALNETWORKS_TENSOR_FLOAT32, {3}};
    float values[4] = {1, 2, 3, 4};
    float sums[4] = {};
};

TEST_F(NnapiOpenShapes, areGivenWithTheInputs) {
    const Execution execution = newExecution(compilation.get());
    ASSERT_EQ(setInputs(execution.get(), three), kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, sums, 16), kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_compute(execution.get()), kNoError);
    std::uint32_t rank = 0;
    std::uint32_t size = 0;
    EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(execution.get(), 0, &rank), kNoError);
    EXPECT_EQ(rank, 1U);
    EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandDimensions(execution.get(), 0, &size),
              kNoError);
    EXPECT_EQ(size, 3U);
    EXPECT_EQ(sums[2], 6);
}

TEST_F(NnapiOpenShapes, mustBeKnownOfInputs) {
    const Execution execution = newExecution(compilation.get());
    EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, values, 12), kBadData);
}

/// Dimensions in the model, dimensions given with an argument (null: no type), and the results of
/// setInput and setOutput for two floats.
struct GivenShape {
    std::vector<std::uint32_t> inModel;
    const Type* given;
    int asInput;
    int asOutput;
};

const Type kTwo(ANEURALNETWORKS_TENSOR_FLOAT32, {2});
const Type kThree(ANEURALNETWORKS_TENSOR_FLOAT32, {3});
const Type kOneByTwo(ANEURALNETWORKS_TENSOR_FLOAT32, {1, 2});
const Type kUnknownSize(ANEURALNETWORKS_TENSOR_FLOAT32, {0});

TEST(NnapiGivenShapes, fitThoseOfTheModel) {
    const GivenShape shapes[] = {
        {{2}, nullptr, kNoError, kNoError},       {{2}, &kTwo, kNoError, kNoError},
        {{2}, &kThree, kBadData, kBadData},       {{2}, &kOneByTwo, kBadData, kBadData},
        {{2}, &kUnknownSize, kBadData, kBadData}, {{0}, nullptr, kBadData, kNoError},
        {{0}, &kTwo, kNoError, kNoError},         {{0}, &kOneByTwo, kBadData, kBadData},
        {{0}, &kUnknownSize, kBadData, kNoError}, {{}, nullptr, kBadData, kNoError},
        {{}, &kTwo, kNoError, kNoError},          {{}, &kOneByTwo, kNoError, kNoError},
        {{}, &kUnknownSize, kBadData, kNoError},
    };
    for (const GivenShape& shape : shapes) {
        SCOPED_TRACE(testing::PrintToString(shape.inModel) + " and " +
                     (shape.given == nullptr ? "no type"
                                             : testing::PrintToString(std::vector<std::uint32_t>(
                                                   shape.given->get()->dimensions,
                                                   shape.given->get()->dimensions +
                                                       shape.given->get()->dimensionCount))));
        const Model model = newAddition(Type(ANEURALNETWORKS_TENSOR_FLOAT32, shape.inModel));
        const Compilation compilation = newCompilation(model.get());
        ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError);
        const Execution execution = newExecution(compilation.get());
        const ANeuralNetworksOperandType* const type =
            shape.given == nullptr ? nullptr : shape.given->get();
        float values[2] = {};
        EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, type, values, 8),
                  shape.asInput);
        EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, type, values, 8),
                  shape.asOutput);
    }
}

TEST(NnapiGivenShapes, giveARankThatTheModelLeavesOpen) {
    const Model model = newAddition(Type(ANEURALNETWORKS_TENSOR_FLOAT32));
    const Compilation compilation = newCompilation(model.get());
    ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kNoError);
    for (const Way way : {Way::COMPUTE, Way::START, Way::BURST}) {
        const Execution execution = newExecution(compilation.get());
        const float input[2] = {1, 2};
        float output[2] = {};
        for (const std::int32_t index : {0, 1}) {
            ASSERT_EQ(ANeuralNetworksExecution_setInput(execution.get(), index, kOneByTwo.get(),
                                                        input, 8),
                      kNoError);
        }
        ASSERT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, output, 8),
                  kNoError);
        ASSERT_EQ(computeBy(way, execution.get(), compilation.get()), kNoError) << toString(way);
        EXPECT_EQ(output[1], 4);
        std::uint32_t rank = 0;
        EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(execution.get(), 0, &rank),
                  kNoError);
        EXPECT_EQ(rank, 2U);
    }
}

TEST_F(NnapiOpenShapes, ofAnOutputThatIsTooSmallAreTold) {
    for (const Way way : {Way::COMPUTE, Way::START, Way::BURST}) {
        const Execution execution = newExecution(compilation.get());
        ASSERT_EQ(setInputs(execution.get(), three), kNoError);
        ASSERT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, sums, 8),
                  kNoError);
        EXPECT_EQ(computeBy(way, execution.get(), compilation.get()), kInsufficientSize)
            << toString(way);
        std::uint32_t rank = 0;
        std::uint32_t size = 0;
        EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(execution.get(), 0, &rank),
                  kInsufficientSize);
        EXPECT_EQ(rank, 1U);
        EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandDimensions(execution.get(), 0, &size),
                  kInsufficientSize);
        EXPECT_EQ(size, 3U);
    }
}

TEST_F(NnapiOpenShapes, ofOutputsAreRefusedWithDependencies) {
    const Execution execution = newExecution(compilation.get());
    ASSERT_EQ(setInputs(execution.get(), three), kNoError);
    ASSERT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, sums, 16), kNoError);
    ANeuralNetworksEvent* event = nullptr;
    EXPECT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(execution.get(), nullptr, 0, 0,
                                                                    &event),
              kBadData);
    EXPECT_EQ(event, nullptr);
}

TEST_F(NnapiOpenShapes, ofOutputsMustBeGivenForDependencies) {
    for (const bool areGiven : {false, true}) {
        const Execution execution = newExecution(compilation.get());
        ASSERT_EQ(setInputs(execution.get(), three), kNoError);
        ASSERT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0,
                                                     areGiven ? three.get() : nullptr, sums, 12),
                  kNoError);
        ANeuralNetworksEvent* event = nullptr;
        EXPECT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(execution.get(), nullptr, 0,
                                                                        0, &event),
                  areGiven ? kNoError : kBadData);
        EXPECT_EQ(event != nullptr, areGiven);
        if (areGiven) {
            EXPECT_EQ(ANeuralNetworksEvent_wait(event), kNoError);
        }
        ANeuralNetworksEvent_free(event);
    }
}

// ---- Options

TEST_F(NnapiExecution, hasATimeoutAndDurationsForOneChosenDeviceAlone) {
    EXPECT_EQ(ANeuralNetworksExecution_setTimeout(execution.get(), 1000), kBadData);
    EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution.get(), true), kBadData);
    EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution.get(), false), kBadData);
    setArguments(execution.get(), a, b, sum);
    ANeuralNetworksEvent* event = nullptr;
    EXPECT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(execution.get(), nullptr, 0,
                                                                    1000, &event),
              kBadData);
}

TEST_F(NnapiExecution, takesALoopTimeoutBeyondTheLimit) {
    EXPECT_EQ(ANeuralNetworksExecution_setLoopTimeout(execution.get(),
                                                      std::numeric_limits<std::uint64_t>::max()),
              kNoError);
    setArguments(execution.get(), a, b, sum);
    EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kNoError);
}

class NnapiOneDevice : public CompiledAddition, public testing::WithParamInterface<Way> {
  protected:
    NnapiOneDevice() : CompiledAddition({referenceDevice()}) {}

    [[nodiscard]] int compute(ANeuralNetworksExecution* execution) {
        return computeBy(GetParam(), execution, compilation.get());
    }

    static constexpr std::int32_t kDurations[] = {
        ANEURALNETWORKS_DURATION_ON_HARDWARE, ANEURALNETWORKS_DURATION_IN_DRIVER,
        ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE, ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER};
};

TEST_P(NnapiOneDevice, measuresDurations) {
    const Execution execution = newReadyExecution();
    ASSERT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution.get(), true), kNoError);
    ASSERT_EQ(compute(execution.get()), kNoError);
    std::uint64_t onHardware = 0;
    std::uint64_t inDriver = 0;
    EXPECT_EQ(ANeuralNetworksExecution_getDuration(
                  execution.get(), ANEURALNETWORKS_DURATION_ON_HARDWARE, &onHardware),
              kNoError);
    EXPECT_EQ(ANeuralNetworksExecution_getDuration(execution.get(),
                                                   ANEURALNETWORKS_DURATION_IN_DRIVER, &inDriver),
              kNoError);
    EXPECT_NE(onHardware, UINT64_MAX);
    EXPECT_NE(inDriver, UINT64_MAX);
    EXPECT_LE(onHardware, inDriver);
}

TEST_P(NnapiOneDevice, hasNoDurationsThatWereNotAskedFor) {
    const Execution execution = newReadyExecution();
    ASSERT_EQ(compute(execution.get()), kNoError);
    for (const std::int32_t code : kDurations) {
        std::uint64_t duration = 0;
        EXPECT_EQ(ANeuralNetworksExecution_getDuration(execution.get(), code, &duration),
                  kBadState);
        EXPECT_EQ(duration, UINT64_MAX);
    }
}

TEST_P(NnapiOneDevice, refusesOtherDurations) {
    const Execution execution = newReadyExecution();
    ASSERT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution.get(), true), kNoError);
    ASSERT_EQ(compute(execution.get()), kNoError);
    std::uint64_t duration = 0;
    EXPECT_EQ(ANeuralNetworksExecution_getDuration(execution.get(), -1, &duration), kBadData);
    EXPECT_EQ(ANeuralNetworksExecution_getDuration(execution.get(), 4, &duration), kBadData);
    EXPECT_EQ(ANeuralNetworksExecution_getDuration(execution.get(),
                                                   ANEURALNETWORKS_DURATION_IN_DRIVER, nullptr),
              kUnexpectedNull);
}

TEST_P(NnapiOneDevice, hasNoDurationsBeforeItIsComputed) {
    const Execution execution = newReadyExecution();
    ASSERT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution.get(), true), kNoError);
    for (const std::int32_t code : kDurations) {
        std::uint64_t duration = 0;
        EXPECT_EQ(ANeuralNetworksExecution_getDuration(execution.get(), code, &duration),
                  kBadState);
    }
}

TEST_P(NnapiOneDevice, takesOptionsBeforeItIsComputedAlone) {
    const Execution execution = newReadyExecution();
    ASSERT_EQ(compute(execution.get()), kNoError);
    EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution.get(), true), kBadState);
    EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution.get(), false), kBadState);
    EXPECT_EQ(ANeuralNetworksExecution_setTimeout(execution.get(), 1000), kBadState);
}

TEST_P(NnapiOneDevice, missesATimeoutOfANanosecond) {
    const Execution execution = newReadyExecution();
    ASSERT_EQ(ANeuralNetworksExecution_setTimeout(execution.get(), 1), kNoError);
    const int result = compute(execution.get());
    EXPECT_TRUE(isMissedDeadline(result)) << result;
    EXPECT_EQ(sum, TwoFloats{});
}

TEST_P(NnapiOneDevice, takesATimeoutThatNeverComes) {
    for (const std::uint64_t timeout : {std::uint64_t{0}, UINT64_MAX}) {
        const Execution execution = newReadyExecution();
        ASSERT_EQ(ANeuralNetworksExecution_setTimeout(execution.get(), timeout), kNoError);
        EXPECT_EQ(compute(execution.get()), kNoError);
    }
}

INSTANTIATE_TEST_SUITE_P(Nnapi, NnapiOneDevice, testing::ValuesIn(kWays),
                         [](const auto& instance) { return toString(instance.param); });

}  // namespace
}  // namespace nnburst::nnapi
