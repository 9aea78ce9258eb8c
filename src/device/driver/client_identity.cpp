// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/client_identity.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "nnburst/memory.h"

namespace nnburst::device {

namespace {

/// Limit on the supplementary groups of a user (NGROUPS_MAX of Linux).
constexpr std::size_t kMaximumGroups = 65536;

tl::unexpected<Error> failed(int socket, const char* what) {
    return failure(ErrorStatus::GENERAL_FAILURE,
                   fmt::format("cannot read the {} of the client on descriptor {}: {}", what,
                               socket, std::strerror(errno)));
}

/// The name in /proc/PID/comm, which the process can change to anything: unprintable characters
/// become '?'. Other files of /proc can block on a lock of the process; this one does not.
std::string programOf(pid_t pid) {
    const UniqueFd file(::open(fmt::format("/proc/{}/comm", pid).c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 64> name{};
    const ssize_t count = file ? ::read(file.get(), name.data(), name.size()) : -1;
    if (count <= 0) {
        return {};
    }
    std::string program(name.data(), static_cast<std::size_t>(count));
    if (program.back() == '\n') {
        program.pop_back();
    }
    std::replace_if(
        program.begin(), program.end(),
        [](char letter) { return letter < ' ' || letter > '~' || letter == '\''; }, '?');
    return program;
}

}  // namespace

Result<ClientIdentity> identifyClient(int socket) {
    ucred credentials{};
    socklen_t size = sizeof(credentials);
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
        return failed(socket, "user");
    }
    ClientIdentity identity{.process = credentials.pid,
                            .user = credentials.uid,
                            .group = credentials.gid,
                            .groups = {},
                            .program = {}};
    size = 0;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, nullptr, &size) != 0) {
        // ERANGE tells the size that is needed.
        if (errno != ERANGE || size / sizeof(gid_t) > kMaximumGroups) {
            return failed(socket, "groups");
        }
        identity.groups.resize(size / sizeof(gid_t));
        if (::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, identity.groups.data(), &size) != 0) {
            return failed(socket, "groups");
        }
    }
    if (identity.process > 0) {
        identity.program = programOf(identity.process);
    }
    return identity;
}

}  // namespace nnburst::device
