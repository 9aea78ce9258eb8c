// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Event loops around bursts of each kind of device.

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include "device/devices.h"
#include "nnburst/supervised_device.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;

constexpr int kWatchdogMs = 20'000;

/// As an event loop does: sleeps in poll until the execution is done.
void sleepUntilDone(Burst& burst, Submission submission) {
    while (!burst.isDone(submission)) {
        const auto isThere = burst.armCompletion();
        ASSERT_TRUE(isThere) << isThere.error().message;
        if (!*isThere) {
            pollfd event{.fd = *burst.completionDescriptor(), .events = POLLIN, .revents = 0};
            ASSERT_EQ(::poll(&event, 1, kWatchdogMs), 1);
        }
    }
}

class EventLoopTest : public DeviceTest {};

TEST_P(EventLoopTest, sleepsUntilAnExecutionHasEnded) {
    const SharedPreparedModel prepared = prepare(makeAddModel());
    const auto burst = std::move(*prepared->configureExecutionBurst({}));
    AddRequest add;
    ExecutionOutcome outcome;
    for (int i = 0; i < 200; ++i) {
        add.a()[0] = static_cast<float>(i);
        const auto submission = burst->submit(add.request, {});
        ASSERT_TRUE(submission) << submission.error().message;
        ASSERT_NO_FATAL_FAILURE(sleepUntilDone(*burst, *submission));
        ASSERT_TRUE(burst->wait(*submission, outcome));
        ASSERT_EQ(add.out()[0], static_cast<float>(i) + 10.0F);
    }
}
NNBURST_INSTANTIATE_FOR_ALL_DEVICES(EventLoopTest);

TEST(EventLoop, isWokenWhenTheDriverIsKilledAndGoesOnWithTheNext) {
    ASSERT_TRUE(eventually([] { return spawnedDrivers().empty(); }));
    const auto device = *superviseDriver(
        {.start = [] { return spawnDriver({.logLevel = LogLevel::ERROR}, NNBURST_DRIVER_PATH); }});
    const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
    const auto burst = std::move(*prepared->configureExecutionBurst({.inFlight = 2}));
    AddRequest add;
    ExecutionOutcome outcome;
    for (int i = 0; i < 5; ++i) {
        const std::vector<pid_t> drivers = spawnedDrivers();
        ASSERT_EQ(drivers.size(), 1U);
        ASSERT_EQ(::kill(drivers[0], SIGSTOP), 0);
        ASSERT_TRUE(eventually([&] { return isStopped(drivers[0]); }));
        const auto submission = burst->submit(add.request, {});
        ASSERT_TRUE(submission) << submission.error().message;
        ASSERT_EQ(burst->armCompletion().value_or(true), false);
        ASSERT_EQ(::kill(drivers[0], SIGKILL), 0);
        ASSERT_NO_FATAL_FAILURE(sleepUntilDone(*burst, *submission));
        const Result<> lost = burst->wait(*submission, outcome);
        ASSERT_FALSE(lost);
        EXPECT_EQ(lost.error().status, ErrorStatus::DEVICE_UNAVAILABLE);

        const auto burstWorks = [&] {
            const auto next = burst->submit(add.request, {});
            if (!next) {
                return false;
            }
            sleepUntilDone(*burst, *next);
            return burst->wait(*next, outcome).has_value();
        };
        ASSERT_TRUE(eventually(burstWorks));
    }
}

TEST(EventLoop, doesNotSleepForAnExecutionOfALostDriver) {
    ASSERT_TRUE(eventually([] { return spawnedDrivers().empty(); }));
    const auto device = *superviseDriver(
        {.start = [] { return spawnDriver({.logLevel = LogLevel::ERROR}, NNBURST_DRIVER_PATH); }});
    const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
    const auto burst = std::move(*prepared->configureExecutionBurst({.inFlight = 2}));
    AddRequest add;
    ExecutionOutcome outcome;
    const auto submission = burst->submit(add.request, {});
    ASSERT_TRUE(submission);
    ::kill(spawnedDrivers().at(0), SIGKILL);
    ASSERT_TRUE(eventually([&] {
        return device->supervisionStats().recoveries == 1 &&
               device->state() == DriverState::SERVING;
    }));
    EXPECT_TRUE(burst->armCompletion().value_or(false)) << "it would sleep for ever";
    EXPECT_TRUE(burst->isDone(*submission));
    EXPECT_FALSE(burst->wait(*submission, outcome));
    EXPECT_FALSE(burst->armCompletion().value_or(true)) << "nothing is in flight any more";
}

TEST(EventLoop, isNotWokenByALostDriverWhoseBurstAReusableExecutionKeeps) {
    ASSERT_TRUE(eventually([] { return spawnedDrivers().empty(); }));
    const auto device = *superviseDriver(
        {.start = [] { return spawnDriver({.logLevel = LogLevel::ERROR}, NNBURST_DRIVER_PATH); }});
    const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
    const auto burst = std::move(*prepared->configureExecutionBurst({.inFlight = 2}));
    AddRequest add;
    AddRequest other;
    const auto used = std::move(*burst->createReusableExecution(add.request, {}));
    const auto unused = std::move(*burst->createReusableExecution(other.request, {}));
    ASSERT_TRUE(burst->completionDescriptor());
    ::kill(spawnedDrivers().at(0), SIGKILL);
    ASSERT_TRUE(eventually([&] {
        return device->supervisionStats().recoveries == 1 &&
               device->state() == DriverState::SERVING;
    }));
    ExecutionOutcome outcome;
    const Result<> computed = used->compute({}, outcome);
    ASSERT_TRUE(computed) << computed.error().message;
    EXPECT_FALSE(burst->armCompletion().value_or(true));
    pollfd event{.fd = *burst->completionDescriptor(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&event, 1, 100), 0) << "nothing has happened";
}

}  // namespace
}  // namespace nnburst::test
