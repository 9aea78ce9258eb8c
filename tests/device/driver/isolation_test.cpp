// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Drivers with --isolate: each client, or each user, is served by a worker process of its own.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "device/driver_process.h"
#include "device/hal_models.h"
#include "device/rpc/unix_socket.h"
#include "metrics_text.h"
#include "report.h"
#include "support/lingering_socket.h"
#include "support/unix_socket.h"

namespace nnburst::test {
namespace {

using testing::HasSubstr;

/// The processes that threads of `parent` have started and that live.
std::vector<pid_t> childrenOf(pid_t parent) {
    std::vector<pid_t> children;
    for (const auto& thread :
         std::filesystem::directory_iterator(fmt::format("/proc/{}/task", parent))) {
        std::ifstream list(thread.path() / "children");
        children.insert(children.end(), std::istream_iterator<pid_t>(list), {});
    }
    return children;
}

bool isAlive(pid_t process) {
    std::ifstream stat(fmt::format("/proc/{}/stat", process));
    std::string text;
    std::getline(stat, text);
    return !text.empty() && text.find(") Z ") == std::string::npos;
}

bool isServed(Device& device) {
    const auto prepared = prepareModel(device, makeAddModel());
    if (!prepared) {
        return false;
    }
    const auto burst = (*prepared)->configureExecutionBurst({});
    AddRequest add;
    ExecutionOutcome outcome;
    return burst && (*burst)->execute(add.request, {}, outcome) &&
           (*prepared)->executeSynchronously(add.request, {}, outcome);
}

/// A driver that isolates, with its metrics.
class IsolationTest : public testing::Test {
  protected:
    /// Waits until no worker is left of the connections by which the driver was found.
    void start(const std::string& isolation, const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments{"--isolate", isolation, "--metrics-socket",
                                           metricsPath()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        driver = std::make_unique<DriverProcess>(arguments, DriverProcess::Calibration::NONE,
                                                 DriverProcess::Log::FILE);
        ASSERT_TRUE(eventually([&] { return workers().empty(); })) << driver->log();
    }

    [[nodiscard]] std::vector<pid_t> workers() const { return childrenOf(driver->pid()); }

    /// The worker that was started for the client that `connect` makes.
    template <class Connect>
    pid_t newWorker(const Connect& connect) {
        const std::vector<pid_t> before = workers();
        connect();
        for (const pid_t worker : workers()) {
            if (std::ranges::count(before, worker) == 0) {
                return worker;
            }
        }
        throw std::runtime_error("no worker was started");  // signals go to what is returned
    }

    [[nodiscard]] bool logHas(const std::string& text) const {
        return eventually([&] { return driver->log().find(text) != std::string::npos; });
    }

    [[nodiscard]] std::string metricsPath() const { return directory_.path() / "metrics.sock"; }
    [[nodiscard]] std::string metrics() const {
        const auto text = top::fetch(metricsPath());
        return text ? *text : "";
    }
    [[nodiscard]] bool metricsHave(const std::string& line) const {
        return eventually([&] { return metrics().find("\n" + line + "\n") != std::string::npos; });
    }

    std::unique_ptr<DriverProcess> driver;

  private:
    TemporaryDirectory directory_;
};

TEST_F(IsolationTest, eachClientHasAWorkerThatEndsWithIt) {
    start("client");
    SharedDevice first = driver->connect();
    const SharedDevice second = driver->connect();
    EXPECT_EQ(workers().size(), 2U);
    EXPECT_TRUE(isServed(*first));
    EXPECT_TRUE(isServed(*second));
    EXPECT_TRUE(metricsHave("nnburst_workers 2"));
    EXPECT_TRUE(metricsHave("nnburst_clients 2"));
    EXPECT_EQ(top::toTable(top::makeFigures(top::parse(metrics()), {}, nullptr)),
              "2 clients of 1 users, served by 2 worker processes\n");
    first = nullptr;
    EXPECT_TRUE(eventually([&] { return workers().size() == 1; }));
    EXPECT_TRUE(metricsHave("nnburst_clients 1"));
    EXPECT_TRUE(isServed(*second));
    EXPECT_TRUE(metricsHave("nnburst_workers_failed_total 0"));
}

TEST_F(IsolationTest, onlyTheBrokerHasAHighPriority) {
    start("client");
    const int ofBroker = ::getpriority(PRIO_PROCESS, static_cast<id_t>(driver->pid()));
    SharedDevice device;
    const pid_t worker = newWorker([&] { device = driver->connect(); });
    EXPECT_TRUE(isServed(*device));
    const std::filesystem::path threads = fmt::format("/proc/{}/task", worker);
    for (const auto& thread : std::filesystem::directory_iterator(threads)) {
        const id_t id = static_cast<id_t>(std::stoul(thread.path().filename()));
        EXPECT_EQ(::getpriority(PRIO_PROCESS, id), ::getpriority(PRIO_PROCESS, 0))
            << "of the worker";
    }
    if (ofBroker == ::getpriority(PRIO_PROCESS, 0)) {
        GTEST_SKIP() << "this user may not lower nice values, or has another than 0";
    }
    EXPECT_EQ(ofBroker, -10);
}

TEST_F(IsolationTest, clientsOfOneUserShareAWorker) {
    start("user");
    SharedDevice first = driver->connect();
    SharedDevice second = driver->connect();
    EXPECT_EQ(workers().size(), 1U);
    EXPECT_TRUE(isServed(*first));
    EXPECT_TRUE(isServed(*second));
    EXPECT_TRUE(metricsHave("nnburst_workers 1"));
    EXPECT_TRUE(metricsHave("nnburst_clients 2"));
    first = nullptr;
    EXPECT_TRUE(metricsHave("nnburst_clients 1"));
    EXPECT_EQ(workers().size(), 1U);
    second = nullptr;
    EXPECT_TRUE(eventually([&] { return workers().empty(); }));
    EXPECT_TRUE(isServed(*driver->connect()));
}

/// Processes that are started have copies of what the broker closes meanwhile.
TEST_F(IsolationTest, socketsThatLingerHoldUpNoStartOfAWorker) {
    start("client", {"--limit", "user.connections=3"});
    constexpr int kAttackers = 2;
    constexpr int kConnections = 400;
    std::atomic<int> attackers{kAttackers};
    std::array<std::vector<UniqueFd>, kAttackers> others;  // the ends for which the sockets linger
    std::vector<std::thread> threads;
    for (std::vector<UniqueFd>& ends : others) {
        threads.emplace_back([&] {
            for (int i = 0; i < kConnections; ++i) {
                const UniqueFd connection = connectedUnixSocket(driver->socketPath());
                ends.push_back(sendLingering(connection.get(), std::string(64, '\0')));
            }
            --attackers;
        });
    }
    while (attackers != 0 && !HasFailure()) {
        const auto answer = top::fetch(metricsPath());
        EXPECT_TRUE(answer) << answer.error().message;
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

TEST_F(IsolationTest, aWorkerThatCrashesEndsTheWorkOfItsClientAlone) {
    start("client");
    SharedDevice victim;
    const pid_t worker = newWorker([&] { victim = driver->connect(); });
    const SharedDevice other = driver->connect();
    const auto prepared = *prepareModel(*other, makeAddModel());
    ASSERT_EQ(::kill(worker, SIGABRT), 0);  // AddressSanitizer makes an exit of SIGSEGV
    EXPECT_TRUE(eventually([&] {
        const auto refused = prepareModel(*victim, makeAddModel());
        return !refused && refused.error().status == ErrorStatus::DEVICE_UNAVAILABLE;
    }));
    AddRequest add;
    ExecutionOutcome outcome;
    EXPECT_TRUE(prepared->executeSynchronously(add.request, {}, outcome));
    EXPECT_TRUE(isServed(*driver->connect()));
    EXPECT_TRUE(logHas("signal 6 (Aborted); 1 clients are cut off")) << driver->log();
    EXPECT_TRUE(metricsHave("nnburst_workers_failed_total 1"));
}

TEST_F(IsolationTest, theEndsOfWorkersAreKnownThoughTheParentOfTheDriverIgnoresThoseOfChildren) {
    const auto before = ::signal(SIGCHLD, SIG_IGN);  // programs that are started ignore it, too
    start("client");                                 // some workers have ended with their clients
    (void)::signal(SIGCHLD, before);
    SharedDevice device;
    const pid_t worker = newWorker([&] { device = driver->connect(); });
    ASSERT_EQ(::kill(worker, SIGABRT), 0);
    EXPECT_TRUE(logHas("signal 6 (Aborted); 1 clients are cut off")) << driver->log();
    EXPECT_TRUE(metricsHave("nnburst_workers_failed_total 1"));
}

TEST_F(IsolationTest, theEndsOfWorkersAreKnownWhileCapabilitiesAreMeasured) {
    const TemporaryDirectory state;
    ::setenv("XDG_STATE_HOME", state.path().c_str(), 1);
    driver = std::make_unique<DriverProcess>(std::vector<std::string>{"--isolate", "client"},
                                             DriverProcess::Calibration::MACHINE,
                                             DriverProcess::Log::FILE);
    ::unsetenv("XDG_STATE_HOME");
    ASSERT_TRUE(logHas("capabilities are being measured"));
    SharedDevice device;
    const pid_t worker = newWorker([&] { device = driver->connect(); });
    ASSERT_EQ(::kill(worker, SIGABRT), 0);
    EXPECT_TRUE(logHas("signal 6 (Aborted); 1 clients are cut off")) << driver->log();
    EXPECT_EQ(driver->log().find("0 clients are cut off"), std::string::npos) << driver->log();
}

TEST_F(IsolationTest, aUserWhoseWorkerHasCrashedGetsANewOne) {
    start("user");
    SharedDevice first;
    const pid_t worker = newWorker([&] { first = driver->connect(); });
    ASSERT_EQ(::kill(worker, SIGKILL), 0);
    EXPECT_TRUE(metricsHave("nnburst_clients 0"));
    EXPECT_TRUE(isServed(*driver->connect()));
}

TEST_F(IsolationTest, aDriverThatIsAskedToEndFinishesTheWorkOfItsWorkers) {
    start("client");
    const SharedDevice first = driver->connect();
    const SharedDevice second = driver->connect();
    EXPECT_TRUE(isServed(*first));
    const std::vector<pid_t> before = workers();
    driver->signal(SIGTERM);
    EXPECT_EQ(driver->waitForEnd(), 0);
    for (const pid_t worker : before) {
        EXPECT_FALSE(isAlive(worker));
    }
    EXPECT_EQ(driver->log().find("cut off"), std::string::npos) << driver->log();
    EXPECT_FALSE(std::filesystem::exists(driver->socketPath()));
}

/// Processor time of a process in ticks of the kernel's clock.
long processorTime(pid_t process) {
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    const std::string stat((std::istreambuf_iterator<char>(file)), {});
    std::istringstream fields(stat.substr(stat.rfind(')') + 2));
    constexpr int kFieldsBefore = 11;
    std::string skipped;
    for (int i = 0; i < kFieldsBefore; ++i) {
        fields >> skipped;
    }
    long user = 0;
    long system = 0;
    fields >> user >> system;
    return user + system;
}

TEST_F(IsolationTest, anExecutionThatRunsWhenTheDriverIsAskedToEndIsFinished) {
    start("client");
    SharedDevice device;
    const pid_t worker = newWorker([&] { device = driver->connect(); });
    const auto prepared = *prepareModel(*device, makeEndlessModel());
    SmallRequest request;
    request.input(std::vector<float>{1.0F}, {}).output(sizeof(float));
    const long before = processorTime(worker);
    auto ended = std::async(std::launch::async, [&] {
        ExecutionOutcome outcome;
        return prepared->executeSynchronously(
            request.request, {.loopTimeout = std::chrono::milliseconds(800)}, outcome);
    });
    EXPECT_TRUE(eventually([&] { return processorTime(worker) > before + 5; }));
    driver->signal(SIGTERM);
    const Result<> result = ended.get();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::MISSED_DEADLINE_PERSISTENT)
        << "not DEVICE_UNAVAILABLE: " << result.error().message;
    EXPECT_EQ(driver->waitForEnd(), 0);
}

TEST_F(IsolationTest, aWorkerThatDoesNotEndIsKilled) {
    start("client", {"--drain-timeout", "50"});
    SharedDevice device;
    const pid_t worker = newWorker([&] { device = driver->connect(); });
    ASSERT_EQ(::kill(worker, SIGSTOP), 0);
    driver->signal(SIGTERM);
    EXPECT_EQ(driver->waitForEnd(), 0);
    EXPECT_TRUE(eventually([&] { return !isAlive(worker); }));
}

// Such a worker once computed for ever, also after its client had gone.
TEST_F(IsolationTest, aWorkerWhoseEventLoopStandsStillIsKilled) {
    start("client");
    const SharedDevice other = driver->connect();  // first: its worker is pinged before the other
    SharedDevice victim;
    const pid_t worker = newWorker([&] { victim = driver->connect(); });
    ASSERT_EQ(::kill(worker, SIGSTOP), 0);
    EXPECT_TRUE(eventually([&] { return !isAlive(worker); }));
    EXPECT_TRUE(logHas("is killed: its event loop has not answered for 5 s")) << driver->log();
    EXPECT_TRUE(isServed(*other));
    EXPECT_TRUE(metricsHave("nnburst_workers_failed_total 1"));
}

TEST_F(IsolationTest, workersEndWithABrokerThatIsKilled) {
    start("client");
    SharedDevice device;
    const pid_t worker = newWorker([&] { device = driver->connect(); });
    driver->signal(SIGKILL);
    EXPECT_EQ(driver->waitForEnd(), -SIGKILL);
    EXPECT_TRUE(eventually([&] { return !isAlive(worker); }));
}

TEST_F(IsolationTest, limitsOnConnectionsHoldForAllWorkersTogether) {
    start("client", {"--limit", "user.connections=2"});
    SharedDevice first = driver->connect();
    const SharedDevice second = driver->connect();
    const auto third = nnburst::connect(driver->socketPath());
    ASSERT_FALSE(third);
    EXPECT_THAT(third.error().message, HasSubstr("limit on connections of user"));
    first = nullptr;
    EXPECT_TRUE(eventually([&] { return nnburst::connect(driver->socketPath()).has_value(); }));
}

TEST_F(IsolationTest, limitsOfAClientHoldInItsWorker) {
    start("client", {"--limit", "client.prepared-models=1"});
    const SharedDevice device = driver->connect();
    const auto first = prepareModel(*device, makeAddModel());
    EXPECT_TRUE(first);
    const auto second = prepareModel(*device, makeAddModel());
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().message, HasSubstr("limit on prepared-models"));
}

TEST_F(IsolationTest, aClientThatIsNotListedGetsNoWorker) {
    const DriverProcess strict({"--isolate", "client", "--allow-user", "54321"});
    const auto device = nnburst::connect(strict.socketPath());
    ASSERT_FALSE(device);
    EXPECT_THAT(device.error().message, HasSubstr("--allow-user"));
    EXPECT_TRUE(childrenOf(strict.pid()).empty());
}

TEST_F(IsolationTest, theLogNamesAClientByOneNumberInBothProcesses) {
    start("client");
    { const SharedDevice device = driver->connect(); }
    EXPECT_TRUE(eventually([&] {
        const std::string log = driver->log();
        const auto connected = log.rfind(" has connected: ");
        const auto start = log.rfind("client ", connected);
        const std::string client = log.substr(start, connected - start);
        return log.find(client + " has gone after ") != std::string::npos;
    })) << driver->log();
}

TEST(Isolation, isNotForADriverOfOneApplication) {
    const Ended ended = runDriver({"--fd", "0", "--isolate", "client"});
    EXPECT_EQ(ended.status, 1);
    EXPECT_FALSE(ended.text.empty());
    EXPECT_EQ(runDriver({"--socket", "/tmp/x", "--isolate", "room"}).status, 2);
}

}  // namespace
}  // namespace nnburst::test
