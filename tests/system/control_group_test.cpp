// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/control_group.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace nnburst::system {
namespace {

/// Files as the kernel shows them.
class ControlGroup : public testing::Test {
  protected:
    ~ControlGroup() override { std::filesystem::remove_all(root_); }

    void write(const std::filesystem::path& file, const std::string& text) const {
        std::filesystem::create_directories((root_ / file).parent_path());
        std::ofstream(root_ / file) << text;
    }
    [[nodiscard]] std::uint64_t limit() const {
        return memoryLimitOfControlGroup(root_ / "groups", root_ / "mounted");
    }

    const std::filesystem::path root_ =
        std::filesystem::temp_directory_path() / ("nnburst-groups-" + std::to_string(::getpid()));
};

TEST_F(ControlGroup, hasTheLowestLimitOfAllAboveIt) {
    write("groups", "0::/machine/driver\n");
    write("mounted/machine/memory.max", "3000\n");
    write("mounted/machine/driver/memory.max", "max\n");
    EXPECT_EQ(limit(), 3000U);
    write("mounted/machine/driver/memory.max", "2000\n");
    EXPECT_EQ(limit(), 2000U);
}

TEST_F(ControlGroup, hasTheLimitOfTheRootThatAContainerSees) {
    write("groups", "0::/\n");
    write("mounted/memory.max", "1000\n");
    EXPECT_EQ(limit(), 1000U);
    write("groups", "0::/a/path/outside\n");
    EXPECT_EQ(limit(), 1000U);
}

TEST_F(ControlGroup, mayBeOfTheFirstVersion) {
    write("groups", "5:cpu,cpuacct:/\n4:memory:/driver\n0::/\n");
    write("mounted/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write("mounted/memory/driver/memory.limit_in_bytes", "4096\n");
    EXPECT_EQ(limit(), 4096U);
}

TEST_F(ControlGroup, hasNoLimitThatCannotBeRead) {
    EXPECT_EQ(limit(), kNoMemoryLimit);
    write("groups", "nonsense\n0::/driver\n");
    EXPECT_EQ(limit(), kNoMemoryLimit);
}

}  // namespace
}  // namespace nnburst::system
