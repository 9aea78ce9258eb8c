// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// The sandbox of drivers: what its process cannot do, by a program that enters it and tries. That
/// everything else works is shown by all tests that start drivers.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "device/driver/sandbox.h"
#include "device/driver_process.h"

namespace nnburst::test {
namespace {

using testing::HasSubstr;

/// Runs the probe; gives its exit status, or minus the signal that has ended it, and what it wrote
/// to standard error.
Ended probe(const std::string& action) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    std::string program = NNBURST_SANDBOX_PROBE_PATH;
    std::string argument = action;
    std::array<char*, 3> argv{program.data(), argument.data(), nullptr};
    pid_t pid = -1;
    EXPECT_EQ(::posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), environ), 0);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    Ended ended;
    std::array<char, 1024> buffer{};
    for (ssize_t count = 0; (count = ::read(ends[0], buffer.data(), buffer.size())) > 0;) {
        ended.text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    ::close(ends[0]);
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return ended;
}

bool hasLandlock() {
    return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1) >= 1;
}

class SandboxTest : public testing::Test {
  protected:
    void SetUp() override {
        if (!device::kHasSandbox) {
            GTEST_SKIP() << "sanitizers do what no sandbox allows";
        }
    }
};

TEST_F(SandboxTest, callsThatNoDriverMakesEndTheProcessAndAreNamed) {
    for (const char* call :
         {"execve", "socket", "ptrace", "process_vm_readv", "kill", "tgkill", "mount"}) {
        const Ended ended = probe(call);
        EXPECT_EQ(ended.status, -SIGSYS) << call;
        EXPECT_THAT(ended.text, HasSubstr("(" + std::string(call) + ")")) << call;
    }
    for (const char* action : {"fork", "internet"}) {
        EXPECT_EQ(probe(action).status, -SIGSYS) << action;
    }
}

TEST_F(SandboxTest, nothingCanBeWrittenOrMadeExecutable) {
    for (const char* action : {"create", "write", "executable memory"}) {
        EXPECT_EQ(probe(action).status, EACCES) << action;
    }
    EXPECT_EQ(probe("setrlimit").status, EACCES);
}

TEST_F(SandboxTest, filesOutsideAndOtherProcessesCannotBeRead) {
    if (!hasLandlock()) {
        GTEST_SKIP() << "this kernel has no Landlock";
    }
    EXPECT_EQ(probe("read").status, EACCES);
    EXPECT_EQ(probe("environment of another process").status, EACCES);
}

/// The values of a line in the status of each thread of a process, such as "Seccomp:".
std::set<std::string> statusOfThreads(pid_t pid, const std::string& line) {
    std::set<std::string> values;
    for (const auto& task :
         std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
        std::ifstream file(task.path() / "status");
        for (std::string key; file >> key;) {
            if (key == line) {
                std::string value;
                file >> value;
                values.insert(value);
            }
        }
    }
    return values;
}

/// A set of capabilities that all threads of a process have.
std::uint64_t capabilities(pid_t pid, const std::string& set) {
    const std::set<std::string> values = statusOfThreads(pid, set);
    EXPECT_EQ(values.size(), 1U) << set;
    return values.empty() ? 0 : std::stoull(*values.begin(), nullptr, 16);
}

TEST_F(SandboxTest, everyThreadOfADriverIsInIt) {
    if (!kHasSandbox) {
        GTEST_SKIP() << "drivers that count lines have no sandbox";
    }
    const DriverProcess driver({"--threads", "2"});
    const SharedDevice device = driver.connect();
    const auto prepared = prepareModel(*device, makeAddModel());
    ASSERT_TRUE(prepared) << prepared.error().message;
    const auto burst = (*prepared)->configureExecutionBurst({});
    ASSERT_TRUE(burst) << burst.error().message;
    EXPECT_EQ(statusOfThreads(driver.pid(), "Seccomp:"), std::set<std::string>{"2"});
    EXPECT_EQ(statusOfThreads(driver.pid(), "NoNewPrivs:"), std::set<std::string>{"1"});
    const auto kept = capabilities(::getpid(), "CapPrm:") & (std::uint64_t{1} << CAP_SYS_NICE);
    EXPECT_EQ(capabilities(driver.pid(), "CapEff:"), kept);
    EXPECT_EQ(capabilities(driver.pid(), "CapPrm:"), kept);
    EXPECT_EQ(capabilities(driver.pid(), "CapInh:"), 0U);
    EXPECT_EQ(capabilities(driver.pid(), "CapAmb:"), 0U);
}

TEST_F(SandboxTest, canBeLeftOut) {
    const DriverProcess driver({"--no-sandbox"});
    EXPECT_EQ(statusOfThreads(driver.pid(), "Seccomp:"), statusOfThreads(::getpid(), "Seccomp:"));
}

TEST_F(SandboxTest, whatDriversNeedIsAllowed) {
    for (const char* action : {"nothing", "own status", "name of another process", "thread",
                               "shared memory", "socket pair"}) {
        const Ended ended = probe(action);
        EXPECT_EQ(ended.status, 0) << action << ": " << ended.text;
    }
    EXPECT_EQ(probe("abort").status, -SIGABRT);
}

}  // namespace
}  // namespace nnburst::test
