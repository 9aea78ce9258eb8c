// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/program_starter.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "system/scheduling.h"

namespace nnburst::system {
namespace {

/// The number of descriptors of the thread that starts programs; 0 if there is no such thread.
std::size_t descriptorsOfStarter() {
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
        std::string name;
        std::ifstream(thread.path() / "comm") >> name;
        if (name == "nnburst-start") {
            const std::filesystem::directory_iterator descriptors(thread.path() / "fd");
            return static_cast<std::size_t>(std::distance(begin(descriptors), end(descriptors)));
        }
    }
    return 0;
}

TEST(ProgramStarter, hasNoDescriptorsOfItsProcess) {
    constexpr std::size_t kStandardOnesAndChannel = 4;
    const UniqueFd before(::dup(STDERR_FILENO));
    const auto starter = ProgramStarter::create();
    ASSERT_TRUE(starter) << starter.error().message;
    const UniqueFd after(::dup(STDERR_FILENO));
    EXPECT_EQ(descriptorsOfStarter(), kStandardOnesAndChannel);
    pid_t pid = 0;
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ((*starter)->start("true", {"true"}, after.get(), pid), 0);
        EXPECT_EQ(::waitpid(pid, nullptr, 0), pid) << "it is a child of the process";
    }
    EXPECT_EQ(descriptorsOfStarter(), kStandardOnesAndChannel);
}

TEST(ProgramStarter, givesAProgramItsDescriptorAndArguments) {
    const auto starter = ProgramStarter::create();
    ASSERT_TRUE(starter) << starter.error().message;
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const UniqueFd reader(ends[0]);
    UniqueFd writer(ends[1]);
    pid_t pid = 0;
    ASSERT_EQ((*starter)->start("sh", {"sh", "-c", "(cd /proc/$$/fd; echo $0 *) >&3", "name"},
                                writer.get(), pid),
              0);
    writer.reset();
    EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
    std::array<char, 64> output{};
    const ssize_t count = ::read(reader.get(), output.data(), output.size());
    ASSERT_GT(count, 0);
    EXPECT_EQ(std::string(output.data(), static_cast<std::size_t>(count)), "name 0 1 2 3\n");
}

TEST(ProgramStarter, startsProgramsWithALowPriorityThatTheyMayLeave) {
    int expected = ::getpriority(PRIO_PROCESS, 0);
    if (mayProgramsLeaveScopes()) {
        const ScopedLowPriority low;
        expected = ::getpriority(PRIO_PROCESS, 0);
    }
    const auto starter = ProgramStarter::create();
    ASSERT_TRUE(starter) << starter.error().message;
    pid_t pid = 0;
    ASSERT_EQ((*starter)->start("sleep", {"sleep", "10"}, STDERR_FILENO, pid), 0);
    EXPECT_EQ(::getpriority(PRIO_PROCESS, static_cast<id_t>(pid)), expected);
    ::kill(pid, SIGKILL);
    EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
}

TEST(ProgramStarter, saysWhyAProgramDoesNotStart) {
    const auto starter = ProgramStarter::create();
    ASSERT_TRUE(starter) << starter.error().message;
    pid_t pid = 0;
    EXPECT_EQ((*starter)->start("/no/such/program", {"x"}, STDERR_FILENO, pid), ENOENT);
    EXPECT_EQ((*starter)->start("true", {"true"}, -1, pid), EBADF);
    ASSERT_EQ((*starter)->start("true", {"true"}, STDERR_FILENO, pid), 0);
    EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
}

}  // namespace
}  // namespace nnburst::system
