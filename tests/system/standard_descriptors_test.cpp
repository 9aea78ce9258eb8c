// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/standard_descriptors.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace nnburst::system {
namespace {

/// In a process that closes `closed`: whether it is /dev/null, and the next descriptor is no
/// standard one.
[[noreturn]] void openAfterClosing(int closed) {
    ::close(closed);
    openStandardDescriptors();
    const std::string link = "/proc/self/fd/" + std::to_string(closed);
    const bool isNull = std::filesystem::read_symlink(link) == "/dev/null";
    ::_exit(isNull && ::open("/", O_RDONLY | O_CLOEXEC) > STDERR_FILENO ? 0 : 1);
}

TEST(StandardDescriptors, areOpenedIfTheyWereClosed) {
    for (const int closed : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        EXPECT_EXIT(openAfterClosing(closed), testing::ExitedWithCode(0), "") << closed;
    }
}

TEST(StandardDescriptors, stayAsTheyAreIfTheyAreOpen) {
    const auto target = [] { return std::filesystem::read_symlink("/proc/self/fd/2"); };
    const std::filesystem::path before = target();
    openStandardDescriptors();
    EXPECT_EQ(target(), before);
}

}  // namespace
}  // namespace nnburst::system
