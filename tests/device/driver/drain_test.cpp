// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// How a driver stops: it finishes what it has begun, and tells the service manager.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iterator>
#include <sstream>
#include <thread>

#include "device/driver_process.h"
#include "device/hal_models.h"
#include "nnburst/fence.h"
#include "support/unix_socket.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

/// Longer than any test.
const std::string kForever = "3600000";

/// An execution of an endless loop, which ends after its time limit with a status of its own.
class LoopingExecution {
  public:
    explicit LoopingExecution(const SharedDevice& device, bool inBurst) {
        auto prepared = prepareModel(*device, makeEndlessModel());
        EXPECT_TRUE(prepared) << prepared.error().message;
        prepared_ = *prepared;
        request_.input(std::vector<float>{1.0F}, {}).output(sizeof(float));
        if (inBurst) {
            auto burst = prepared_->configureExecutionBurst({});
            EXPECT_TRUE(burst) << burst.error().message;
            burst_ = std::move(*burst);
        }
    }

    /// Starts it and waits until the driver runs it.
    std::future<Result<>> start(std::chrono::nanoseconds loopTimeout, pid_t driver) {
        const auto before = processorTime(driver);
        auto ended = std::async(std::launch::async, [this, loopTimeout] {
            ExecutionOutcome outcome;
            const ExecutionOptions options{.loopTimeout = loopTimeout};
            return burst_ ? burst_->execute(request_.request, options, outcome)
                          : prepared_->executeSynchronously(request_.request, options, outcome);
        });
        EXPECT_TRUE(eventually([&] { return processorTime(driver) > before + 5; }));
        return ended;
    }

  private:
    /// In ticks of the kernel's clock.
    static long processorTime(pid_t pid) {
        std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
        std::string stat((std::istreambuf_iterator<char>(file)), {});
        std::istringstream fields(stat.substr(stat.rfind(')') + 2));
        std::string skipped;
        for (int i = 3; i < 14; ++i) {
            fields >> skipped;
        }
        long user = 0;
        long system = 0;
        fields >> user >> system;
        return user + system;
    }

    SharedPreparedModel prepared_;
    std::unique_ptr<Burst> burst_;
    SmallRequest request_;
};

class DrainTest : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Ways, DrainTest, testing::Bool(), [](const auto& parameter) {
    return std::string(parameter.param ? "burst" : "rpc");
});

TEST_P(DrainTest, aRunningExecutionIsFinishedAndNothingElseIsAccepted) {
    DriverProcess driver({"--drain-timeout", kForever});
    const SharedDevice device = driver.connect();
    LoopingExecution looping(device, GetParam());
    auto ended = looping.start(1s, driver.pid());
    driver.signal(SIGTERM);
    ASSERT_TRUE(eventually([&] { return !nnburst::connect(driver.socketPath()); }));
    if (ended.wait_for(0s) != std::future_status::ready) {  // else the machine is slow
        const auto refused = prepareModel(*device, makeAddModel());
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
        EXPECT_THAT(refused.error().message, HasSubstr("the driver is stopping"));
    }
    const Result<> result = ended.get();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::MISSED_DEADLINE_PERSISTENT)
        << "it ended by its own time limit: " << result.error().message;
    EXPECT_EQ(driver.waitForEnd(), 0);
}

TEST_P(DrainTest, theTimeoutBoundsIt) {
    DriverProcess driver({"--drain-timeout", "50"}, DriverProcess::Calibration::NONE,
                         DriverProcess::Log::FILE);
    LoopingExecution looping(driver.connect(), GetParam());
    auto ended = looping.start(1h, driver.pid());
    driver.signal(SIGTERM);
    EXPECT_EQ(driver.waitForEnd(), 0);
    EXPECT_EQ(ended.get().error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_THAT(driver.log(), HasSubstr("left unfinished: the time of --drain-timeout is over"));
    EXPECT_FALSE(std::filesystem::exists(driver.socketPath()));
}

TEST_P(DrainTest, aSecondSignalEndsTheDriverAtOnce) {
    DriverProcess driver({"--drain-timeout", kForever}, DriverProcess::Calibration::NONE,
                         DriverProcess::Log::FILE);
    LoopingExecution looping(driver.connect(), GetParam());
    auto ended = looping.start(1h, driver.pid());
    driver.signal(SIGTERM);
    ASSERT_TRUE(eventually([&] { return driver.log().find("stopping:") != std::string::npos; }));
    driver.signal(SIGINT);
    EXPECT_EQ(driver.waitForEnd(), 0);
    EXPECT_EQ(ended.get().error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_THAT(driver.log(), HasSubstr("left unfinished: a second signal came"));
}

TEST(FencedDrainTest, anExecutionThatWaitsForItsFenceIsFinished) {
    DriverProcess driver({"--drain-timeout", kForever}, DriverProcess::Calibration::NONE,
                         DriverProcess::Log::FILE);
    const SharedDevice device = driver.connect();
    const auto prepared = prepareModel(*device, makeAddModel());
    ASSERT_TRUE(prepared) << prepared.error().message;
    const UniqueFd fence = std::move(*makeFence());
    AddRequest add;
    const std::array<int, 1> waitFor{fence.get()};
    const auto fenced = (*prepared)->executeFenced(add.request, waitFor, {}, {});
    ASSERT_TRUE(fenced) << fenced.error().message;
    driver.signal(SIGTERM);
    ASSERT_TRUE(eventually([&] { return driver.log().find("stopping:") != std::string::npos; }));
    std::this_thread::sleep_for(50ms);  // a driver that does not wait has ended by now
    signalFence(fence.get());
    const Result<> ended = waitForFence(fenced->fence.get());
    EXPECT_TRUE(ended) << ended.error().message;
    EXPECT_EQ(add.out()[0], add.a()[0] + add.b()[0]);
    EXPECT_EQ(driver.waitForEnd(), 0);
}

TEST(FencedDrainTest, anExecutionThatHasEndedIsNotWaitedForWhileNoDescriptorIsFree) {
    DriverProcess driver({"--drain-timeout", "30000"}, DriverProcess::Calibration::NONE,
                         DriverProcess::Log::FILE);
    const auto prepared = prepareModel(*driver.connect(), makeAddModel());
    ASSERT_TRUE(prepared) << prepared.error().message;
    const AddRequest add;
    const auto fenced = (*prepared)->executeFenced(add.request, {}, {}, {});
    ASSERT_TRUE(fenced) << fenced.error().message;
    ASSERT_TRUE(waitForFence(fenced->fence.get()));
    const rlimit none{.rlim_cur = 1, .rlim_max = 1};
    ASSERT_EQ(::prlimit(driver.pid(), RLIMIT_NOFILE, &none, nullptr), 0);
    driver.signal(SIGTERM);
    EXPECT_EQ(driver.waitForEnd(), 0);
    EXPECT_THAT(driver.log(), Not(HasSubstr("left unfinished")));
}

/// The socket of a service manager. Programs that start while it exists are told to notify it.
class NotifySocket {
  public:
    explicit NotifySocket(const char* watchdogMicroseconds) {
        ::setenv("NOTIFY_SOCKET", path_.c_str(), 1);
        ::setenv("WATCHDOG_USEC", watchdogMicroseconds, 1);
    }
    ~NotifySocket() {
        ::unsetenv("NOTIFY_SOCKET");
        ::unsetenv("WATCHDOG_USEC");
    }
    NotifySocket(const NotifySocket&) = delete;
    NotifySocket& operator=(const NotifySocket&) = delete;

    /// Receives messages until one has `wanted`.
    [[nodiscard]] bool awaitMessage(const std::string& wanted) const {
        return eventually([&] {
            if (!hasMessage(100ms)) {
                return false;
            }
            std::array<char, 1024> buffer{};
            const ssize_t count = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
            return std::string(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)))
                       .find(wanted) != std::string::npos;
        });
    }
    [[nodiscard]] bool hasMessage(std::chrono::milliseconds within) const {
        pollfd event{.fd = socket_.get(), .events = POLLIN, .revents = 0};
        return ::poll(&event, 1, static_cast<int>(within.count())) > 0;
    }
    /// Receives all messages that are there.
    [[nodiscard]] std::string takeAll() const {
        std::string all;
        while (hasMessage(0ms)) {
            std::array<char, 1024> buffer{};
            const ssize_t count = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
            all.append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        }
        return all;
    }
    /// Sends messages until there is no room for another.
    void fill() const {
        const sockaddr_un address = unixAddress(path_);
        const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
        int sent = 0;
        do {  // a sender may have less room than the receiver
            const UniqueFd sender(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
            sent = 0;
            while (::sendto(sender.get(), "x", 1, MSG_DONTWAIT, generic, sizeof(address)) == 1) {
                ++sent;
            }
        } while (sent > 0);
    }

  private:
    const TemporaryDirectory directory_;
    const std::string path_ = directory_.path() / "notify";
    const UniqueFd socket_ = boundUnixSocket(path_, SOCK_DGRAM);
};

TEST(ServiceManagerTest, isToldWhenTheDriverServesLivesAndStops) {
    const NotifySocket manager("30000");
    DriverProcess driver;
    EXPECT_TRUE(manager.awaitMessage("READY=1"));
    EXPECT_TRUE(manager.awaitMessage("WATCHDOG=1"));
    const SharedDevice device = driver.connect();
    EXPECT_TRUE(manager.awaitMessage("STATUS=Serving 1 clients"));
    driver.signal(SIGTERM);
    EXPECT_TRUE(manager.awaitMessage("STOPPING=1"));
    EXPECT_EQ(driver.waitForEnd(), 0);
}

TEST(ServiceManagerTest, isToldLaterThatTheDriverServesIfItHasNoRoomForThat) {
    const NotifySocket manager("300000");
    manager.fill();
    const DriverProcess driver;  // it serves, and has tried
    EXPECT_TRUE(manager.awaitMessage("READY=1"));
}

TEST(ServiceManagerTest, isNotToldThatADriverServesAfterItWasToldThatItStops) {
    const NotifySocket manager("3000000");  // a report each second
    manager.fill();
    DriverProcess driver;  // it serves, and could not say so
    LoopingExecution execution(driver.connect(), false);
    const auto ended = execution.start(1500ms, driver.pid());
    (void)manager.takeAll();
    driver.signal(SIGTERM);
    EXPECT_TRUE(manager.awaitMessage("STOPPING=1"));
    EXPECT_EQ(driver.waitForEnd(), 0);
    EXPECT_THAT(manager.takeAll(), Not(HasSubstr("READY=1")));
}

TEST(ServiceManagerTest, isNotToldOfADriverThatAnApplicationStarts) {
    const NotifySocket manager("30000");
    const auto device = spawnDriver({}, NNBURST_DRIVER_PATH);
    ASSERT_TRUE(device) << device.error().message;
    EXPECT_FALSE(manager.hasMessage(300ms));
}

TEST(ServiceManagerTest, needNotBeThereForADriverThatAnApplicationStarts) {
    ::setenv("NOTIFY_SOCKET", "/nowhere", 1);
    const auto device = spawnDriver({}, NNBURST_DRIVER_PATH);
    ::unsetenv("NOTIFY_SOCKET");
    EXPECT_TRUE(device) << device.error().message;
}

}  // namespace
}  // namespace nnburst::test
