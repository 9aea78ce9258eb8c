// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// The metrics of a driver, and nnburst-top's view of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <future>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "device/driver/metrics_server.h"
#include "device/driver_process.h"
#include "device/rpc/unix_socket.h"
#include "metrics_text.h"
#include "report.h"

namespace nnburst::test {
namespace {

using testing::HasSubstr;

class MetricsTest : public testing::Test {
  protected:
    [[nodiscard]] std::string path() const { return directory_.path() / "metrics.sock"; }

    [[nodiscard]] std::string text() const {
        const auto fetched = top::fetch(path());
        EXPECT_TRUE(fetched) << fetched.error().message;
        return fetched ? *fetched : "";
    }

    TemporaryDirectory directory_;
};

TEST_F(MetricsTest, countModelsBurstsAndExecutionsOfClients) {
    const DriverProcess driver({"--metrics-socket", path()});
    {
        const SharedDevice device = driver.connect();
        const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
        const auto burst = std::move(*prepared->configureExecutionBurst({}));
        AddRequest add;
        AddRequest bad(4, 8);  // its output is too small
        const auto reusable = std::move(*burst->createReusableExecution(add.request, {}));
        ExecutionOutcome outcome;
        for (int i = 0; i < 5; ++i) {
            ASSERT_TRUE(reusable->compute({}, outcome));
        }
        ASSERT_TRUE(prepared->executeSynchronously(add.request, {}, outcome));
        ASSERT_FALSE(burst->execute(bad.request, {}, outcome));

        const std::string metrics = text();
        EXPECT_THAT(metrics, HasSubstr("# TYPE nnburst_executions_total counter\n"));
        EXPECT_THAT(metrics, HasSubstr("\nnnburst_executions_total 7\n"));
        EXPECT_THAT(metrics, HasSubstr("\nnnburst_execution_errors_total 1\n"));
        EXPECT_THAT(metrics, HasSubstr("\nnnburst_used{resource=\"bursts\"} 1\n"));
        EXPECT_THAT(metrics, HasSubstr("# TYPE nnburst_job_wait_seconds histogram\n"));
        EXPECT_THAT(metrics, HasSubstr("nnburst_job_wait_seconds_count{kind=\"execution\"} 1\n"));
        EXPECT_THAT(metrics, HasSubstr("{kind=\"execution\",le=\"+Inf\"} 1\n"));
        const top::Figures figures = top::makeFigures(top::parse(metrics), {}, nullptr);
        EXPECT_EQ(figures.waits.at("execution").count, 1U);
        EXPECT_GT(figures.waits.at("execution").p99, 0.0);
        EXPECT_GT(figures.waits.at("control").count, 0U);
        EXPECT_EQ(figures.waits.at("preparation").count, 1U);
        EXPECT_THAT(top::toTable(figures), HasSubstr("execution jobs waited "));
        // The first execution of the burst, and the one beside it.
        const std::string user = std::to_string(::getuid());
        ASSERT_EQ(figures.executionTimes.size(), 1U);
        EXPECT_EQ(figures.executionTimes.at(user).count, 2U);
        EXPECT_GT(figures.executionTimes.at(user).p99, 0.0);
        EXPECT_THAT(top::toTable(figures), HasSubstr("executions of user " + user + " took "));
        ASSERT_EQ(figures.clients.size(), 1U);
        const top::Client& client = figures.clients.begin()->second;
        EXPECT_EQ(client.program, "device_metrics_");
        EXPECT_EQ(client.process, std::to_string(::getpid()));
        EXPECT_EQ(client.executions, 7U);
        EXPECT_EQ(client.used.at("prepared-models"), 1U);
    }
    EXPECT_TRUE(
        eventually([&] { return text().find("\nnnburst_clients 0\n") != std::string::npos; }));
    EXPECT_THAT(text(), HasSubstr("\nnnburst_executions_total 7\n"))
        << "clients that have gone count";
}

TEST_F(MetricsTest, areServedWhileOthersConnectAndSendNothing) {
    DriverProcess driver({"--metrics-socket", path()});
    std::vector<UniqueFd> silent;
    for (int i = 0; i < 20; ++i) {
        silent.push_back(std::move(*device::connectUnixSocket(path())));
    }
    EXPECT_NE(driver.connect(), nullptr);
    EXPECT_TRUE(top::fetch(path())) << "the oldest of those that send nothing are disconnected";
    driver.signal(SIGTERM);
    EXPECT_EQ(driver.waitForEnd(), 0);
    EXPECT_FALSE(std::filesystem::exists(path())) << "the socket is removed";
}

TEST_F(MetricsTest, areMadeOnceForAllRequestsOfASecond) {
    using Clock = std::chrono::steady_clock;
    constexpr int kRequests = 200;
    device::UnixListener listener = *device::UnixListener::listen(path());
    device::EventLoop loop;
    int made = 0;
    device::MetricsServer server(loop, [&made] {
        ++made;
        return std::string("nnburst_clients 1\n");
    });
    const auto answering = server.listen(listener.fd()).eagerlyEvaluate(nullptr);
    const Clock::time_point start = Clock::now();
    auto answers = std::async(std::launch::async, [this] {
        int right = 0;
        for (int i = 0; i < kRequests; ++i) {
            right += text() == "nnburst_clients 1\n" ? 1 : 0;
        }
        return right;
    });
    while (answers.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
        loop.run(loop.timer().afterDelay(1 * kj::MILLISECONDS));
    }
    EXPECT_EQ(answers.get(), kRequests);
    EXPECT_GE(made, 1);
    EXPECT_LE(made, 1 + (Clock::now() - start) / device::MetricsServer::kKeptFor);
}

TEST_F(MetricsTest, areOnlyTakenFromAWholeAnswerOfADriver) {
    struct Case {
        std::string answer;
        std::string error;  ///< empty: it is accepted
    };
    const std::string ok = "HTTP/1.0 200 OK\r\nContent-Length: ";
    const std::vector<Case> cases = {
        {ok + "18\r\n\r\nnnburst_clients 1\n", ""},
        {ok + "24\r\n\r\nother 1\nnnburst_clients 1\n", "has 26 bytes instead of 24"},
        {ok + "30\r\n\r\nnnburst_clients 1\n", "has 18 bytes instead of 30"},
        {ok + "8\r\n\r\nother 1\n", "has no metrics of a driver"},
        {"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "'HTTP/1.1 404 Not Found'"},
        {"HTTP/1.1\r\n\r\n", "'HTTP/1.1'"},
        {"abc", "no HTTP answer"},
    };
    for (const Case& expected : cases) {
        const std::filesystem::path socket = directory_.path() / "any.sock";
        std::filesystem::remove(socket);
        const device::UnixListener listener = *device::UnixListener::listen(socket);
        const auto answered = std::async(std::launch::async, [&] {
            const UniqueFd client(::accept(listener.fd(), nullptr, nullptr));
            std::array<char, 256> request{};
            EXPECT_GT(::recv(client.get(), request.data(), request.size(), 0), 0);
            ::send(client.get(), expected.answer.data(), expected.answer.size(), MSG_NOSIGNAL);
        });
        const auto fetched = top::fetch(socket);
        EXPECT_EQ(fetched.has_value(), expected.error.empty()) << expected.answer;
        if (!fetched) {
            EXPECT_THAT(fetched.error().message, HasSubstr(expected.error));
        }
    }
}

TEST(TopTest, computesRatesFromTwoLooks) {
    const std::string first =
        "# a comment\nnnburst_executions_total 100\n"
        "nnburst_client_executions_total{client=\"1\",user=\"7\",process=\"9\",program=\"a b\"} "
        "100\n";
    const std::string second =
        "nnburst_executions_total 150\nnnburst_limit{resource=\"memory\"} 2048\n"
        "nnburst_client_executions_total{client=\"1\",user=\"7\",process=\"9\",program=\"a b\"} "
        "140\n"
        "nonsense\nnonsense{ 1\n";
    const std::chrono::steady_clock::time_point start{};
    const top::Figures before = top::makeFigures(top::parse(first), start, nullptr);
    const top::Figures now =
        top::makeFigures(top::parse(second), start + std::chrono::seconds(2), &before);
    EXPECT_EQ(now.executionsPerSecond, 25.0);
    ASSERT_EQ(now.clients.count(1), 1U);
    EXPECT_EQ(now.clients.at(1).executionsPerSecond, 20.0);
    EXPECT_EQ(now.clients.at(1).program, "a b");
    EXPECT_THAT(top::toTable(now), HasSubstr("of 2.0K"));
    const auto json = nlohmann::json::parse(top::toJson(now));
    EXPECT_EQ(json["clients"][0]["executions"], 140);
}

}  // namespace
}  // namespace nnburst::test
