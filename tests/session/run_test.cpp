// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Runs of sessions on every kind of device.

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <chrono>

#include "device/devices.h"
#include "device/hal_models.h"
#include "nnburst/session.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;

OptionalTimePoint in(std::chrono::nanoseconds time) {
    return TimePoint(std::chrono::steady_clock::now() + time);
}

class SessionTest : public DeviceTest {
  protected:
    void use(const Model& model, const SessionOptions& options = {}) {
        auto made = Session::create(*device, model, options);
        ASSERT_TRUE(made) << made.error().message;
        session.emplace(std::move(*made));
    }

    /// A session on makeAddModel whose inputs are `a` and `b`.
    void useAdd() {
        use(makeAddModel());
        a = *session->input<float>(0);
        b = *session->input<float>(1);
        sum = *session->output<float>(0);
        std::ranges::fill(b, 10.0F);
    }

    std::optional<Session> session;
    std::span<float> a;
    std::span<float> b;
    std::span<const float> sum;
};

TEST_P(SessionTest, runsAgainAndAgain) {
    useAdd();
    for (int frame = 0; frame < 100; ++frame) {
        std::ranges::fill(a, static_cast<float>(frame));
        const Result<> result = session->run();
        ASSERT_TRUE(result) << result.error().message;
        ASSERT_EQ(sum[3], static_cast<float>(frame) + 10.0F);
    }
}

TEST_P(SessionTest, runsOnAModelThatIsPrepared) {
    const SharedPreparedModel prepared = prepare(makeAddModel());
    ModelSignature signature = signatureOf(makeAddModel());
    signature.inputs[0].name = "left";
    Session first = std::move(*Session::create(prepared, signature));
    Session second = std::move(*Session::create(prepared, signature));
    std::ranges::fill(*first.input<float>("left"), 1.0F);
    std::ranges::fill(*second.input<float>("left"), 2.0F);
    ASSERT_TRUE(first.submit());
    ASSERT_TRUE(second.submit());
    ASSERT_TRUE(first.wait());
    ASSERT_TRUE(second.wait());
    EXPECT_EQ((*first.output<float>())[0], 1.0F);
    EXPECT_EQ((*second.output<float>())[0], 2.0F);
}

TEST_P(SessionTest, givesTheResultOfARunThatWasSubmittedWhenItIsWaitedFor) {
    useAdd();
    for (int frame = 0; frame < 10; ++frame) {
        std::ranges::fill(a, static_cast<float>(frame));
        const Result<> submitted = session->submit();
        ASSERT_TRUE(submitted) << submitted.error().message;
        EXPECT_TRUE(session->isRunning());
        const Result<> ended = session->wait();
        ASSERT_TRUE(ended) << ended.error().message;
        EXPECT_FALSE(session->isRunning());
        ASSERT_EQ(sum[0], static_cast<float>(frame) + 10.0F);
    }
}

TEST_P(SessionTest, refusesASecondRunBeforeTheFirstWasWaitedFor) {
    useAdd();
    ASSERT_TRUE(session->submit());
    for (const Result<>& refused : {session->submit(), session->run(), session->resetStates()}) {
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
        EXPECT_NE(refused.error().message.find("call wait first"), std::string::npos);
    }
    EXPECT_TRUE(session->wait());
    EXPECT_TRUE(session->run());
}

TEST_P(SessionTest, refusesToWaitForNoRun) {
    useAdd();
    const Result<> refused = session->wait();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::INVALID_ARGUMENT);
    ASSERT_TRUE(session->submit());
    EXPECT_TRUE(session->wait());
    EXPECT_FALSE(session->wait());
}

TEST_P(SessionTest, givesAnEventLoopTheEndOfARun) {
    useAdd();
    for (int frame = 0; frame < 10; ++frame) {
        std::ranges::fill(a, static_cast<float>(frame));
        EXPECT_FALSE(session->isDone());
        ASSERT_TRUE(session->submit());
        const Result<int> descriptor = session->completionDescriptor();
        ASSERT_TRUE(descriptor) << descriptor.error().message;
        while (!*session->armCompletion() && !session->isDone()) {
            pollfd readable{.fd = *descriptor, .events = POLLIN, .revents = 0};
            ASSERT_EQ(::poll(&readable, 1, 20'000), 1);
        }
        EXPECT_TRUE(session->isDone());
        ASSERT_TRUE(session->wait());
        ASSERT_EQ(sum[0], static_cast<float>(frame) + 10.0F);
    }
}

TEST_P(SessionTest, waitsNoLongerThanItIsTold) {
    useAdd();
    EXPECT_EQ(session->wait(1ms).error().status, ErrorStatus::INVALID_ARGUMENT);
    for (int frame = 0; frame < 10; ++frame) {
        ASSERT_TRUE(session->submit());
        while (true) {
            const Result<bool> ended = session->wait(0ns);
            ASSERT_TRUE(ended) << ended.error().message;
            ASSERT_EQ(session->isRunning(), !*ended);
            if (*ended) {
                break;
            }
        }
        ASSERT_TRUE(session->submit());
        const Result<bool> ended = session->wait(kWatchdog);
        ASSERT_TRUE(ended) << ended.error().message;
        EXPECT_TRUE(*ended);
    }
    ASSERT_TRUE(session->submit(in(-1ms)));
    EXPECT_TRUE(isMissedDeadline(session->wait(kWatchdog).error().status));
    EXPECT_FALSE(session->isRunning());
}

TEST_P(SessionTest, passesDeadlinesOn) {
    useAdd();
    EXPECT_TRUE(session->run(in(1h)));
    const Result<> late = session->run(in(-1ms));
    ASSERT_FALSE(late);
    EXPECT_TRUE(isMissedDeadline(late.error().status)) << late.error().message;
    EXPECT_FALSE(session->isMemoryInUse());
    ASSERT_TRUE(session->submit(in(-1ms)));
    EXPECT_TRUE(isMissedDeadline(session->wait().error().status));
    EXPECT_TRUE(session->run());
}

TEST_P(SessionTest, measuresIfItIsAskedTo) {
    use(makeAddModel());
    ASSERT_TRUE(session->run());
    EXPECT_EQ(session->timing(), Timing());
    use(makeAddModel(), {.measure = MeasureTiming::YES});
    ASSERT_TRUE(session->run());
    EXPECT_NE(session->timing().timeInDriver, kTimeNotAvailable);
}

/// RESHAPE of 6 floats: the output has no known rank.
class SessionOfOpenOutput : public SessionTest {
  protected:
    void use(const SessionOptions& options) {
        SessionTest::use(makeReshapeModel(), options);
        const std::span<float> values = *session->input<float>(0);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<float>(i);
        }
        const std::span<std::int32_t> shape = *session->input<std::int32_t>(1);
        shape[0] = 3;
        shape[1] = 2;
    }
    void expectOutput() const {
        EXPECT_EQ(session->outputs()[0].dimensions, (Dimensions{3, 2}));
        const auto output = session->output<float>();
        ASSERT_TRUE(output) << output.error().message;
        ASSERT_EQ(output->size(), 6U);
        EXPECT_EQ((*output)[5], 5.0F);
    }
};

TEST_P(SessionOfOpenOutput, hasWhatTheLastRunGave) {
    use({});
    const Result<> result = session->run();
    ASSERT_TRUE(result) << result.error().message;
    expectOutput();
}

TEST_P(SessionOfOpenOutput, growsAsFarAsARunNeeds) {
    use({.openOutputBytes = 4});
    const Result<> result = session->run();
    ASSERT_TRUE(result) << result.error().message;
    expectOutput();
    ASSERT_TRUE(session->run());
    expectOutput();
}

TEST_P(SessionOfOpenOutput, growsAsFarAsASubmittedRunNeeds) {
    use({.openOutputBytes = 4});
    ASSERT_TRUE(session->submit());
    const Result<> result = session->wait();
    ASSERT_TRUE(result) << result.error().message;
    expectOutput();
}

TEST_P(SessionOfOpenOutput, doesNotGrowBeyondTheMaximum) {
    use({.openOutputBytes = 4, .maximumOpenOutputBytes = 23});
    const Result<> result = session->run();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_EQ(result.error().message,
              "session output TENSOR_FLOAT32 \"output0\" of dimensions none takes 24 bytes in this "
              "run: must be at most 23 (SessionOptions::maximumOpenOutputBytes)");
}

TEST_P(SessionOfOpenOutput, hasRoomOfAtLeastOneByte) {
    const auto made = Session::create(*device, makeReshapeModel(), {.openOutputBytes = 0});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().status, ErrorStatus::INVALID_ARGUMENT);
}

NNBURST_INSTANTIATE_FOR_ALL_DEVICES(SessionTest);
NNBURST_INSTANTIATE_FOR_ALL_DEVICES(SessionOfOpenOutput);

// ---- A driver that does not answer

TEST(SessionOfAStoppedDriver, saysWhenItsMemoryIsInUse) {
    const DriverProcess driver;
    auto made =
        Session::create(*driver.connect(), makeAddModel(), {.burst = {.deadlineGrace = 50ms}});
    ASSERT_TRUE(made) << made.error().message;
    Session session = std::move(*made);
    std::ranges::fill(*session.input<float>(0), 1.0F);
    std::ranges::fill(*session.input<float>(1), 2.0F);
    ASSERT_TRUE(session.run());
    driver.signal(SIGSTOP);
    ASSERT_TRUE(eventually([&] { return isStopped(driver.pid()); }));

    const Result<> late = session.run(in(2ms));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().status, ErrorStatus::DEVICE_UNAVAILABLE) << late.error().message;
    EXPECT_TRUE(session.isMemoryInUse());
    EXPECT_EQ(session.run().error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_EQ(session.submit().error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_EQ(session.resetStates().error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_FALSE(session.waitForMemory(in(2ms)));

    driver.signal(SIGCONT);
    const Result<> free = session.waitForMemory(in(kWatchdog));
    ASSERT_TRUE(free) << free.error().message;
    EXPECT_FALSE(session.isMemoryInUse());
    ASSERT_TRUE(session.run());
    EXPECT_EQ((*session.output<float>())[3], 3.0F);
}

TEST(SessionOfAStoppedDriver, isWaitedForAsLongAsTheApplicationLikes) {
    const DriverProcess driver;
    auto made = Session::create(*driver.connect(), makeAddModel());
    ASSERT_TRUE(made) << made.error().message;
    Session session = std::move(*made);
    ASSERT_TRUE(session.run());
    driver.signal(SIGSTOP);
    ASSERT_TRUE(eventually([&] { return isStopped(driver.pid()); }));
    ASSERT_TRUE(session.submit(in(kWatchdog)));
    for (int i = 0; i < 3; ++i) {
        const Result<bool> ended = session.wait(2ms);
        ASSERT_TRUE(ended) << ended.error().message;
        EXPECT_FALSE(*ended);
    }
    EXPECT_FALSE(*session.wait(std::chrono::nanoseconds::min())) << "that time is over";
    driver.signal(SIGCONT);
    EXPECT_TRUE(*session.wait(kWatchdog));

    driver.signal(SIGSTOP);
    ASSERT_TRUE(eventually([&] { return isStopped(driver.pid()); }));
    ASSERT_TRUE(session.submit(in(kWatchdog)));
    EXPECT_FALSE(*session.wait(2ms));
    driver.signal(SIGKILL);
    EXPECT_EQ(session.wait(kWatchdog).error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_FALSE(session.isRunning());
}

TEST(SessionOfAStoppedDriver, endsAWaitWithALimitWhenTheTimeOfTheRunIsOver) {
    const DriverProcess driver;
    auto made =
        Session::create(*driver.connect(), makeAddModel(), {.burst = {.deadlineGrace = 50ms}});
    ASSERT_TRUE(made) << made.error().message;
    Session session = std::move(*made);
    ASSERT_TRUE(session.run());
    driver.signal(SIGSTOP);
    ASSERT_TRUE(eventually([&] { return isStopped(driver.pid()); }));
    ASSERT_TRUE(session.submit(in(2ms)));
    EXPECT_EQ(session.wait(kWatchdog).error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_TRUE(session.isMemoryInUse());
}

TEST(SessionOfAnEndedDriver, failsAtOnce) {
    auto driver = std::make_unique<DriverProcess>();
    auto made = Session::create(*driver->connect(), makeAddModel());
    ASSERT_TRUE(made) << made.error().message;
    ASSERT_TRUE(made->run());
    driver.reset();
    EXPECT_EQ(made->run().error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_FALSE(made->isMemoryInUse());
}

}  // namespace
}  // namespace nnburst::test
