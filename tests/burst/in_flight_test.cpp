// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Several executions in flight on one burst.

#include <gtest/gtest.h>

#include <array>
#include <future>
#include <string>
#include <thread>

#include "burst/channel.h"
#include "burst/result_frame.h"
#include "fakes.h"

namespace nnburst::burst {
namespace {

using namespace std::chrono_literals;

class InFlightTest : public testing::Test {
  protected:
    static constexpr std::uint32_t kInFlight = 4;

    Submission submit(const DoublingRequest& doubling) {
        const Result<Submission> submitted = burst.controller->submit(doubling.request, {});
        EXPECT_TRUE(submitted) << submitted.error().message;
        return submitted.value_or(Submission{});
    }
    Result<> wait(Submission submission) { return burst.controller->wait(submission, outcome); }

    /// Lets the driver's next executions wait until `letRun`.
    void holdDriver() {
        burst.model->setOnRun([held = mayRun_.get_future().share()] {
            held.wait();
            return Result<>();
        });
    }
    void letRun() { mayRun_.set_value(); }

    BurstPair burst{BurstOptions{.inFlight = kInFlight, .deadlineGrace = 10ms}};
    ExecutionOutcome outcome;

  private:
    std::promise<void> mayRun_;
};

TEST_F(InFlightTest, executionsAreAnsweredWhicheverIsWaitedForFirst) {
    std::array<DoublingRequest, kInFlight> requests;
    for (int round = 0; round < 200; ++round) {
        std::array<Submission, kInFlight> submissions{};
        for (std::size_t i = 0; i < kInFlight; ++i) {
            requests[i].in()[0] = static_cast<float>(round) + static_cast<float>(i);
            submissions[i] = submit(requests[i]);
        }
        for (std::size_t k = 0; k < kInFlight; ++k) {
            const std::size_t i = round % 2 == 0 ? k : kInFlight - 1 - k;
            ASSERT_TRUE(wait(submissions[i]));
            ASSERT_EQ(requests[i].out()[0], 2 * requests[i].in()[0]);
            ASSERT_EQ(outcome.outputShapes.size(), 1U);
        }
    }
}

TEST_F(InFlightTest, runOneAfterTheOtherInOrder) {
    DoublingRequest first;
    DoublingRequest second;
    second.request.pools = {first.pool.region(), second.pool.region()};
    second.request.inputs = first.request.outputs;  // reads what the first writes
    second.request.outputs[0].location.poolIndex = 1;
    for (int i = 0; i < 100; ++i) {
        first.in()[0] = static_cast<float>(i);
        const Submission one = submit(first);
        const Submission two = submit(second);
        ASSERT_TRUE(wait(one));
        ASSERT_TRUE(wait(two));
        ASSERT_EQ(second.out()[0], 4.0F * static_cast<float>(i));
    }
}

TEST_F(InFlightTest, reusableExecutionsGoAlong) {
    std::array<DoublingRequest, kInFlight> requests;
    std::vector<std::unique_ptr<ReusableExecution>> executions;
    for (const DoublingRequest& doubling : requests) {
        executions.push_back(
            std::move(*burst.controller->createReusableExecution(doubling.request, {})));
    }
    for (int round = 0; round < 200; ++round) {
        std::array<Submission, kInFlight> submissions{};
        for (std::size_t i = 0; i < kInFlight; ++i) {
            requests[i].in()[3] = static_cast<float>(round * 10) + static_cast<float>(i);
            submissions[i] = *executions[i]->submit({});
        }
        for (std::size_t i = 0; i < kInFlight; ++i) {
            ASSERT_TRUE(wait(submissions[i]));
            ASSERT_EQ(requests[i].out()[3], 2 * requests[i].in()[3]);
            ASSERT_EQ(outcome.outputShapes[0].dimensions, Dimensions{4});
        }
    }
    EXPECT_EQ(burst.client->fallbacks, 0);
}

TEST_F(InFlightTest, moreThanConfiguredAreRefused) {
    holdDriver();
    std::array<DoublingRequest, kInFlight> requests;
    std::vector<Submission> submissions;
    for (const DoublingRequest& doubling : requests) {
        submissions.push_back(submit(doubling));
    }
    const DoublingRequest oneMore;
    const Result<Submission> refused = burst.controller->submit(oneMore.request, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    const Result<> executed = burst.controller->execute(oneMore.request, {}, outcome);
    ASSERT_FALSE(executed);
    EXPECT_EQ(executed.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    letRun();
    for (const Submission submission : submissions) {
        EXPECT_TRUE(wait(submission));
    }
    EXPECT_TRUE(burst.controller->execute(oneMore.request, {}, outcome));
}

TEST_F(InFlightTest, outputsThatOverlapAreRefused) {
    holdDriver();
    const DoublingRequest first;
    const Submission submission = submit(first);
    DoublingRequest second;
    second.request = first.request;
    const Result<Submission> refused = burst.controller->submit(second.request, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::INVALID_ARGUMENT);
    const auto reusable = std::move(*burst.controller->createReusableExecution(first.request, {}));
    EXPECT_FALSE(reusable->submit({}));
    letRun();
    ASSERT_TRUE(wait(submission));
    const Result<Submission> free = reusable->submit({});
    ASSERT_TRUE(free);
    EXPECT_TRUE(wait(*free));
}

TEST_F(InFlightTest, outputsThatOverlapAreRefusedUntilTheResultIsTaken) {
    const DoublingRequest first;
    const DoublingRequest second;
    const Submission one = submit(first);
    const Submission two = submit(second);
    ASSERT_TRUE(wait(two));  // the first has ended, too
    EXPECT_FALSE(burst.controller->submit(first.request, {}));
    ASSERT_TRUE(wait(one));
    EXPECT_TRUE(wait(submit(first)));
}

TEST_F(InFlightTest, aSubmissionIsWaitedForOnce) {
    const DoublingRequest doubling;
    const Submission submission = submit(doubling);
    ASSERT_TRUE(wait(submission));
    for (const Submission none : {submission, Submission{}, Submission{99}}) {
        const Result<> again = wait(none);
        ASSERT_FALSE(again);
        EXPECT_EQ(again.error().status, ErrorStatus::INVALID_ARGUMENT);
    }
}

TEST_F(InFlightTest, useTheirMemoryThoughItIsFreedMeanwhile) {
    for (int round = 0; round < 3; ++round) {
        std::promise<void> mayRun;
        burst.model->setOnRun([held = mayRun.get_future().share()] {
            held.wait();
            return Result<>();
        });
        DoublingRequest running;  // the driver sees the others after it
        DoublingRequest first;
        first.in()[0] = 3.0F;
        DoublingRequest second;
        second.in()[0] = 4.0F;
        const std::array submissions{submit(running), submit(first)};
        burst.controller->freeMemory(first.pool.region());
        const Submission last = submit(second);  // it must not get the slot of the first
        mayRun.set_value();
        for (const Submission submission : submissions) {
            ASSERT_TRUE(wait(submission));
        }
        ASSERT_TRUE(wait(last));
        EXPECT_EQ(first.out()[0], 6.0F);
        EXPECT_EQ(second.out()[0], 8.0F);
        DoublingRequest later;
        later.in()[0] = 5.0F;
        ASSERT_TRUE(wait(submit(later)));
        EXPECT_EQ(later.out()[0], 10.0F);
        EXPECT_EQ(first.out()[0], 6.0F);
    }
}

TEST_F(InFlightTest, doNotWaitForTheDriverToForgetMemory) {
    burst.client->forgetsSlots = false;
    for (int i = 0; i < 3; ++i) {
        DoublingRequest doubling;
        doubling.in()[0] = static_cast<float>(i);
        ASSERT_TRUE(wait(submit(doubling)));
        EXPECT_EQ(doubling.out()[0], 2.0F * static_cast<float>(i)) << "in a slot of its own";
        burst.controller->freeMemory(doubling.pool.region());
    }
}

TEST_F(InFlightTest, runInOrderThoughMemoryIsFreedMeanwhile) {
    DoublingRequest running;  // the driver sees the others after it
    DoublingRequest first;
    DoublingRequest second;
    second.request.pools = {first.pool.region(), second.pool.region()};
    second.request.inputs = first.request.outputs;  // reads what the first writes
    second.request.outputs[0].location.poolIndex = 1;
    const auto reusable = std::move(*burst.controller->createReusableExecution(first.request, {}));
    for (int round = 1; round <= 3; ++round) {
        burst.model->setOnRun([] { return Result<>(); });
        ASSERT_TRUE(reusable->compute({}, outcome));  // from now on the driver knows it
        std::promise<void> mayRun;
        burst.model->setOnRun([held = mayRun.get_future().share()] {
            held.wait();
            return Result<>();
        });
        first.in()[0] = static_cast<float>(round);
        const std::array submissions{submit(running), *reusable->submit({}), submit(second)};
        burst.controller->freeMemory(first.pool.region());
        mayRun.set_value();
        for (const Submission submission : submissions) {
            ASSERT_TRUE(wait(submission));
        }
        EXPECT_EQ(second.out()[0], 4.0F * static_cast<float>(round));
    }
}

TEST_F(InFlightTest, anExecutionMayGoBetween) {
    const DoublingRequest submitted;
    DoublingRequest executed;
    executed.in()[0] = 3.0F;
    const Submission submission = submit(submitted);
    ASSERT_TRUE(burst.controller->execute(executed.request, {}, outcome));
    EXPECT_EQ(executed.out()[0], 6.0F);
    ASSERT_TRUE(wait(submission));
    EXPECT_EQ(submitted.out()[0], 1.0F);
}

TEST_F(InFlightTest, errorsComeFromTheWait) {
    DoublingRequest wrong;
    wrong.request.outputs.clear();
    const DoublingRequest right;
    const Submission first = submit(wrong);
    const Submission second = submit(right);
    const Result<> result = wait(first);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_TRUE(wait(second));
}

TEST_F(InFlightTest, aMeasurementThatThereIsNotIsRefused) {
    const DoublingRequest doubling;
    const Result<Submission> refused =
        burst.controller->submit(doubling.request, {.measure = static_cast<MeasureTiming>(7)});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::INVALID_ARGUMENT);
}

TEST_F(InFlightTest, whatIsGivenUpAtItsDeadlineDoesNotAnswerForAnother) {
    std::promise<void> leave;
    burst.model->setOnRun([left = leave.get_future().share()] {
        left.wait();
        return Result<>();
    });
    DoublingRequest first;
    const Result<Submission> submission = burst.controller->submit(
        first.request, {.deadline = TimePoint(std::chrono::steady_clock::now() + 5ms)});
    ASSERT_TRUE(submission);
    const Result<> missed = wait(*submission);
    ASSERT_FALSE(missed);
    EXPECT_EQ(missed.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    DoublingRequest second;
    second.in()[0] = 21.0F;
    burst.model->setOnRun([] { return Result<>(); });
    const Submission next = submit(second);
    leave.set_value();
    ASSERT_TRUE(wait(next));
    EXPECT_EQ(second.out()[0], 42.0F);
}

TEST_F(InFlightTest, aComputationThatIsGivenUpDoesNotAnswerForAnother) {
    DoublingRequest first;
    DoublingRequest second;
    const auto one = std::move(*burst.controller->createReusableExecution(first.request, {}));
    const auto two = std::move(*burst.controller->createReusableExecution(second.request, {}));
    ASSERT_TRUE(one->compute({}, outcome));
    ASSERT_TRUE(two->compute({}, outcome));
    std::promise<void> leave;
    burst.model->setOnRun([left = leave.get_future().share()] {
        left.wait();
        return Result<>();
    });
    const Result<> missed =
        one->compute(TimePoint(std::chrono::steady_clock::now() + 5ms), outcome);
    ASSERT_FALSE(missed);
    EXPECT_EQ(missed.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    burst.model->setOnRun([] {
        std::this_thread::sleep_for(50ms);
        return Result<>();
    });
    second.in()[0] = 21.0F;
    const Submission next = *two->submit({});
    leave.set_value();
    ASSERT_TRUE(wait(next));
    EXPECT_EQ(second.out()[0], 42.0F);
}

TEST(InFlight, resultsHaveRoomBesideLateOnesOfExecutionsThatWereGivenUp) {
    BurstPair burst{BurstOptions{.queueLines = 16,  // one long result and a half
                                 .deadlineGrace = 10ms}};
    std::promise<void> mayRun;
    burst.model->setOnRun([held = mayRun.get_future().share()]() -> Result<> {
        held.wait();
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                       std::string(kMaximumErrorMessageBytes, 'x'));
    });
    ExecutionOutcome outcome;
    const DoublingRequest first;
    const Result<> missed = burst.controller->execute(
        first.request, {.deadline = TimePoint(std::chrono::steady_clock::now())}, outcome);
    ASSERT_FALSE(missed);
    EXPECT_EQ(missed.error().status, ErrorStatus::DEVICE_UNAVAILABLE);

    const DoublingRequest second;
    const Result<Submission> submission = burst.controller->submit(
        second.request, {.deadline = TimePoint(std::chrono::steady_clock::now() + 2s)});
    ASSERT_TRUE(submission);
    mayRun.set_value();
    std::this_thread::sleep_for(100ms);  // the driver answers, and the client does not read
    // Either way there is an answer, and the control plane says that the driver is alive.
    const Result<> result = burst.controller->wait(*submission, outcome);
    EXPECT_TRUE(result || result.error().status == ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT)
        << result.error().message;

    // When the late answer has come there is room again.
    burst.model->setOnRun([] { return Result<>(); });
    const int fallbacks = burst.client->fallbacks;
    const DoublingRequest third;
    const Result<> executed = burst.controller->execute(third.request, {}, outcome);
    ASSERT_TRUE(executed) << executed.error().message;
    EXPECT_EQ(third.out()[0], 1.0F);
    EXPECT_EQ(burst.client->fallbacks, fallbacks);
}

TEST_F(InFlightTest, allFailWhenTheConnectionIsLost) {
    holdDriver();
    const DoublingRequest first;
    const DoublingRequest second;
    const Submission one = submit(first);
    const Submission two = submit(second);
    burst.controller->connectionLost();
    for (const Submission submission : {two, one}) {
        const Result<> result = wait(submission);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    }
    letRun();
}

TEST_F(InFlightTest, aReusableExecutionMayGoWhileItFlies) {
    holdDriver();
    DoublingRequest doubling;
    auto reusable = std::move(*burst.controller->createReusableExecution(doubling.request, {}));
    const Result<Submission> submission = reusable->submit({});
    ASSERT_TRUE(submission);
    reusable = nullptr;
    letRun();
    ASSERT_TRUE(wait(*submission));
    EXPECT_EQ(doubling.out()[0], 1.0F);
}

TEST(InFlight, isLimitedByWhatTheQueuesHoldAndLosesNothing) {
    BurstPair burst{BurstOptions{.queueLines = 16, .inFlight = 16}};
    std::vector<std::unique_ptr<DoublingRequest>> requests;
    std::vector<Submission> submissions;
    for (int i = 0; i < 16; ++i) {
        requests.push_back(std::make_unique<DoublingRequest>());
        requests.back()->in()[0] = static_cast<float>(i);
        submissions.push_back(*burst.controller->submit(requests.back()->request, {}));
    }
    ExecutionOutcome outcome;
    for (std::size_t i = 0; i < submissions.size(); ++i) {
        ASSERT_TRUE(burst.controller->wait(submissions[i], outcome));
        EXPECT_EQ(requests[i]->out()[0], 2.0F * static_cast<float>(i));
    }
    EXPECT_EQ(burst.client->fallbacks, 0);
}

TEST(InFlight, isAtLeastOneAndAtMostTheMaximum) {
    for (const std::uint32_t count : {0U, kMaximumInFlight + 1}) {
        const auto controller = Controller::create({.inFlight = count});
        ASSERT_FALSE(controller);
        EXPECT_EQ(controller.error().status, ErrorStatus::INVALID_ARGUMENT);
    }
    EXPECT_TRUE(Controller::create({.inFlight = kMaximumInFlight}));
}

}  // namespace
}  // namespace nnburst::burst
