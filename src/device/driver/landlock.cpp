// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/landlock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "nnburst/memory.h"

namespace nnburst::device {

namespace {

// The kernel's interface (linux/landlock.h). Debian 12's header lacks what later kernels can do.

constexpr std::uint32_t kVersionFlag = 1;
constexpr int kPathBeneath = 1;

constexpr std::uint64_t kReadFile = 1U << 2;
constexpr std::uint64_t kReadDirectory = 1U << 3;
constexpr std::uint64_t kRemoveFile = 1U << 5;

struct RulesetAttributes {
    std::uint64_t handledFileAccess = 0;
    std::uint64_t handledNetworkAccess = 0;  // since version 4
    std::uint64_t scoped = 0;                // since version 6
};

struct [[gnu::packed]] PathBeneathAttributes {
    std::uint64_t allowedAccess;
    std::int32_t parentFd;
};

/// All rights that a kernel of this version can restrict.
RulesetAttributes everything(long version) noexcept {
    RulesetAttributes attributes;
    const unsigned fileRights = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
    attributes.handledFileAccess = (std::uint64_t{1} << fileRights) - 1;
    attributes.handledNetworkAccess = version >= 4 ? 3 : 0;  // TCP: bind, connect
    attributes.scoped = version >= 6 ? 3 : 0;                // abstract sockets, signals
    return attributes;
}

std::size_t sizeOfAttributes(long version) noexcept {
    return version >= 6   ? sizeof(RulesetAttributes)
           : version >= 4 ? 2 * sizeof(std::uint64_t)
                          : sizeof(std::uint64_t);
}

tl::unexpected<Error> failed(const std::string& what) {
    return failure(ErrorStatus::GENERAL_FAILURE,
                   fmt::format("sandbox: Landlock cannot {}: {}", what, std::strerror(errno)));
}

/// Allows `access` to what lies under `folder`. A folder that is not there needs no rule.
Result<> allow(const UniqueFd& ruleset, const std::string& folder, std::uint64_t access) {
    const UniqueFd parent(::open(folder.c_str(), O_PATH | O_CLOEXEC | O_DIRECTORY));
    if (!parent && errno == ENOENT) {
        return {};
    }
    const PathBeneathAttributes rule{.allowedAccess = access, .parentFd = parent.get()};
    if (!parent || ::syscall(SYS_landlock_add_rule, ruleset.get(), kPathBeneath, &rule, 0U) != 0) {
        return failed("allow files in " + folder);
    }
    return {};
}

}  // namespace

Result<bool> restrictFiles(const std::vector<std::string>& removableFrom) {
    const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kVersionFlag);
    if (version < 1) {
        return false;  // not compiled in, or switched off
    }
    const RulesetAttributes attributes = everything(version);
    const UniqueFd ruleset(static_cast<int>(
        ::syscall(SYS_landlock_create_ruleset, &attributes, sizeOfAttributes(version), 0U)));
    if (!ruleset) {
        return failed("make a set of rules");
    }
    NNBURST_TRY(allow(ruleset, "/proc", kReadFile));
    NNBURST_TRY(allow(ruleset, "/sys/devices/system/cpu", kReadFile | kReadDirectory));
    for (const std::string& folder : removableFrom) {
        NNBURST_TRY(allow(ruleset, folder, kRemoveFile));
    }
    if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0U) != 0) {
        return failed("be entered");
    }
    return true;
}

}  // namespace nnburst::device
