// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Who may connect to a driver, and what the driver logs about its clients.

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>

#include "device/driver_process.h"
#include "device/rpc/unix_socket.h"

namespace nnburst::test {
namespace {

using testing::HasSubstr;

/// No client of the tests has these numbers.
constexpr const char* kOtherUser = "54321";
constexpr gid_t kGroup = 54322;
constexpr uid_t kUser = 54323;

std::string numberOf(unsigned number) {
    return std::to_string(number);
}

/// What `connect` says in a process that `become` has changed; empty if it succeeds.
std::string connectAs(const DriverProcess& driver, const std::function<bool()>& become) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        std::string text = "cannot become another user";
        if (become()) {
            const auto device = nnburst::connect(driver.socketPath());
            text = device ? "" : device.error().message;
        }
        const bool isWritten =
            ::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
        ::_exit(isWritten ? 0 : 1);
    }
    ::close(ends[1]);
    std::array<char, 4096> buffer{};
    std::string text;
    ssize_t count = 0;
    while ((count = ::read(ends[0], buffer.data(), buffer.size())) > 0) {
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    ::close(ends[0]);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return text;
}

/// Lets other users than that of the test reach the socket.
void openDirectory(const DriverProcess& driver) {
    std::filesystem::permissions(std::filesystem::path(driver.socketPath()).parent_path(),
                                 std::filesystem::perms(0755));
}

TEST(DriverAccessTest, aUserThatIsNotListedIsToldWhatToChange) {
    const DriverProcess driver({"--allow-user", kOtherUser, "--allow-group", kOtherUser},
                               DriverProcess::Calibration::NONE, DriverProcess::Log::FILE);
    const auto device = nnburst::connect(driver.socketPath());
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_THAT(device.error().message,
                HasSubstr(fmt::format("refuses process {} of user {}", ::getpid(), ::getuid())));
    EXPECT_THAT(device.error().message, HasSubstr(fmt::format("--allow-user {}", ::getuid())));
    EXPECT_TRUE(eventually([&] {
        return driver.log().find(fmt::format("refused process {} 'device_access_t', user {}",
                                             ::getpid(), ::getuid())) != std::string::npos;
    })) << driver.log();
}

TEST(DriverAccessTest, aListedUserIsServed) {
    const DriverProcess driver({"--allow-user", kOtherUser, "--allow-user", numberOf(::getuid())});
    EXPECT_NE(driver.connect(), nullptr);
}

TEST(DriverAccessTest, aClientWhoseGroupIsListedIsServed) {
    const DriverProcess driver({"--allow-group", numberOf(::getgid())});
    EXPECT_NE(driver.connect(), nullptr);
}

TEST(DriverAccessTest, aClientOneOfWhoseSupplementaryGroupsIsListedIsServed) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "needs root to become another user";
    }
    const DriverProcess driver({"--socket-mode", "0666", "--allow-group", numberOf(kGroup)});
    openDirectory(driver);
    const auto become = [](std::vector<gid_t> groups) {
        return [groups] {
            return ::setgroups(groups.size(), groups.data()) == 0 && ::setgid(kUser) == 0 &&
                   ::setuid(kUser) == 0;
        };
    };
    EXPECT_EQ(connectAs(driver, become({1, kGroup, 2})), "");
    EXPECT_THAT(connectAs(driver, become({1, 2})), HasSubstr("--allow-user 54323"));
}

TEST(DriverAccessTest, theFileOfTheSocketKeepsOthersOut) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "needs root to become another user";
    }
    const DriverProcess driver({"--socket-mode", "0660", "--socket-group", numberOf(kGroup)});
    openDirectory(driver);
    struct stat status {};
    ASSERT_EQ(::stat(driver.socketPath().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0660U);
    EXPECT_EQ(status.st_gid, kGroup);
    const auto become = [](gid_t group) {
        return [group] {
            return ::setgroups(0, nullptr) == 0 && ::setgid(group) == 0 && ::setuid(kUser) == 0;
        };
    };
    EXPECT_EQ(connectAs(driver, become(kGroup)), "");
    EXPECT_THAT(connectAs(driver, become(kUser)), HasSubstr("Permission denied"));
}

TEST(DriverAccessTest, refusedClientsThatStayDoNotKeepOthersOut) {
    const DriverProcess driver({"--allow-user", kOtherUser}, DriverProcess::Calibration::NONE,
                               DriverProcess::Log::FILE);
    std::vector<UniqueFd> idle;
    for (int i = 0; i < 100; ++i) {
        auto socket = device::connectUnixSocket(driver.socketPath());
        ASSERT_TRUE(socket) << socket.error().message;
        idle.push_back(std::move(*socket));
    }
    const auto isClosed = [](const UniqueFd& socket) {
        pollfd event{.fd = socket.get(), .events = POLLRDHUP, .revents = 0};
        return ::poll(&event, 1, 0) == 1;
    };
    EXPECT_TRUE(eventually([&] { return isClosed(idle.back()); }));
    EXPECT_FALSE(isClosed(idle.front())) << "clients beyond a limit are closed without a word";
    EXPECT_TRUE(eventually([&] {
        const auto device = nnburst::connect(driver.socketPath());
        return !device && device.error().message.find("--allow-user") != std::string::npos;
    })) << "those that stayed were closed after some time";
    EXPECT_THAT(driver.log(), HasSubstr("lines about clients were left out"));
}

TEST(DriverAccessTest, theLogSaysWhoComesAndWhatItUsedUntilItGoes) {
    const DriverProcess driver({}, DriverProcess::Calibration::NONE, DriverProcess::Log::FILE);
    { const auto prepared = prepareModel(*driver.connect(), makeAddModel()); }
    const std::string client =
        fmt::format("process {} 'device_access_t', user {}", ::getpid(), ::getuid());
    EXPECT_TRUE(eventually([&] {
        const std::string log = driver.log();
        return log.find("has connected: " + client) != std::string::npos &&
               log.find(" has gone after ") != std::string::npos &&
               log.find(", 1 prepared-models") != std::string::npos;
    })) << driver.log();
}

TEST(DriverLog, hasFewLinesAboutPreparationsWhoseCacheCannotBeFilled) {
    using Clock = std::chrono::steady_clock;
    const DriverProcess driver({}, DriverProcess::Calibration::NONE, DriverProcess::Log::FILE);
    const SharedDevice device = driver.connect();
    const UniqueFd file(::memfd_create("cache", MFD_CLOEXEC));
    const PrepareOptions options{.modelCache = {file.get()}};  // without data cache
    const auto begin = Clock::now();
    for (int i = 0; i < 500; ++i) {
        ASSERT_TRUE(prepareModel(*device, makeAddModel(), options));
    }
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(Clock::now() - begin).count();
    const std::string log = driver.log();
    const std::string line = "cannot save to the cache";
    std::int64_t lines = 0;
    for (auto at = log.find(line); at != std::string::npos; at = log.find(line, at + 1)) {
        ++lines;
    }
    EXPECT_GT(lines, 0);
    EXPECT_LE(lines, 50 * (seconds + 1));  // some of each second that has begun
}

TEST(DriverAccessTest, usersAndGroupsThatTheSystemDoesNotKnowAreRefusedAtTheStart) {
    for (const char* option : {"--allow-user", "--allow-group", "--socket-group"}) {
        for (const std::string name : {"no-such-name", "4294967295"}) {
            const Ended ended = runDriver({"--socket", "/nowhere/socket", option, name});
            EXPECT_EQ(ended.status, 1) << option;
            EXPECT_THAT(ended.text, HasSubstr("'" + name + "': the system does not know it"))
                << option;
        }
    }
    const Ended ended = runDriver({"--socket", "/nowhere/socket", "--socket-mode", "888"});
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.text, HasSubstr("must be 0000 to 0777"));
}

TEST(DriverLog, aReaderThatHasStoppedHoldsUpNoClient) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const UniqueFd reading(ends[0]);
    UniqueFd writing(ends[1]);
    ASSERT_GT(::fcntl(writing.get(), F_SETPIPE_SZ, 4096), 0);
    std::array<char, 4096> full{};
    ASSERT_EQ(::write(writing.get(), full.data(), full.size()), static_cast<ssize_t>(full.size()));
    const UniqueFd before(::dup(STDERR_FILENO));
    ASSERT_GE(::dup2(writing.get(), STDERR_FILENO), 0);
    writing.reset();
    DriverProcess driver({"--log-level", "debug"});  // has the pipe as its standard error
    ASSERT_GE(::dup2(before.get(), STDERR_FILENO), 0);
    const SharedDevice device = driver.connect();
    ASSERT_NE(device, nullptr);
    for (int i = 0; i < 10; ++i) {
        EXPECT_TRUE(prepareModel(*device, makeAddModel()));
    }
}

}  // namespace
}  // namespace nnburst::test
