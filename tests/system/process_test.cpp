// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

namespace nnburst::system {
namespace {

/// What `script` of the shell writes to the descriptor that it is given.
std::string outputOf(const std::string& script) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const UniqueFd reader(ends[0]);
    UniqueFd writer(ends[1]);
    pid_t pid = 0;
    EXPECT_EQ(startProgram("sh", {"sh", "-c", "(" + script + ") >&3"}, writer.get(), pid), 0);
    writer.reset();
    std::string output;
    std::array<char, 256> bytes{};
    for (ssize_t count = 0; (count = ::read(reader.get(), bytes.data(), bytes.size())) > 0;) {
        output.append(bytes.data(), static_cast<std::size_t>(count));
    }
    EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
    return output;
}

TEST(StartedPrograms, haveTheirOutputAndTheGivenDescriptorAlone) {
    const UniqueFd other(::fcntl(STDERR_FILENO, F_DUPFD, 50));  // without close-on-exec
    ASSERT_TRUE(other);
    EXPECT_EQ(outputOf("cd /proc/$$/fd; echo *; readlink 0"), "0 1 2 3\n/dev/null\n");
}

TEST(StartedPrograms, blockAndIgnoreNoSignals) {
    sigset_t terminate;
    ::sigemptyset(&terminate);
    ::sigaddset(&terminate, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &terminate, nullptr);
    const auto before = ::signal(SIGPIPE, SIG_IGN);
    // The digits of the first 28 signals; glibc ignores two of its own beyond them.
    EXPECT_EQ(outputOf("sed -nE 's/Sig(Blk|Ign):.*(.{7})$/\\2/p' /proc/self/status"),
              "0000000\n0000000\n");
    ::signal(SIGPIPE, before);
    ::pthread_sigmask(SIG_UNBLOCK, &terminate, nullptr);
}

TEST(StartedPrograms, thatAreNotThereAreAnError) {
    pid_t pid = 0;
    EXPECT_EQ(startProgram("/no/such/program", {"x"}, STDERR_FILENO, pid), ENOENT);
}

TEST(Processes, haveADescriptorThatIsReadableOnceTheyHaveEnded) {
    pid_t pid = 0;
    ASSERT_EQ(startProgram("true", {"true"}, STDERR_FILENO, pid), 0);
    const UniqueFd process = openProcess(pid);
    ASSERT_TRUE(process);
    pollfd event{.fd = process.get(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&event, 1, 60'000), 1);
    EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
}

}  // namespace
}  // namespace nnburst::system
