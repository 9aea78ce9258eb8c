// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Controller and server together.

#include <gtest/gtest.h>
#include <sched.h>

#include <future>
#include <optional>
#include <thread>

#include "burst/channel.h"
#include "burst/request_frame.h"
#include "burst/result_frame.h"
#include "fakes.h"

namespace nnburst::burst {
namespace {

using namespace std::chrono_literals;

TEST(Burst, executesInPlaceAndReportsShapes) {
    BurstPair burst;
    DoublingRequest doubling(4);
    ExecutionOutcome outcome;
    const TimePoint watchdog = std::chrono::steady_clock::now() + 20s;
    const Result<> result =
        burst.controller->execute(doubling.request, {.deadline = watchdog}, outcome);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(doubling.out()[3], 7.0F);
    ASSERT_EQ(outcome.outputShapes.size(), 1U);
    EXPECT_EQ(outcome.outputShapes[0], (OutputShape{.dimensions = {4}, .isSufficient = true}));
    EXPECT_EQ(outcome.timing, Timing{});
    EXPECT_EQ(burst.client->fallbacks, 0);
}

TEST(Burst, executesTenThousandTimesAndFetchesTheMemoryOnce) {
    BurstPair burst;
    DoublingRequest doubling(8);
    ExecutionOutcome outcome;
    for (int i = 0; i < 10'000; ++i) {
        doubling.in()[5] = static_cast<float>(i);
        ASSERT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
        ASSERT_EQ(doubling.out()[5], 2.0F * static_cast<float>(i));
    }
    EXPECT_EQ(burst.driver->fetched, 1);
    EXPECT_EQ(burst.client->fallbacks, 0);
}

TEST(Burst, worksAlikeWhenBothSidesSleepAtOnce) {
    BurstOptions options;
    options.clientWait.spinWindow = 0ns;
    options.driverWait.spinWindow = 0ns;
    BurstPair burst(options);
    DoublingRequest doubling;
    ExecutionOutcome outcome;
    for (int i = 0; i < 1000; ++i) {
        doubling.in()[0] = static_cast<float>(i);
        ASSERT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
        ASSERT_EQ(doubling.out()[0], 2.0F * static_cast<float>(i));
    }
}

TEST(Burst, carriesMeasureDeadlineAndLoopTimeout) {
    BurstPair burst;
    DoublingRequest doubling;
    ExecutionOutcome outcome;
    const TimePoint deadline = std::chrono::steady_clock::now() + 1h;
    ASSERT_TRUE(burst.controller->execute(
        doubling.request, {.measure = MeasureTiming::YES, .deadline = deadline, .loopTimeout = 5ms},
        outcome));
    EXPECT_EQ(burst.model->lastOptions().deadline, deadline);
    EXPECT_EQ(burst.model->lastOptions().loopTimeout, 5ms);
    EXPECT_NE(outcome.timing.timeOnDevice, kTimeNotAvailable);
    EXPECT_NE(outcome.timing.timeInDriver, kTimeNotAvailable);
    ASSERT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
    EXPECT_EQ(burst.model->lastOptions().deadline, std::nullopt);
    EXPECT_EQ(burst.model->lastOptions().loopTimeout, std::nullopt);
    EXPECT_EQ(outcome.timing, Timing{});
}

TEST(Burst, reportsShapesOfAnOutputThatIsTooSmall) {
    BurstPair burst;
    DoublingRequest doubling(4, 15);
    ExecutionOutcome outcome;
    const Result<> result = burst.controller->execute(doubling.request, {}, outcome);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
    ASSERT_EQ(outcome.outputShapes.size(), 1U);
    EXPECT_EQ(outcome.outputShapes[0], (OutputShape{.dimensions = {4}, .isSufficient = false}));
}

TEST(Burst, tellsTheDriversStatusAndMessage) {
    BurstPair burst;
    DoublingRequest doubling;
    ExecutionOutcome outcome;
    burst.model->setOnRun([] {
        return Result<>(failure(ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT, std::string(600, 'x')));
    });
    Result<> result = burst.controller->execute(doubling.request, {}, outcome);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT);
    EXPECT_EQ(result.error().message, std::string(kMaximumErrorMessageBytes, 'x'));
    EXPECT_TRUE(outcome.outputShapes.empty());
    doubling.request.inputs[0].location.offset = 8000;
    doubling.request.inputs[0].location.length = 4000;
    result = burst.controller->execute(doubling.request, {}, outcome);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_EQ(result.error().message, "argument outside its pool");
}

TEST(Burst, refusesASecondThreadMeanwhile) {
    BurstPair burst;
    DoublingRequest doubling;
    std::promise<void> entered;
    std::promise<void> leave;
    burst.model->setOnRun([&] {
        entered.set_value();
        leave.get_future().wait();
        return Result<>();
    });
    std::thread first([&] {
        ExecutionOutcome outcome;
        EXPECT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
    });
    entered.get_future().wait();
    DoublingRequest other;
    ExecutionOutcome outcome;
    const Result<> second = burst.controller->execute(other.request, {}, outcome);
    leave.set_value();
    first.join();
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().status, ErrorStatus::GENERAL_FAILURE);
}

TEST(Burst, goesOverTheControlPlaneWhenAFrameDoesNotFit) {
    BurstOptions options;
    options.queueLines = 16;
    BurstPair burst(options);
    DoublingRequest doubling;
    doubling.request.inputs.resize(60, doubling.request.inputs[0]);
    ExecutionOutcome outcome;
    ASSERT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
    EXPECT_EQ(burst.client->fallbacks, 1);
    EXPECT_EQ(outcome.outputShapes[0].dimensions, Dimensions{77});
    EXPECT_EQ(burst.model->runs, 0);
}

TEST(Burst, goesOverTheControlPlaneWhenTheResultMightNotFit) {
    BurstOptions options;
    options.queueLines = 16;
    BurstPair burst(options);
    DoublingRequest doubling;
    doubling.request.outputs.resize(12, doubling.request.outputs[0]);
    ExecutionOutcome outcome;
    ASSERT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
    EXPECT_EQ(burst.client->fallbacks, 1);
}

TEST(Burst, goesOverTheControlPlaneWhenTheQueueIsFull) {
    // There is no driver that reads the queue.
    auto controller = *Controller::create(BurstOptions{.queueLines = 16, .deadlineGrace = 10ms});
    auto client = std::make_shared<FakeClientControlPlane>();
    controller->attach(client, {});
    ExecutionOutcome outcome;
    for (int i = 0; i < 9 && client->fallbacks == 0; ++i) {
        const DoublingRequest doubling;
        const Result<> result = controller->execute(
            doubling.request, {.deadline = TimePoint(std::chrono::steady_clock::now())}, outcome);
        ASSERT_TRUE(client->fallbacks == 1 ||
                    result.error().status == ErrorStatus::DEVICE_UNAVAILABLE);
    }
    EXPECT_EQ(client->fallbacks, 1);
}

TEST(Burst, givesUpAfterTheGraceOnADriverThatHangsAndIgnoresItsLateAnswer) {
    BurstPair burst(BurstOptions{.deadlineGrace = 10ms});
    DoublingRequest first;
    DoublingRequest second;
    second.in()[0] = 21.0F;
    std::promise<void> leave;
    auto left = leave.get_future().share();
    burst.model->setOnRun([left] {
        left.wait();
        return Result<>(failure(ErrorStatus::GENERAL_FAILURE, "late"));
    });
    ExecutionOutcome outcome;
    const Result<> missed = burst.controller->execute(
        first.request, {.deadline = TimePoint(std::chrono::steady_clock::now() + 5ms)}, outcome);
    ASSERT_FALSE(missed);
    EXPECT_EQ(missed.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_TRUE(outcome.outputShapes.empty());
    std::thread releaser([&] {
        std::this_thread::sleep_for(20ms);
        leave.set_value();
    });
    burst.model->setOnRun([] { return Result<>(); });
    const Result<> next = burst.controller->execute(second.request, {}, outcome);
    releaser.join();
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_EQ(second.out()[0], 42.0F);
}

TEST(Burst, waitsForALongExecutionWhoseDeadlineIsTheLastThereIs) {
    BurstPair burst{BurstOptions{.deadlineGrace = 1ms}};
    burst.model->setOnRun([] {
        std::this_thread::sleep_for(50ms);
        return Result<>();
    });
    const DoublingRequest doubling;
    ExecutionOutcome outcome;
    const Result<> result =
        burst.controller->execute(doubling.request, {.deadline = TimePoint::max()}, outcome);
    EXPECT_TRUE(result) << result.error().message;
}

TEST(Burst, failsAWaitingExecutionAndAllLaterOnesWhenTheConnectionIsLost) {
    BurstOptions options;
    auto controller = *Controller::create(options);
    auto client = std::make_shared<FakeClientControlPlane>();
    controller->attach(client, {});
    DoublingRequest doubling;
    std::thread killer([&] {
        std::this_thread::sleep_for(30ms);
        controller->connectionLost();
    });
    ExecutionOutcome outcome;
    const TimePoint watchdog = std::chrono::steady_clock::now() + 20s;
    const Result<> waiting = controller->execute(doubling.request, {.deadline = watchdog}, outcome);
    killer.join();
    ASSERT_FALSE(waiting);
    EXPECT_EQ(waiting.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_LT(std::chrono::steady_clock::now(), watchdog);
    const Result<> later = controller->execute(doubling.request, {}, outcome);
    ASSERT_FALSE(later);
    EXPECT_EQ(later.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_EQ(client->fallbacks, 0);
}

TEST(Burst, asksForASignOfLifeAndFailsWithoutOne) {
    auto controller = *Controller::create({});
    auto client = std::make_shared<FakeClientControlPlane>();
    client->isAlive = false;
    controller->attach(client, {});
    DoublingRequest doubling;
    ExecutionOutcome outcome;
    const Result<> result = controller->execute(doubling.request, {}, outcome);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_EQ(client->lifeSigns, 1);
}

TEST(Burst, wakesTheSleepingClientWhenTheConnectionIsLost) {
    auto controller = *Controller::create({});
    const Channel channel = std::move(*Channel::open(controller->channel()));
    fmq::EventFlag flag = channel.resultEvent();
    const fmq::EventFlag::Announcement announcement = flag.announceSleeper();
    controller->connectionLost();
    EXPECT_TRUE(flag.sleep(announcement, std::chrono::steady_clock::now() + 20s));
}

/// The driver may run in the client's place at once, and then does not spin there.
TEST(Burst, saysOnWhichProcessorTheClientIsBeforeItWakesTheDriver) {
    auto controller = *Controller::create({});
    controller->attach(std::make_shared<FakeClientControlPlane>(), {});
    const Channel channel = std::move(*Channel::open(controller->channel()));
    (void)channel.requestEvent().announceSleeper();
    const DoublingRequest doubling;
    ExecutionOutcome outcome;
    std::optional<Submission> submitted;
    std::thread([&] {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(::sched_getcpu(), &one);
        ::sched_setaffinity(0, sizeof(one), &one);
        submitted = *controller->submit(doubling.request, {});
        EXPECT_TRUE(channel.resultEvent().isOnThisProcessor());
    }).join();
    controller->connectionLost();
    EXPECT_FALSE(controller->wait(*submitted, outcome));
}

TEST(Burst, asksForNoSignOfLifeThatMightComeAfterTheDeadline) {
    BurstPair burst{BurstOptions{.deadlineGrace = 10ms}};
    burst.model->setOnRun([] {
        std::this_thread::sleep_for(1200ms);  // longer than the interval of questions
        return Result<>();
    });
    const DoublingRequest doubling;
    ExecutionOutcome outcome;
    const TimePoint deadline = std::chrono::steady_clock::now() + kHangTimeout;
    (void)burst.controller->execute(doubling.request, {.deadline = deadline}, outcome);
    EXPECT_EQ(burst.client->lifeSigns, 0);
}

TEST(Burst, tellsNoDeadlineToADriverThatKnowsNone) {
    auto controller = *Controller::create({}, HalVersion::V1_2);
    auto client = std::make_shared<FakeClientControlPlane>();
    controller->attach(client, {});
    const Channel channel = std::move(*Channel::open(controller->channel()));
    auto requests = *FrameQueue::Reader::attach(channel.memory(), channel.requests());
    DoublingRequest doubling;
    ExecutionOutcome outcome;
    const TimePoint deadline = std::chrono::steady_clock::now() + 20s;
    const Result<Submission> submitted =
        controller->submit(doubling.request, {.deadline = deadline});
    ASSERT_TRUE(submitted);
    std::vector<FrameLine> frame(requests.availableToRead());
    ASSERT_TRUE(requests.tryRead(frame));
    DecodedRequest decoded;
    ASSERT_TRUE(decodeRequest(frame, decoded));
    EXPECT_EQ(decoded.options.deadline, std::nullopt);
    controller->connectionLost();
    EXPECT_FALSE(controller->wait(*submitted, outcome));
}

TEST(Burst, waitsOverTheControlPlaneAtLeastForTheGrace) {
    BurstPair burst{BurstOptions{.deadlineGrace = 20s}};
    DoublingRequest doubling;
    doubling.request.inputs.resize(600, doubling.request.inputs[0]);  // no queue holds its frame
    ExecutionOutcome outcome;
    const TimePoint longAgo = std::chrono::steady_clock::now() - 1h;
    (void)burst.controller->execute(doubling.request, {.deadline = longAgo}, outcome);
    EXPECT_EQ(burst.client->fallbacks, 1);
    ASSERT_TRUE(burst.client->lastGiveUpAt);
    EXPECT_GT(*burst.client->lastGiveUpAt, std::chrono::steady_clock::now());
}

TEST(Burst, waitsLongerForADriverThatGivesSignsOfLife) {
    BurstPair burst;
    DoublingRequest doubling;
    burst.model->setOnRun([&] {
        while (burst.client->lifeSigns < 1) {
            std::this_thread::sleep_for(1ms);
        }
        return Result<>();
    });
    ExecutionOutcome outcome;
    EXPECT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
}

TEST(Burst, forgetsMemoryThatIsFreedAndFetchesItAnewWhenItIsUsedAgain) {
    BurstPair burst;
    DoublingRequest doubling;
    ExecutionOutcome outcome;
    ASSERT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
    burst.controller->freeMemory(doubling.pool.region());
    EXPECT_EQ(burst.client->freed.size(), 1U);
    ASSERT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
    EXPECT_EQ(burst.driver->fetched, 2);
    EXPECT_EQ(doubling.out()[0], 1.0F);
}

TEST(Burst, givesASlotOfVanishedMemoryToNewMemoryAndUsesTheNew) {
    BurstPair burst;
    ExecutionOutcome outcome;
    for (int i = 0; i < 50; ++i) {
        DoublingRequest doubling;
        doubling.in()[0] = static_cast<float>(i);
        ASSERT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
        ASSERT_EQ(doubling.out()[0], 2.0F * static_cast<float>(i));
    }
    ASSERT_EQ(burst.client->freed.size(), 49U);
    EXPECT_LE(*std::max_element(burst.client->freed.begin(), burst.client->freed.end()), 1);
}

TEST(Burst, refusesANullPool) {
    BurstPair burst;
    DoublingRequest doubling;
    doubling.request.pools = {SharedRegion()};
    ExecutionOutcome outcome;
    for (int i = 0; i < 3; ++i) {  // each time: nothing of it stays in flight
        const Result<> result = burst.controller->execute(doubling.request, {}, outcome);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
    }
}

TEST(Burst, tellsTheDriverOfRequestsThatItRefusesItself) {
    BurstPair burst;
    DoublingRequest doubling;
    ExecutionOutcome outcome;
    const ExecutionOptions wrong{.measure = static_cast<MeasureTiming>(2)};
    EXPECT_FALSE(burst.controller->execute(doubling.request, wrong, outcome));
    EXPECT_EQ(burst.client->refusals, 1);
    EXPECT_FALSE(burst.controller->submit(doubling.request, wrong));
    EXPECT_EQ(burst.client->refusals, 2);
    doubling.request.pools = {SharedRegion()};
    EXPECT_FALSE(burst.controller->execute(doubling.request, {}, outcome));
    EXPECT_EQ(burst.client->refusals, 3);
    EXPECT_FALSE(burst.controller->submit(doubling.request, {}));
    EXPECT_EQ(burst.client->refusals, 4);
}

TEST(Burst, sendsMoreDimensionsThanAFrameMayHaveOverTheControlPlane) {
    BurstPair burst;
    DoublingRequest doubling;
    doubling.request.outputs[0].dimensions = Dimensions(9, 1);
    ExecutionOutcome outcome;
    EXPECT_TRUE(burst.controller->execute(doubling.request, {}, outcome));
    EXPECT_EQ(burst.client->fallbacks, 1);
    EXPECT_EQ(burst.model->runs, 0);
}

TEST(Burst, refusesBuffersThatDoNotExist) {
    BurstPair burst;
    DoublingRequest doubling;
    doubling.request.pools.emplace_back(BufferToken{5});
    ExecutionOutcome outcome;
    const Result<> result = burst.controller->execute(doubling.request, {}, outcome);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_NE(result.error().message.find("buffer 5"), std::string::npos) << result.error().message;
}

TEST(Burst, refusesQueuesThatAreNoPowerOfTwoOrTooLargeOrTooSmall) {
    for (const std::uint32_t lines : {0U, 8U, 24U, 8192U}) {
        BurstOptions options;
        options.queueLines = lines;
        const auto controller = Controller::create(options);
        ASSERT_FALSE(controller) << lines;
        EXPECT_EQ(controller.error().status, ErrorStatus::INVALID_ARGUMENT);
    }
}

}  // namespace
}  // namespace nnburst::burst
