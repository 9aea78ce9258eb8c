// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Events: waiting, descriptors, dependencies.

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "api.h"
#include "nnburst/fence.h"
#include "support/signal_threads.h"

namespace nnburst::nnapi {
namespace {

class NnapiEvent : public CompiledAddition {};

TEST_F(NnapiEvent, refusesNull) {
    const UniqueFd fence = newFence();
    ANeuralNetworksEvent* created = nullptr;
    int fd = 0;
    EXPECT_EQ(ANeuralNetworksEvent_wait(nullptr), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(fence.get(), nullptr), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksEvent_getSyncFenceFd(nullptr, &fd), kUnexpectedNull);
    const Event event = newEvent(fence.get());
    EXPECT_EQ(ANeuralNetworksEvent_getSyncFenceFd(event.get(), nullptr), kUnexpectedNull);
    const Execution execution = newReadyExecution();
    EXPECT_EQ(ANeuralNetworksExecution_startCompute(execution.get(), nullptr), kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(execution.get(), nullptr, 0, 0,
                                                                    nullptr),
              kUnexpectedNull);
    EXPECT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(execution.get(), nullptr, 1, 0,
                                                                    &created),
              kUnexpectedNull);
    const ANeuralNetworksEvent* const withNull[] = {event.get(), nullptr};
    EXPECT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(execution.get(), withNull, 2, 0,
                                                                    &created),
              kUnexpectedNull);
    EXPECT_EQ(created, nullptr);
}

TEST_F(NnapiEvent, thatIsNullIsFreedWithoutEffect) {
    ANeuralNetworksEvent_free(nullptr);
}

TEST_F(NnapiEvent, ofAnExecutionIsWaitedForByManyThreads) {
    const UniqueFd fence = newFence();
    const Event pending = newEvent(fence.get());
    const Execution execution = newReadyExecution();
    const Event done = startWith(execution.get(), {pending.get()});
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] { EXPECT_EQ(ANeuralNetworksEvent_wait(done.get()), kNoError); });
    }
    signalFence(fence.get());
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(ANeuralNetworksEvent_wait(done.get()), kNoError);
    EXPECT_EQ(sum, kSum);
}

TEST_F(NnapiEvent, thatIsFreedHasWaitedForItsExecution) {
    const Execution execution = newReadyExecution();
    start(execution.get()).reset();
    EXPECT_EQ(sum, kSum);
}

TEST_F(NnapiEvent, ofAStartedExecutionHasNoDescriptor) {
    const Execution execution = newReadyExecution();
    const Event event = start(execution.get());
    int fd = 0;
    EXPECT_EQ(ANeuralNetworksEvent_getSyncFenceFd(event.get(), &fd), kBadData);
    EXPECT_EQ(fd, -1);
}

TEST_F(NnapiEvent, isNotMadeOfADescriptorThatIsNotOpen) {
    ANeuralNetworksEvent* event = nullptr;
    EXPECT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(-1, &event), kBadData);
    EXPECT_EQ(event, nullptr);
}

TEST_F(NnapiEvent, givesADuplicateOfItsDescriptor) {
    const UniqueFd fence = newFence();
    const Event event = newEvent(fence.get());
    int fd = -1;
    ASSERT_EQ(ANeuralNetworksEvent_getSyncFenceFd(event.get(), &fd), kNoError);
    const UniqueFd duplicate(fd);
    EXPECT_NE(fd, fence.get());
    EXPECT_EQ(fenceState(fd).value_or(FenceState::FAILED), FenceState::PENDING);
    signalFence(fence.get());
    EXPECT_EQ(fenceState(fd).value_or(FenceState::FAILED), FenceState::SIGNALED);
}

TEST_F(NnapiEvent, keepsItsDescriptorAfterTheCallersIsClosed) {
    UniqueFd fence = newFence();
    const Event event = newEvent(fence.get());
    signalFence(fence.get());
    fence.reset();
    EXPECT_EQ(ANeuralNetworksEvent_wait(event.get()), kNoError);
}

TEST_F(NnapiEvent, ofADescriptorEndsWhenItBecomesReadable) {
    const UniqueFd fence = newFence();
    const Event event = newEvent(fence.get());
    std::thread waiter([&] { EXPECT_EQ(ANeuralNetworksEvent_wait(event.get()), kNoError); });
    signalFence(fence.get());
    waiter.join();
}

TEST_F(NnapiEvent, ofAPipeEndsWhenItBecomesReadable) {
    int ends[2] = {-1, -1};
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd reader(ends[0]);
    const UniqueFd writer(ends[1]);
    const Event event = newEvent(reader.get());
    const Execution execution = newReadyExecution();
    const Event done = startWith(execution.get(), {event.get()});
    EXPECT_EQ(::write(writer.get(), "x", 1), 1);
    EXPECT_EQ(ANeuralNetworksEvent_wait(done.get()), kNoError);
    EXPECT_EQ(sum, kSum);
}

TEST_F(NnapiEvent, ofADescriptorThatFailsFails) {
    const UniqueFd fence = newFence();
    const Event event = newEvent(fence.get());
    failFence(fence.get());
    EXPECT_EQ(ANeuralNetworksEvent_wait(event.get()), kOpFailed);
}

TEST_F(NnapiEvent, ofMemoryOrdersExecutionsThatShareIt) {
    const MappedMemory memory(64);
    memory.floats()[0] = 1;
    memory.floats()[1] = 2;
    const auto set = [&](ANeuralNetworksExecution* execution, std::size_t from, std::size_t to) {
        for (const std::int32_t input : {0, 1}) {
            ASSERT_EQ(ANeuralNetworksExecution_setInputFromMemory(execution, input, nullptr,
                                                                  memory.get(), from, 8),
                      kNoError);
        }
        ASSERT_EQ(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, nullptr, memory.get(),
                                                               to, 8),
                  kNoError);
    };
    const Execution first = newExecution(compilation.get());
    const Execution second = newExecution(compilation.get());
    set(first.get(), 0, 16);
    set(second.get(), 16, 32);
    const UniqueFd fence = newFence();
    const Event pending = newEvent(fence.get());
    const Event firstDone = startWith(first.get(), {pending.get()});
    const Event secondDone = startWith(second.get(), {firstDone.get()});
    signalFence(fence.get());
    EXPECT_EQ(ANeuralNetworksEvent_wait(secondDone.get()), kNoError);
    EXPECT_EQ(ANeuralNetworksEvent_wait(firstDone.get()), kNoError);
    EXPECT_EQ(memory.floats()[8], 4);
    EXPECT_EQ(memory.floats()[9], 8);
}

/// The buffer is written after the second execution is started: by the first one's event.
TEST_F(NnapiEvent, ofBuffersOrdersExecutionsThatShareThem) {
    TwoFloats between{100, 100};
    const Execution first = newExecution(compilation.get());
    const Execution second = newExecution(compilation.get());
    setArguments(first.get(), a, b, between);
    setArguments(second.get(), between, between, sum);
    const UniqueFd fence = newFence();
    const Event pending = newEvent(fence.get());
    const Event firstDone = startWith(first.get(), {pending.get()});
    const Event secondDone = startWith(second.get(), {firstDone.get()});
    signalFence(fence.get());
    EXPECT_EQ(ANeuralNetworksEvent_wait(secondDone.get()), kNoError);
    EXPECT_EQ(ANeuralNetworksEvent_wait(firstDone.get()), kNoError);
    EXPECT_EQ(between, kSum);
    EXPECT_EQ(sum, (TwoFloats{22, 44}));
}

/// A thread waits for the fence and copies the buffers.
TEST_F(NnapiEvent, ofBuffersLeavesTheSignalsOfTheProcessToTheProgram) {
    const int before = test::threadsThatReceive(SIGTERM);
    const UniqueFd fence = newFence();
    const Event pending = newEvent(fence.get());
    const Execution execution = newReadyExecution();
    const Event done = startWith(execution.get(), {pending.get()});
    EXPECT_EQ(test::threadsThatReceive(SIGTERM), before);
    signalFence(fence.get());
    EXPECT_EQ(ANeuralNetworksEvent_wait(done.get()), kNoError);
}

TEST_F(NnapiEvent, ofMemoryOrdersAnExecutionThatReadsItAsABuffer) {
    const MappedMemory memory(64);
    const Execution first = newExecution(compilation.get());
    for (const std::int32_t input : {0, 1}) {
        ASSERT_EQ(
            ANeuralNetworksExecution_setInput(first.get(), input, nullptr, a.data(), sizeof(a)),
            kNoError);
    }
    ASSERT_EQ(ANeuralNetworksExecution_setOutputFromMemory(first.get(), 0, nullptr, memory.get(), 0,
                                                           sizeof(a)),
              kNoError);
    // Its output is in memory, too, so that only its inputs are copied.
    const Execution second = newExecution(compilation.get());
    for (const std::int32_t input : {0, 1}) {
        ASSERT_EQ(ANeuralNetworksExecution_setInput(second.get(), input, nullptr, memory.floats(),
                                                    sizeof(a)),
                  kNoError);
    }
    ASSERT_EQ(ANeuralNetworksExecution_setOutputFromMemory(second.get(), 0, nullptr, memory.get(),
                                                           32, sizeof(a)),
              kNoError);
    const UniqueFd fence = newFence();
    const Event pending = newEvent(fence.get());
    const Event firstDone = startWith(first.get(), {pending.get()});
    const Event secondDone = startWith(second.get(), {firstDone.get()});
    signalFence(fence.get());
    EXPECT_EQ(ANeuralNetworksEvent_wait(secondDone.get()), kNoError);
    EXPECT_EQ(ANeuralNetworksEvent_wait(firstDone.get()), kNoError);
    EXPECT_EQ(memory.floats()[8], 4);
    EXPECT_EQ(memory.floats()[9], 8);
}

/// While it lives, no thread starts: none gets the stack of 64 TiB that is the default.
class NoNewThreads {
  public:
    NoNewThreads() {
        EXPECT_EQ(::pthread_getattr_default_np(&before_), 0);
        pthread_attr_t attributes;
        EXPECT_EQ(::pthread_attr_init(&attributes), 0);
        EXPECT_EQ(::pthread_attr_setstacksize(&attributes, std::size_t{1} << 46), 0);
        EXPECT_EQ(::pthread_setattr_default_np(&attributes), 0);
        EXPECT_EQ(::pthread_attr_destroy(&attributes), 0);
    }
    NoNewThreads(const NoNewThreads&) = delete;
    NoNewThreads& operator=(const NoNewThreads&) = delete;
    ~NoNewThreads() {
        EXPECT_EQ(::pthread_setattr_default_np(&before_), 0);
        EXPECT_EQ(::pthread_attr_destroy(&before_), 0);
    }

  private:
    pthread_attr_t before_{};
};

// The call once waited for the execution then, and so for dependencies that its caller had yet to
// signal.
TEST_F(NnapiEvent, isRefusedAtOnceIfThereIsNoThreadForIt) {
    const UniqueFd fence = newFence();
    const Event pending = newEvent(fence.get());
    const Execution before = newReadyExecution();
    const Event done = startWith(before.get(), {pending.get()});  // starts the device's threads
    TwoFloats other{};
    const Execution execution = newExecution(compilation.get());
    setArguments(execution.get(), a, b, other);
    ANeuralNetworksEvent* created = nullptr;
    const ANeuralNetworksEvent* const dependency = pending.get();
    {
        const NoNewThreads none;
        EXPECT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(
                      execution.get(), &dependency, 1, 0, &created),
                  ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT);
    }
    EXPECT_EQ(created, nullptr);
    signalFence(fence.get());
    EXPECT_EQ(ANeuralNetworksEvent_wait(done.get()), kNoError);
    EXPECT_EQ(sum, kSum);
    EXPECT_EQ(other, TwoFloats{});
}

TEST_F(NnapiEvent, ofAStartedExecutionIsADependencyToo) {
    const Execution first = newReadyExecution();
    const Event firstDone = start(first.get());
    TwoFloats other{};
    const Execution second = newExecution(compilation.get());
    setArguments(second.get(), a, b, other);
    const Event secondDone = startWith(second.get(), {firstDone.get()});
    EXPECT_EQ(ANeuralNetworksEvent_wait(secondDone.get()), kNoError);
    EXPECT_EQ(other, kSum);
    EXPECT_EQ(sum, kSum);
}

TEST_F(NnapiEvent, thatFailsMakesItsDependentFail) {
    const UniqueFd fence = newFence();
    const Event pending = newEvent(fence.get());
    const Execution execution = newReadyExecution();
    const Event done = startWith(execution.get(), {pending.get()});
    failFence(fence.get());
    EXPECT_NE(ANeuralNetworksEvent_wait(done.get()), kNoError);
    EXPECT_EQ(sum, TwoFloats{});
}

TEST_F(NnapiEvent, thatHasFailedIsRefusedAsADependency) {
    const UniqueFd fence = newFence();
    failFence(fence.get());
    const Event failed = newEvent(fence.get());
    const Execution execution = newReadyExecution();
    ANeuralNetworksEvent* created = nullptr;
    const ANeuralNetworksEvent* const dependency = failed.get();
    const int result = ANeuralNetworksExecution_startComputeWithDependencies(
        execution.get(), &dependency, 1, 0, &created);
    const Event event(created);
    EXPECT_TRUE(result != kNoError || ANeuralNetworksEvent_wait(event.get()) != kNoError);
}

TEST_F(NnapiEvent, ofAFencedExecutionGivesADescriptorOrHasEnded) {
    const UniqueFd fence = newFence();
    const Event pending = newEvent(fence.get());
    const Execution execution = newReadyExecution();
    const Event done = startWith(execution.get(), {pending.get()});
    int fd = -1;
    if (ANeuralNetworksEvent_getSyncFenceFd(done.get(), &fd) == kNoError) {
        const UniqueFd own(fd);
        EXPECT_EQ(fenceState(fd).value_or(FenceState::FAILED), FenceState::PENDING);
        signalFence(fence.get());
        EXPECT_TRUE(waitForFence(fd));
    } else {
        EXPECT_EQ(fd, -1);
        signalFence(fence.get());
    }
    EXPECT_EQ(ANeuralNetworksEvent_wait(done.get()), kNoError);
    EXPECT_EQ(sum, kSum);
}

/// The second execution waits for the descriptor of the first.
TEST_F(NnapiEvent, ofAnExecutionsDescriptorIsADependency) {
    const UniqueFd fence = newFence();
    const Event pending = newEvent(fence.get());
    const Execution first = newReadyExecution();
    const Event firstDone = startWith(first.get(), {pending.get()});
    int fd = -1;
    if (ANeuralNetworksEvent_getSyncFenceFd(firstDone.get(), &fd) != kNoError) {
        signalFence(fence.get());
        GTEST_SKIP() << "events of this device have no descriptor";
    }
    const UniqueFd own(fd);
    const Event again = newEvent(fd);
    TwoFloats other{};
    const Execution second = newExecution(compilation.get());
    setArguments(second.get(), a, b, other);
    const Event secondDone = startWith(second.get(), {again.get()});
    signalFence(fence.get());
    EXPECT_EQ(ANeuralNetworksEvent_wait(secondDone.get()), kNoError);
    EXPECT_EQ(ANeuralNetworksEvent_wait(firstDone.get()), kNoError);
    EXPECT_EQ(sum, kSum);
    EXPECT_EQ(other, kSum);
}

TEST_F(NnapiEvent, ofOneDeviceTellsFencedDurations) {
    const Compilation onDevice = newCompilation(model.get(), {referenceDevice()});
    ASSERT_EQ(ANeuralNetworksCompilation_finish(onDevice.get()), kNoError);
    const Execution execution = newExecution(onDevice.get());
    setArguments(execution.get(), a, b, sum);
    ASSERT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution.get(), true), kNoError);
    const Event done = startWith(execution.get(), {});
    ASSERT_EQ(ANeuralNetworksEvent_wait(done.get()), kNoError);
    std::uint64_t whole = 0;
    std::uint64_t fenced = 0;
    EXPECT_EQ(ANeuralNetworksExecution_getDuration(execution.get(),
                                                   ANEURALNETWORKS_DURATION_IN_DRIVER, &whole),
              kNoError);
    EXPECT_EQ(ANeuralNetworksExecution_getDuration(
                  execution.get(), ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER, &fenced),
              kNoError);
    EXPECT_LE(fenced, whole);
}

TEST_F(NnapiEvent, ofOneDeviceTakesADurationAfterItsDependencies) {
    const Compilation onDevice = newCompilation(model.get(), {referenceDevice()});
    ASSERT_EQ(ANeuralNetworksCompilation_finish(onDevice.get()), kNoError);
    const Execution execution = newExecution(onDevice.get());
    setArguments(execution.get(), a, b, sum);
    ANeuralNetworksEvent* created = nullptr;
    ASSERT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(execution.get(), nullptr, 0,
                                                                    60'000'000'000, &created),
              kNoError);
    const Event done(created);
    EXPECT_EQ(ANeuralNetworksEvent_wait(done.get()), kNoError);
    EXPECT_EQ(sum, kSum);
}

}  // namespace
}  // namespace nnburst::nnapi
