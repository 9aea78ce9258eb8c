// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/control_group.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

namespace nnburst::system {

namespace {

/// The number in `file`; "max", as anything else that is no number, is no limit.
std::uint64_t limitIn(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::uint64_t limit = 0;
    return in >> limit ? limit : kNoMemoryLimit;
}

/// The lowest limit of the group `group` below `root` and of those above it. In a container the
/// group's path may be one that is not mounted; the limit is that of `root` then.
std::uint64_t lowestLimit(const std::filesystem::path& root, std::string_view group,
                          const char* file) {
    std::uint64_t lowest = limitIn(root / file);
    std::filesystem::path path = root;
    for (const std::filesystem::path& part : std::filesystem::path(group).relative_path()) {
        path /= part;
        lowest = std::min(lowest, limitIn(path / file));
    }
    return lowest;
}

}  // namespace

std::uint64_t memoryLimitOfControlGroup(const std::filesystem::path& ofProcess,
                                        const std::filesystem::path& root) {
    std::ifstream groups(ofProcess);
    std::uint64_t lowest = kNoMemoryLimit;
    // HIERARCHY:CONTROLLERS:GROUP; version 2 is hierarchy 0, without controllers.
    for (std::string line; std::getline(groups, line);) {
        const std::string_view text = line;
        const std::size_t first = text.find(':');
        const std::size_t second = text.find(':', first + 1);
        if (first == std::string_view::npos || second == std::string_view::npos) {
            continue;
        }
        const std::string_view controllers = text.substr(first + 1, second - first - 1);
        const std::string_view group = text.substr(second + 1);
        if (controllers.empty()) {
            lowest = std::min(lowest, lowestLimit(root, group, "memory.max"));
        } else if (controllers == "memory") {
            lowest = std::min(lowest, lowestLimit(root / "memory", group, "memory.limit_in_bytes"));
        }
    }
    return lowest;
}

}  // namespace nnburst::system
