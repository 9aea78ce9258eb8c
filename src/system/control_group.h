// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Limits of the control group of this process (cgroups(7)), which containers and units of systemd
/// have.

#include <cstdint>
#include <filesystem>
#include <limits>

namespace nnburst::system {

inline constexpr std::uint64_t kNoMemoryLimit = std::numeric_limits<std::uint64_t>::max();

/// The limit on the memory of the group and of all groups above it, in bytes; kNoMemoryLimit if
/// there is none, or if it cannot be read. Knows both versions of control groups. Tests name
/// `ofProcess`, a file as /proc/self/cgroup, and `root`, where the groups are mounted.
[[nodiscard]] std::uint64_t memoryLimitOfControlGroup(
    const std::filesystem::path& ofProcess = "/proc/self/cgroup",
    const std::filesystem::path& root = "/sys/fs/cgroup");

}  // namespace nnburst::system
