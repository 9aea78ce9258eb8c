// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Sessions on a supervised device outlive the driver.

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "device/driver_process.h"
#include "nnburst/builtin_models.h"
#include "nnburst/session.h"
#include "nnburst/supervised_device.h"

namespace nnburst::test {
namespace {

SharedSupervisedDevice supervise() {
    auto device = superviseDriver({.start = [] { return spawnDriver({}, NNBURST_DRIVER_PATH); }});
    EXPECT_TRUE(device) << device.error().message;
    return *device;
}

void killDriver() {
    for (const pid_t pid : spawnedDrivers()) {
        ::kill(pid, SIGKILL);
    }
}

/// The next run that there is a driver for.
bool runsAgain(Session& session) {
    return eventually([&] {
        const Result<> result = session.run();
        EXPECT_TRUE(result || result.error().status == ErrorStatus::DEVICE_UNAVAILABLE)
            << result.error().message;
        return result.has_value();
    });
}

TEST(SessionOfASupervisedDevice, continuesInTheSameMemoryAfterTheEndOfTheDriver) {
    const SharedSupervisedDevice device = supervise();
    Session session = std::move(*Session::create(*device, makeAddModel()));
    const std::span<float> a = *session.input<float>(0);
    const std::span<const float> sum = *session.output<float>();
    std::ranges::fill(*session.input<float>(1), 10.0F);
    for (int round = 0; round < 3; ++round) {
        std::ranges::fill(a, static_cast<float>(round));
        ASSERT_TRUE(runsAgain(session));
        ASSERT_EQ(sum[3], static_cast<float>(round) + 10.0F);
        killDriver();
    }
}

TEST(SessionOfASupervisedDevice, endsARunThatWasSubmittedToALostDriver) {
    const SharedSupervisedDevice device = supervise();
    Session session = std::move(*Session::create(*device, makeAddModel()));
    for (int round = 0; round < 3; ++round) {
        ASSERT_TRUE(runsAgain(session));
        killDriver();
        if (session.submit()) {
            (void)session.wait();  // the driver may have answered before it ended
        }
        ASSERT_FALSE(session.isRunning());
    }
}

TEST(SessionOfASupervisedDevice, keepsItsStatesWhenTheDriverEnds) {
    const Model model = std::move(*makeStreamingLstm({.features = 8, .cells = 16}));
    ModelSignature signature = signatureOf(model);
    signature.states = {{.input = 1, .output = 1}, {.input = 2, .output = 2}};
    const SharedDevice local = *makeLocalDevice();
    Session expected = std::move(*Session::create(*prepareModel(*local, model), signature));
    const SharedSupervisedDevice device = supervise();
    Session session = std::move(*Session::create(*prepareModel(*device, model), signature));
    for (int step = 0; step < 12; ++step) {
        std::ranges::fill(*expected.input<float>(), 0.1F * static_cast<float>(step));
        std::ranges::fill(*session.input<float>(), 0.1F * static_cast<float>(step));
        ASSERT_TRUE(expected.run());
        if (step % 4 == 3) {
            killDriver();
        }
        ASSERT_TRUE(runsAgain(session));
        ASSERT_TRUE(std::ranges::equal(*session.output<float>(), *expected.output<float>()))
            << "step " << step;
    }
}

}  // namespace
}  // namespace nnburst::test
