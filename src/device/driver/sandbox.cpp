// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/sandbox.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "device/driver/landlock.h"
#include "device/driver/system_call_filter.h"

namespace nnburst::device {

namespace {

tl::unexpected<Error> failed(const char* what) {
    return failure(ErrorStatus::GENERAL_FAILURE,
                   fmt::format("sandbox: cannot {}: {}; --no-sandbox runs without", what,
                               std::strerror(errno)));
}

std::uint32_t maskOf(int capability) noexcept {
    static_assert(CAP_SYS_NICE < 32 && CAP_IPC_LOCK < 32);
    return std::uint32_t{1} << static_cast<unsigned>(capability);
}

/// Drops all capabilities but those of `keep` (of the first 32) that the process has.
Result<> dropCapabilities(std::uint32_t keep) {
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
    if (::syscall(SYS_capget, &header, sets.data()) != 0) {
        return failed("read the capabilities");
    }
    const std::uint32_t kept = sets[0].permitted & keep;
    sets = {};
    sets[0].effective = kept;
    sets[0].permitted = kept;
    if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 ||
        ::syscall(SYS_capset, &header, sets.data()) != 0) {
        return failed("drop the capabilities");
    }
    return {};
}

}  // namespace

Result<> refuseNewPrivileges() {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return failed("refuse new privileges");
    }
    return {};
}

Result<bool> restrictRights(const SandboxNeeds& needs) {
    NNBURST_TRY(refuseNewPrivileges());
    NNBURST_TRY(
        dropCapabilities(maskOf(CAP_SYS_NICE) | (needs.lockedMemory ? maskOf(CAP_IPC_LOCK) : 0)));
    return restrictFiles(needs.removableFrom);
}

Result<> restrictSystemCalls() {
    return installSystemCallFilter();
}

}  // namespace nnburst::device
