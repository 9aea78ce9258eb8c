// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/broker.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <kj/time.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "device/driver_process.h"
#include "device/rpc/unix_socket.h"
#include "support/send_descriptors.h"
#include "support/unix_socket.h"

namespace nnburst::device {
namespace {

/// A broker whose workers run a script, as a worker would that a client has taken over. Descriptor
/// 3 is their channel. Must be on the stack, as its event loop.
class RunningBroker {
  public:
    explicit RunningBroker(const std::string& script, Isolation isolation = Isolation::CLIENT,
                           kj::Duration timeToStart = BrokerOptions().timeToStart)
        : broker_(loop_, {.isolation = isolation,
                          .command = {.program = "/bin/sh", .arguments = {"sh", "-c", script}},
                          .starter = std::move(*system::ProgramStarter::create()),
                          .admission = {},
                          .limits = defaultLimits(MachineSize::get()),
                          .timeToStart = timeToStart}),
          accepting_(broker_.listen(listener_.fd()).eagerlyEvaluate(nullptr)) {}

    /// Runs the event loop until `isDone`. False if that takes longer than a hang would.
    bool runUntil(const std::function<bool()>& isDone) {
        constexpr int kTurns = 4000;
        for (int turn = 0; turn < kTurns && !isDone(); ++turn) {
            loop_.run(loop_.timer().afterDelay(5 * kj::MILLISECONDS));
        }
        return isDone();
    }

    [[nodiscard]] UniqueFd connect() const { return *connectUnixSocket(path_); }
    [[nodiscard]] const Broker& broker() const noexcept { return broker_; }

  private:
    test::TemporaryDirectory directory_;
    const std::string path_ = directory_.path() / "socket";
    UnixListener listener_ = *UnixListener::listen(path_);
    EventLoop loop_;
    Broker broker_;
    kj::Promise<void> accepting_;
};

TEST(Broker, killsAWorkerThatDoesNotStopSending) {
    RunningBroker running("exec dd if=/dev/zero bs=16 >&3 2>/dev/null");
    const UniqueFd client = running.connect();
    EXPECT_TRUE(running.runUntil([&] { return running.broker().counts().failed == 1; }));
    EXPECT_EQ(running.broker().counts().workers, 0U);
    EXPECT_TRUE(running.runUntil([&] { return running.broker().connectionCount() == 0; }));
}

// Clients that connected and hung up again and again once kept others from being served.
TEST(Broker, startsNoWorkerForAClientThatHasHungUp) {
    RunningBroker running("exec sleep 60");
    for (int i = 0; i < 50; ++i) {
        const UniqueFd gone = running.connect();
    }
    const UniqueFd client = running.connect();
    EXPECT_TRUE(running.runUntil([&] { return running.broker().counts().started > 0; }));
    EXPECT_EQ(running.broker().counts().started, 1U);
    EXPECT_TRUE(running.runUntil([&] { return running.broker().connectionCount() == 1; }));
}

std::vector<UniqueFd> connectMany(const RunningBroker& running, std::size_t count) {
    std::vector<UniqueFd> clients;
    while (clients.size() < count) {
        clients.push_back(running.connect());
    }
    return clients;
}

constexpr const char* kReadyAndSilent =
    R"(printf '\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >&3; exec sleep 60)";

TEST(Broker, startsFewWorkersOfAUserAtATime) {
    RunningBroker running("exec sleep 60");
    const std::vector<UniqueFd> clients = connectMany(running, 8);
    const kj::TimePoint begin = kj::systemPreciseMonotonicClock().now();
    EXPECT_TRUE(running.runUntil([&] {
        return running.broker().connectionCount() == 8 && running.broker().counts().started > 0;
    }));
    const kj::Duration passed = kj::systemPreciseMonotonicClock().now() - begin;
    EXPECT_LE(running.broker().counts().started,
              WorkerTurns::kMaximumTurns *
                  (1 + passed / (WorkerTurns::kIdleLooks * WorkerTurns::kLookInterval)));
}

// Turns ended after 100 ms even then: workers that compute at their start piled up, and clients of
// other users were lost.
TEST(Broker, startsNoMoreWorkersOfAUserWhileThoseThatStartCompute) {
    RunningBroker running("while :; do :; done");
    const std::vector<UniqueFd> clients = connectMany(running, 8);
    const kj::TimePoint end = kj::systemPreciseMonotonicClock().now() + 1 * kj::SECONDS;
    (void)running.runUntil([&] { return kj::systemPreciseMonotonicClock().now() >= end; });
    EXPECT_EQ(running.broker().counts().started, WorkerTurns::kMaximumTurns);
}

// The other clients of the user were lost once: they gave up before their turns.
TEST(Broker, startsTheNextWorkerThoughOthersAreLongNotReady) {
    RunningBroker running("exec sleep 60");
    const std::vector<UniqueFd> clients = connectMany(running, 8);
    EXPECT_TRUE(running.runUntil([&] { return running.broker().counts().started == 8; }));
    EXPECT_EQ(running.broker().counts().failed, 0U) << "workers ended before others were started";
}

TEST(Broker, startsTheNextWorkerWhenOneIsReadyOrHasEnded) {
    for (const char* const script : {kReadyAndSilent, "exit 0"}) {
        RunningBroker running(script);
        const std::vector<UniqueFd> clients = connectMany(running, 8);
        EXPECT_TRUE(running.runUntil([&] { return running.broker().counts().started == 8; }))
            << script;
    }
}

TEST(Broker, chargesAClientUntilItsWorkerHasEnded) {
    RunningBroker running(R"(printf '\3\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0' >&3; exec sleep 60)");
    const UniqueFd client = running.connect();
    ASSERT_TRUE(running.runUntil([&] { return running.broker().counts().started == 1; }));
    const auto hasEnded = [&] {
        EXPECT_GE(running.broker().connectionCount(), running.broker().counts().workers);
        return running.broker().counts().workers == 0;
    };
    EXPECT_TRUE(running.runUntil(hasEnded)) << "a worker without clients is killed in the end";
    EXPECT_TRUE(running.runUntil([&] { return running.broker().connectionCount() == 0; }));
}

TEST(Broker, startsAnotherWorkerForAUserWhoseWorkerHasEndedItsChannel) {
    RunningBroker running("exec sleep 60 3>&-", Isolation::USER);
    UniqueFd client;
    int clients = 0;
    EXPECT_TRUE(running.runUntil([&] {
        client = running.connect();
        ++clients;
        return running.broker().counts().started > 1;
    }));
    EXPECT_LT(clients, 100) << "some 200 come until the worker is killed";
}

TEST(Broker, startsAnotherWorkerForAUserWhoseWorkerDoesNotAnswer) {
    RunningBroker running(kReadyAndSilent, Isolation::USER);
    const UniqueFd first = running.connect();
    EXPECT_TRUE(running.runUntil([&] { return running.broker().counts().failed == 1; }));
    const UniqueFd second = running.connect();
    EXPECT_TRUE(running.runUntil([&] { return running.broker().counts().started == 2; }));
}

// Pings went to workers that had no event loop yet: one that took 10 s to start was killed.
TEST(Broker, killsAWorkerThatIsNotReadyAfterItsTimeToStartAndNotBefore) {
    constexpr kj::Duration kTimeToStart = 11 * kj::SECONDS;
    RunningBroker running("exec sleep 60", Isolation::USER, kTimeToStart);
    const UniqueFd client = running.connect();
    const kj::TimePoint begin = kj::systemPreciseMonotonicClock().now();
    EXPECT_TRUE(running.runUntil([&] { return running.broker().counts().failed == 1; }));
    EXPECT_TRUE(kj::systemPreciseMonotonicClock().now() - begin >= kTimeToStart);
}

TEST(Broker, killsAWorkerThatAnswersUnasked) {
    RunningBroker running(R"(while printf '\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'; do :; done >&3)");
    const UniqueFd client = running.connect();
    EXPECT_TRUE(running.runUntil([&] { return running.broker().counts().failed == 1; }));
}

Result<std::unique_ptr<WorkerProcess>> startWorker(system::ProgramStarter& starter) {
    return WorkerProcess::start(
        starter, {.program = NNBURST_DRIVER_PATH,
                  .arguments = {"nnburst-driver", "--no-calibration", "--log-level", "off",
                                "--worker", std::to_string(WorkerProcess::kChannelFd)}});
}

TEST(WorkerProcess, answersPings) {
    const auto starter = system::ProgramStarter::create();
    ASSERT_TRUE(starter) << starter.error().message;
    const auto worker = startWorker(**starter);
    ASSERT_TRUE(worker) << worker.error().message;
    const int channel = (*worker)->channel();
    ASSERT_TRUE(sendWorkerMessage(channel, {.kind = WorkerMessage::Kind::PING}));
    EXPECT_TRUE(test::eventually([&] {
        const auto received = receiveWorkerReport(channel);
        return received && *received && (*received)->kind == WorkerMessage::Kind::ALIVE;
    }));
}

TEST(WorkerProcess, reportsEachClientThatHasGoneAlsoWhenTheBrokerReadsLate) {
    const auto starter = system::ProgramStarter::create();
    ASSERT_TRUE(starter) << starter.error().message;
    const auto worker = startWorker(**starter);
    ASSERT_TRUE(worker) << worker.error().message;
    const int channel = (*worker)->channel();
    const std::size_t idle = test::descriptorCount((*worker)->pid());
    constexpr std::uint64_t kClients = 1200;  // a channel has room for about 280 messages
    for (std::uint64_t number = 1; number <= kClients; ++number) {
        std::array<int, 2> ends{};
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        const UniqueFd client(ends[0]);
        const UniqueFd served(ends[1]);
        const WorkerMessage message{.kind = WorkerMessage::Kind::SERVE, .client = number};
        ASSERT_TRUE(test::eventually(
            [&] { return sendWorkerMessage(channel, message, served.get()).has_value(); }));
    }
    // Now it has served all of them.
    ASSERT_TRUE(
        test::eventually([&] { return test::descriptorCount((*worker)->pid()) < idle + 20; }));
    std::set<std::uint64_t> gone;
    EXPECT_TRUE(test::eventually([&] {
        auto received = receiveWorkerMessage(channel);
        while (received && *received) {
            if ((*received)->message.kind == WorkerMessage::Kind::GONE) {
                gone.insert((*received)->message.client);
            }
            received = receiveWorkerMessage(channel);
        }
        return gone.size() == kClients;
    })) << gone.size();
}

TEST(WorkerProcess, isNotFaultyIfItsStatusIsNotKnown) {
    const auto before = ::signal(SIGCHLD, SIG_IGN);  // the kernel reaps it
    const auto starter = system::ProgramStarter::create();
    ASSERT_TRUE(starter) << starter.error().message;
    auto worker = WorkerProcess::start(
        **starter, {.program = "/bin/sh", .arguments = {"sh", "-c", "exec cat <&3"}});
    ASSERT_TRUE(worker) << worker.error().message;
    (*worker)->release();
    pollfd ended{.fd = (*worker)->endDescriptor(), .events = POLLIN, .revents = 0};
    EXPECT_TRUE(test::eventually([&] { return ::poll(&ended, 1, 0) == 1; }));
    const WorkerProcess::End end = (*worker)->reap();
    (void)::signal(SIGCHLD, before);
    EXPECT_TRUE(end.isClean);
    EXPECT_EQ(end.text, "status not known: No child processes");
}

TEST(WorkerMessages, ofAWorkerAreReceivedWithoutADescriptor) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    const UniqueFd sender(ends[0]);
    const UniqueFd receiver(ends[1]);
    const test::TemporaryDirectory directory;
    const std::string path = directory.path() / "file";
    const UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    const UniqueFd again(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    struct flock lock {};
    lock.l_type = F_WRLCK;
    ASSERT_EQ(::fcntl(file.get(), F_SETLK, &lock), 0);
    const auto isLocked = [&] {
        struct flock other {};
        other.l_type = F_WRLCK;
        EXPECT_EQ(::fcntl(again.get(), F_OFD_GETLK, &other), 0);
        return other.l_type != F_UNLCK;
    };
    ASSERT_TRUE(isLocked());

    const WorkerMessage sent{.kind = WorkerMessage::Kind::GONE, .client = 7};
    const std::string bytes(reinterpret_cast<const char*>(&sent), sizeof(sent));
    ASSERT_TRUE(test::sendDescriptors(sender.get(), bytes, std::array{file.get()}));
    const auto received = receiveWorkerReport(receiver.get());
    ASSERT_TRUE(received && *received);
    EXPECT_EQ((*received)->client, 7U);
    EXPECT_TRUE(isLocked()) << "close(2) was called for the descriptor: that ends the lock";
}

TEST(UnixListener, listensThoughAnotherProcessLocksItsDirectory) {
    const test::TemporaryDirectory directory;
    const std::string path = directory.path() / "socket";
    const UniqueFd locked(::open(directory.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_EQ(::flock(locked.get(), LOCK_EX), 0);
    const auto listener = UnixListener::listen(path);
    EXPECT_TRUE(listener) << listener.error().message;
}

TEST(UnixListener, hasAFileOnlyWhenClientsCanConnect) {
    const test::TemporaryDirectory directory;
    for (int i = 0; i < 200; ++i) {
        const std::string path = directory.path() / std::to_string(i);
        std::atomic<bool> isTrying{false};
        std::atomic<bool> hasFailed{false};
        auto client = std::async(std::launch::async, [&] {
            const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
            const sockaddr_un address = test::unixAddress(path);
            int error = ENOENT;
            while (error == ENOENT && !hasFailed) {
                isTrying = true;
                error = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address),
                                  sizeof(address)) == 0
                            ? 0
                            : errno;
            }
            return error;
        });
        while (!isTrying) {
        }
        const auto listener = UnixListener::listen(path);
        hasFailed = !listener;
        ASSERT_TRUE(listener) << listener.error().message;
        ASSERT_EQ(client.get(), 0) << "attempt " << i;
    }
    EXPECT_TRUE(std::filesystem::is_empty(directory.path())) << "another file is left";
}

// Paths for which the first name of the file was too long were refused.
TEST(UnixListener, listensAtTheLongestPathThatASocketCanHave) {
    constexpr std::size_t kMaximumPathBytes = sizeof(sockaddr_un::sun_path) - 1;
    const test::TemporaryDirectory directory;
    const std::string parent = directory.path().string() + "/";
    const std::string deep =
        parent + std::string(kMaximumPathBytes - parent.size() - std::strlen("/s"), 'd');
    ASSERT_TRUE(std::filesystem::create_directory(deep));
    for (const std::string& path :
         {deep + "/s", parent + std::string(kMaximumPathBytes - parent.size(), 's')}) {
        ASSERT_EQ(path.size(), kMaximumPathBytes);
        const auto listener = UnixListener::listen(path);
        ASSERT_TRUE(listener) << listener.error().message;
        EXPECT_TRUE(connectUnixSocket(path));
    }
    EXPECT_TRUE(std::filesystem::is_empty(deep));
}

TEST(UnixListener, doesNotReplaceTheSocketOfADriverThatAcceptsNobody) {
    const test::TemporaryDirectory directory;
    const std::string path = directory.path() / "socket";
    const UniqueFd other = test::boundUnixSocket(path);
    ASSERT_EQ(::listen(other.get(), 0), 0);
    const UniqueFd waiting = test::connectedUnixSocket(path);  // there is room for one
    const auto listener = UnixListener::listen(path);
    ASSERT_FALSE(listener);
    EXPECT_EQ(listener.error().status, ErrorStatus::GENERAL_FAILURE) << listener.error().message;
    EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(WorkerMessages, areReceivedWithOneDescriptor) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    const UniqueFd sender(ends[0]);
    const UniqueFd receiver(ends[1]);
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC | O_NONBLOCK), 0);
    UniqueFd readEnd(pipe[0]);
    UniqueFd writeEnd(pipe[1]);

    const WorkerMessage sent{.kind = WorkerMessage::Kind::GONE, .client = 1};
    const std::string bytes(reinterpret_cast<const char*>(&sent), sizeof(sent));
    const std::array<int, 2> both{writeEnd.get(), writeEnd.get()};
    ASSERT_TRUE(test::sendDescriptors(sender.get(), bytes, both));
    ASSERT_TRUE(receiveWorkerMessage(receiver.get())->has_value());
    writeEnd.reset();
    char byte = 0;
    EXPECT_EQ(::read(readEnd.get(), &byte, 1), 0) << "a descriptor was kept";
}

}  // namespace
}  // namespace nnburst::device
