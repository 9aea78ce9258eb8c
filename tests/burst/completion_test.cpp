// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// The completion descriptor of a burst: readable when there is something to look at, and not
/// before.

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <future>
#include <thread>

#include "fakes.h"
#include "fmq/asymmetric_fence.h"

namespace nnburst::burst {
namespace {

using namespace std::chrono_literals;

/// Only a hang takes so long.
constexpr int kWatchdogMs = 20'000;

class CompletionTest : public testing::Test {
  protected:
    explicit CompletionTest(const WaitPolicy& driverWait = {})
        : burst({.inFlight = 4, .driverWait = driverWait, .deadlineGrace = 10ms}) {}

    Submission submit(const DoublingRequest& request, const OptionalTimePoint& deadline = {}) {
        const Result<Submission> submitted =
            burst.controller->submit(request.request, {.deadline = deadline});
        EXPECT_TRUE(submitted) << submitted.error().message;
        return submitted.value_or(Submission{});
    }
    bool arm() {
        const Result<bool> armed = burst.controller->armCompletion();
        EXPECT_TRUE(armed) << armed.error().message;
        return armed.value_or(false);
    }
    bool isReadable(int timeoutMs) {
        pollfd event{.fd = *burst.controller->completionDescriptor(), .events = POLLIN};
        return ::poll(&event, 1, timeoutMs) == 1;
    }
    void holdDriver() {
        burst.model->setOnRun([held = mayRun_.get_future().share()] {
            held.wait();
            return Result<>();
        });
    }
    void letRun() { mayRun_.set_value(); }

    BurstPair burst;
    DoublingRequest doubling;
    ExecutionOutcome outcome;

  private:
    std::promise<void> mayRun_;
};

/// The driver delegates its fences from its first sleep on, however often it sleeps.
class CompletionOfABlockingDriver : public CompletionTest {
  protected:
    CompletionOfABlockingDriver() : CompletionTest({.mode = WaitMode::BLOCK}) {}
};

TEST_F(CompletionTest, descriptorIsReadableWhenAResultHasComeAndNotBefore) {
    holdDriver();
    const Submission submission = submit(doubling);
    ASSERT_FALSE(arm());
    EXPECT_FALSE(isReadable(50));
    EXPECT_FALSE(burst.controller->isDone(submission));
    letRun();
    EXPECT_TRUE(isReadable(kWatchdogMs));
    EXPECT_TRUE(burst.controller->isDone(submission));
    EXPECT_FALSE(isReadable(0)) << "it was looked at";
    ASSERT_TRUE(burst.controller->wait(submission, outcome));
    EXPECT_EQ(doubling.out()[0], 2 * doubling.in()[0]);
}

TEST_F(CompletionTest, isNotArmedWhileAResultIsThere) {
    const Submission submission = submit(doubling);
    while (!burst.controller->isDone(submission)) {
        std::this_thread::yield();
    }
    EXPECT_TRUE(arm());
    ASSERT_TRUE(burst.controller->wait(submission, outcome));
    EXPECT_FALSE(arm()) << "nothing is in flight";
}

TEST_F(CompletionTest, descriptorThatIsNotArmedStaysUnreadable) {
    EXPECT_FALSE(isReadable(0));
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
    }
    EXPECT_FALSE(isReadable(0));
}

TEST_F(CompletionTest, eachOfManyResultsWakesAnEventLoop) {
    const auto reusable =
        std::move(*burst.controller->createReusableExecution(doubling.request, {}));
    for (int i = 0; i < 2000; ++i) {
        doubling.in()[0] = static_cast<float>(i);
        const auto submission = reusable->submit({});
        ASSERT_TRUE(submission) << submission.error().message;
        while (!burst.controller->isDone(*submission)) {
            if (!arm()) {
                ASSERT_TRUE(isReadable(kWatchdogMs)) << "execution " << i;
            }
        }
        ASSERT_TRUE(burst.controller->wait(*submission, outcome));
        ASSERT_EQ(doubling.out()[0], 2.0F * static_cast<float>(i));
    }
}

TEST_F(CompletionOfABlockingDriver, interruptsTheOtherProcessorsOnceByArming) {
    // The driver sleeps with a fence of its own until its first request.
    ASSERT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
    std::atomic<bool> mayEnd{false};
    burst.model->setOnRun([&] {
        while (!mayEnd.exchange(false)) {
            std::this_thread::yield();
        }
        return Result<>();
    });
    const std::uint64_t before = fmq::heavyFenceCount();
    for (int i = 0; i < 50; ++i) {
        const Submission submission = submit(doubling);
        ASSERT_FALSE(arm());
        mayEnd = true;
        while (!burst.controller->isDone(submission)) {
            ASSERT_TRUE(isReadable(kWatchdogMs)) << "execution " << i;
        }
        ASSERT_TRUE(burst.controller->wait(submission, outcome));
    }
    EXPECT_LE(fmq::heavyFenceCount(), before + 2) << "one of each side";
}

/// A driver publishes a result, clears the bit of a client that is armed, and rings: a client that
/// polls may look between any two of these steps.
class RingsTest : public testing::Test, protected LonelyClient {
  protected:
    bool isReadable() {
        pollfd event{.fd = *controller->completionDescriptor(), .events = POLLIN};
        return ::poll(&event, 1, 0) == 1;
    }
    Submission submitAndArm() {
        const Submission submission = *controller->submit(doubling.request, {});
        EXPECT_FALSE(*controller->armCompletion());
        return submission;
    }
    void expectResultOf(Submission submission) {
        ASSERT_TRUE(controller->isDone(submission));
        ASSERT_TRUE(controller->wait(submission, outcome));
    }

    const DoublingRequest doubling;
    ExecutionOutcome outcome;
};

TEST_F(RingsTest, aRingThatComesLateLeavesTheNextOneToBeExpected) {
    const Submission first = submitAndArm();
    publish(1);
    expectResultOf(first);
    const Submission second = submitAndArm();
    clearBit();
    ring();
    EXPECT_TRUE(isReadable());
    EXPECT_FALSE(controller->isDone(second));
    EXPECT_FALSE(isReadable());
    EXPECT_FALSE(*controller->armCompletion());
    publish(2);
    clearBit();
    ring();
    EXPECT_TRUE(isReadable());
    expectResultOf(second);
    EXPECT_FALSE(isReadable());
}

TEST_F(RingsTest, twoRingsThatComeLateAreBothTaken) {
    const Submission first = submitAndArm();
    publish(1);
    clearBit();
    expectResultOf(first);
    const Submission second = submitAndArm();
    ring();
    publish(2);
    clearBit();
    expectResultOf(second);
    ring();
    EXPECT_TRUE(isReadable());
    EXPECT_TRUE(controller->isDone(second)) << "it is not in flight";
    EXPECT_FALSE(isReadable()) << "an event loop would spin";
}

TEST_F(RingsTest, ringsThatWereNotAskedForAreTakenByArming) {
    ring();
    ring();
    EXPECT_TRUE(isReadable());
    (void)submitAndArm();
    EXPECT_FALSE(isReadable());
}

TEST_F(CompletionTest, descriptorIsReadableWhenTheConnectionIsLost) {
    holdDriver();
    const Submission submission = submit(doubling);
    ASSERT_FALSE(arm());
    std::thread loser([this] {
        std::this_thread::sleep_for(10ms);
        burst.controller->connectionLost();
    });
    EXPECT_TRUE(isReadable(kWatchdogMs));
    loser.join();
    EXPECT_TRUE(arm());
    EXPECT_TRUE(burst.controller->isDone(submission));
    const Result<> lost = burst.controller->wait(submission, outcome);
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    letRun();
}

TEST_F(CompletionTest, descriptorThatIsMadeAfterTheLossIsReadable) {
    burst.controller->connectionLost();
    EXPECT_TRUE(isReadable(0));
}

TEST_F(CompletionTest, isDoneWhenTheTimeForAnExecutionIsOver) {
    holdDriver();
    const Submission submission = submit(doubling, std::chrono::steady_clock::now() + 5ms);
    EXPECT_FALSE(burst.controller->isDone(submission));
    std::this_thread::sleep_for(30ms);
    EXPECT_TRUE(burst.controller->isDone(submission));
    EXPECT_FALSE(burst.controller->wait(submission, outcome));
    letRun();
}

TEST(Completion, waitDoesNotSleepWhenTheTimeForAnExecutionIsOver) {
    BurstPair burst{BurstOptions{.inFlight = 2, .deadlineGrace = 200ms}};
    std::promise<void> mayRun;
    burst.model->setOnRun([held = mayRun.get_future().share()] {
        held.wait();
        return Result<>();
    });
    const DoublingRequest doubling;
    const Result<Submission> submission = burst.controller->submit(
        doubling.request, {.deadline = TimePoint(std::chrono::steady_clock::now())});
    ASSERT_TRUE(submission) << submission.error().message;
    std::this_thread::sleep_for(300ms);
    ASSERT_TRUE(burst.controller->isDone(*submission));
    const std::uint64_t before = burst.controller->waitStats().client.sleeps;
    ExecutionOutcome outcome;
    EXPECT_FALSE(burst.controller->wait(*submission, outcome));
    EXPECT_EQ(burst.controller->waitStats().client.sleeps, before);
    mayRun.set_value();
}

TEST_F(CompletionTest, isDoneOfWhatIsNotInFlight) {
    EXPECT_TRUE(burst.controller->isDone(Submission{99}));
}

TEST(Completion, isRefusedByADriverThatDoesNotRingBack) {
    const auto controller = *Controller::create({});
    controller->attach(std::make_shared<FakeClientControlPlane>(),
                       {.doorbell = {}, .ringsBack = false});
    EXPECT_FALSE(controller->completionDescriptor());
    EXPECT_FALSE(controller->armCompletion());
}

}  // namespace
}  // namespace nnburst::burst
