// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Executions that the driver does not answer in time: their outputs count as in use until it does.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <future>
#include <thread>

#include "burst/give_up_time.h"
#include "fakes.h"

namespace nnburst::burst {
namespace {

using namespace std::chrono_literals;

OptionalTimePoint soon() {
    return TimePoint(std::chrono::steady_clock::now() + 2ms);
}

class MemoryInUseTest : public testing::Test {
  protected:
    static constexpr std::chrono::milliseconds kGrace{20};

    ~MemoryInUseTest() override { letRun(); }

    /// The driver's executions from now on wait until `letRun`.
    void holdDriver() {
        burst.model->setOnRun([held = mayRun_.get_future().share()] {
            held.wait();
            return Result<>();
        });
        isHeld_ = true;
    }
    void letRun() {
        if (isHeld_) {
            mayRun_.set_value();
            isHeld_ = false;
        }
    }

    void expectUnanswered(const Result<>& result) {
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE) << result.error().message;
        EXPECT_TRUE(outcome.outputShapes.empty());
        EXPECT_TRUE(burst.controller->isMemoryInUse());
    }
    void expectRefused(const Request& request) {
        // The deadline ends an execution that is not refused: the driver is held.
        const TimePoint deadline = std::chrono::steady_clock::now() + 1s;
        const Result<> executed =
            burst.controller->execute(request, {.deadline = deadline}, outcome);
        ASSERT_FALSE(executed);
        ASSERT_EQ(executed.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
        const Result<Submission> submitted = burst.controller->submit(request, {});
        ASSERT_FALSE(submitted);
        EXPECT_EQ(submitted.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    }
    void expectFreeOnceTheDriverAnswers() {
        letRun();
        const Result<> waited =
            burst.controller->waitForMemory(TimePoint(std::chrono::steady_clock::now() + 20s));
        ASSERT_TRUE(waited) << waited.error().message;
        EXPECT_FALSE(burst.controller->isMemoryInUse());
        burst.model->setOnRun([] { return Result<>(); });
        const Result<> result = burst.controller->execute(doubling.request, {}, outcome);
        EXPECT_TRUE(result) << result.error().message;
    }

    BurstPair burst{BurstOptions{.inFlight = 4, .deadlineGrace = kGrace}};
    DoublingRequest doubling;
    ExecutionOutcome outcome;

  private:
    std::promise<void> mayRun_;
    bool isHeld_ = false;
};

TEST_F(MemoryInUseTest, isThatOfAnExecutionWithoutAnAnswer) {
    holdDriver();
    expectUnanswered(burst.controller->execute(doubling.request, {.deadline = soon()}, outcome));
    expectRefused(doubling.request);
    expectFreeOnceTheDriverAnswers();
}

TEST_F(MemoryInUseTest, isThatOfASubmissionWithoutAnAnswer) {
    holdDriver();
    const Result<Submission> submission =
        burst.controller->submit(doubling.request, {.deadline = soon()});
    ASSERT_TRUE(submission);
    expectUnanswered(burst.controller->wait(*submission, outcome));
    expectRefused(doubling.request);
    expectFreeOnceTheDriverAnswers();
}

TEST_F(MemoryInUseTest, isThatOfAReusableExecutionWithoutAnAnswer) {
    const auto reusable =
        std::move(*burst.controller->createReusableExecution(doubling.request, {}));
    ASSERT_TRUE(reusable->compute({}, outcome));
    holdDriver();
    expectUnanswered(reusable->compute(soon(), outcome));
    const Result<> refused =
        reusable->compute(TimePoint(std::chrono::steady_clock::now() + 1s), outcome);
    ASSERT_FALSE(refused);
    ASSERT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    expectFreeOnceTheDriverAnswers();
    EXPECT_TRUE(reusable->compute({}, outcome));
}

TEST_F(MemoryInUseTest, isThatOfAnExecutionOverTheControlPlaneWithoutAnAnswer) {
    burst.client->answered = std::make_shared<std::atomic<bool>>(false);
    doubling.request.inputs.resize(600, doubling.request.inputs[0]);  // no queue holds its frame
    expectUnanswered(burst.controller->execute(doubling.request, {.deadline = soon()}, outcome));
    EXPECT_EQ(burst.client->fallbacks, 1);
    expectRefused(doubling.request);
    EXPECT_EQ(burst.controller->waitForMemory(soon()).error().status,
              ErrorStatus::MISSED_DEADLINE_TRANSIENT);
    *burst.client->answered = true;
    EXPECT_FALSE(burst.controller->isMemoryInUse());
    EXPECT_TRUE(burst.controller->waitForMemory(soon()));
    EXPECT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
}

/// The driver refuses such an execution, which takes time: without it, memory that the driver never
/// writes would count as in use.
TEST(MemoryInUse, isOfNoExecutionWhoseDeadlineHasLongPassedBeforeTheGraceAfterNow) {
    const TimePoint before = std::chrono::steady_clock::now();
    const OptionalTimePoint until = giveUpAt(TimePoint(before - 1h), 20ms);
    ASSERT_TRUE(until);
    EXPECT_GE(*until, before + 20ms);
}

TEST(MemoryInUse, isOfNoExecutionBeforeTheGraceAfterItsDeadline) {
    const TimePoint deadline = std::chrono::steady_clock::now() + 1h;
    EXPECT_EQ(giveUpAt(deadline, 20ms), deadline + 20ms);
    EXPECT_EQ(giveUpAt({}, 20ms), std::nullopt);
}

TEST_F(MemoryInUseTest, ofAReusableExecutionEndsWithoutItsShapes) {
    const auto reusable =
        std::move(*burst.controller->createReusableExecution(doubling.request, {}));
    ASSERT_TRUE(reusable->compute({}, outcome));
    ASSERT_EQ(outcome.outputShapes[0].dimensions, Dimensions{4});
    burst.model->shape = 3;
    holdDriver();
    expectUnanswered(reusable->compute(soon(), outcome));
    letRun();
    ASSERT_TRUE(burst.controller->waitForMemory({}));
    ASSERT_TRUE(reusable->compute({}, outcome));
    EXPECT_EQ(outcome.outputShapes[0].dimensions, Dimensions{3});
}

TEST_F(MemoryInUseTest, mayNotBeReadEither) {
    holdDriver();
    expectUnanswered(burst.controller->execute(doubling.request, {.deadline = soon()}, outcome));
    DoublingRequest reader;
    reader.request.pools.push_back(doubling.pool.region());
    reader.request.inputs = doubling.request.outputs;
    reader.request.inputs[0].location.poolIndex = 1;
    expectRefused(reader.request);
    reader.request.inputs[0].location.offset += doubling.request.outputs[0].location.length - 1;
    expectRefused(reader.request);
}

TEST_F(MemoryInUseTest, doesNotIncludeTheInputsAndOtherMemory) {
    holdDriver();
    expectUnanswered(burst.controller->execute(doubling.request, {.deadline = soon()}, outcome));
    const DoublingRequest other;
    DoublingRequest sameInput;
    sameInput.request.pools.push_back(doubling.pool.region());
    sameInput.request.inputs = doubling.request.inputs;
    sameInput.request.inputs[0].location.poolIndex = 1;
    const Result<Submission> one = burst.controller->submit(other.request, {});
    const Result<Submission> two = burst.controller->submit(sameInput.request, {});
    ASSERT_TRUE(one && two);
    letRun();
    EXPECT_TRUE(burst.controller->wait(*one, outcome));
    EXPECT_TRUE(burst.controller->wait(*two, outcome));
    EXPECT_FALSE(burst.controller->isMemoryInUse()) << "the driver answers in order";
    EXPECT_EQ(other.out()[0], 1.0F);
}

TEST_F(MemoryInUseTest, isWaitedForAtMostUntilTheDeadline) {
    holdDriver();
    expectUnanswered(burst.controller->execute(doubling.request, {.deadline = soon()}, outcome));
    const Result<> waited = burst.controller->waitForMemory(soon());
    ASSERT_FALSE(waited);
    EXPECT_EQ(waited.error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT);
    EXPECT_TRUE(burst.controller->isMemoryInUse());
}

TEST_F(MemoryInUseTest, isFreeWhenTheConnectionIsLost) {
    holdDriver();
    expectUnanswered(burst.controller->execute(doubling.request, {.deadline = soon()}, outcome));
    std::thread cutter([&] {
        std::this_thread::sleep_for(20ms);
        burst.controller->connectionLost();
    });
    EXPECT_TRUE(burst.controller->waitForMemory(TimePoint(std::chrono::steady_clock::now() + 20s)));
    cutter.join();
    EXPECT_FALSE(burst.controller->isMemoryInUse());
}

/// How often the calling thread has slept.
long sleepCount() {
    rusage usage{};
    EXPECT_EQ(::getrusage(RUSAGE_THREAD, &usage), 0);
    return usage.ru_nvcsw;
}

/// After a result that breaks a rule, the answer over the control plane may still come.
TEST_F(MemoryInUseTest, isWaitedForAsleepThoughTheQueueIsLost) {
    burst.client->answered = std::make_shared<std::atomic<bool>>(false);
    doubling.request.inputs.resize(600, doubling.request.inputs[0]);  // no queue holds its frame
    expectUnanswered(burst.controller->execute(doubling.request, {.deadline = soon()}, outcome));
    burst.controller->connectionLost();
    const long before = sleepCount();
    EXPECT_FALSE(burst.controller->waitForMemory(std::chrono::steady_clock::now() + 300ms));
    EXPECT_GT(sleepCount(), before);
    *burst.client->answered = true;
    EXPECT_TRUE(burst.controller->waitForMemory(std::chrono::steady_clock::now() + 20s));
}

TEST_F(MemoryInUseTest, isFreeWhenTheDriverGivesNoSignOfLife) {
    holdDriver();
    expectUnanswered(burst.controller->execute(doubling.request, {.deadline = soon()}, outcome));
    burst.client->isAlive = false;
    EXPECT_TRUE(burst.controller->waitForMemory(TimePoint(std::chrono::steady_clock::now() + 20s)));
    EXPECT_EQ(burst.client->lifeSigns, 1);
    EXPECT_FALSE(burst.controller->isMemoryInUse());
}

TEST_F(MemoryInUseTest, isNotSaidToBeFreeWhileAnotherThreadUsesTheBurst) {
    EXPECT_FALSE(burst.controller->isMemoryInUse());
    burst.model->setOnRun([&] {
        while (!burst.controller->isMemoryInUse()) {
            std::this_thread::yield();
        }
        return Result<>();
    });
    EXPECT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
    EXPECT_FALSE(burst.controller->isMemoryInUse());
}

/// The frame names a slot whose memory has vanished; the slot is not given to new memory before the
/// driver has read the frame, so that the driver never writes memory that the frame does not mean.
TEST_F(MemoryInUseTest, itsSlotIsNotGivenToOtherMemory) {
    holdDriver();
    const DoublingRequest running;
    const Result<Submission> first = burst.controller->submit(running.request, {});
    ASSERT_TRUE(first);
    {
        DoublingRequest vanishing;
        vanishing.in()[0] = 7.0F;
        expectUnanswered(
            burst.controller->execute(vanishing.request, {.deadline = soon()}, outcome));
    }
    const DoublingRequest later;
    const float input = later.in()[0];
    const Result<Submission> second = burst.controller->submit(later.request, {});
    ASSERT_TRUE(second);
    letRun();
    ASSERT_TRUE(burst.controller->wait(*first, outcome));
    const int runsBefore = burst.model->runs;
    ASSERT_TRUE(burst.controller->wait(*second, outcome));
    EXPECT_EQ(later.in()[0], input);
    EXPECT_EQ(later.out()[0], 2 * input);
    EXPECT_LE(burst.model->runs, runsBefore + 1)
        << "the frame of vanished memory ran on new memory";
}

}  // namespace
}  // namespace nnburst::burst
