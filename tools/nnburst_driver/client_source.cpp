// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "client_source.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "device/driver/access_list.h"

namespace nnburst {

using driver::Options;

namespace {

/// The first descriptor that systemd passes (sd_listen_fds(3)).
constexpr int kFirstSystemdFd = 3;

/// The socket on which systemd listens for this process, if systemd started it: LISTEN_PID is our
/// process and LISTEN_FDS the number of sockets.
Result<std::optional<int>> systemdSocket() {
    const char* pid = std::getenv("LISTEN_PID");
    const char* count = std::getenv("LISTEN_FDS");
    if (pid == nullptr || count == nullptr || std::to_string(::getpid()) != pid) {
        return std::optional<int>();
    }
    if (std::string_view(count) != "1") {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("systemd passes {} sockets; the unit must have one "
                                   "ListenStream=",
                                   count));
    }
    return std::optional<int>(kFirstSystemdFd);
}

/// Checks that a descriptor is a Unix socket of the kind that is needed.
Result<> checkSocket(int fd, bool isListening) {
    int domain = 0;
    int accepts = 0;
    socklen_t size = sizeof(int);
    if (::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 ||
        ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &size) != 0 || domain != AF_UNIX ||
        (accepts != 0) != isListening) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("descriptor {} is not a {} Unix socket", fd,
                                   isListening ? "listening" : "connected"));
    }
    return {};
}

Result<device::SocketPermissions> permissionsOf(const Options& options) {
    device::SocketPermissions permissions;
    if (!options.socketMode.empty()) {
        permissions.mode =
            static_cast<mode_t>(std::strtoul(options.socketMode.c_str(), nullptr, 8));
    }
    if (!options.socketGroup.empty()) {
        NNBURST_TRY_ASSIGN(permissions.group, device::groupOf(options.socketGroup));
    }
    return permissions;
}

}  // namespace

Result<ClientSource> chooseSource(const Options& options) {
    ClientSource source{
        .listener = {}, .systemd = {}, .fd = options.fd, .worker = options.workerFd};
    NNBURST_TRY_ASSIGN(source.systemd, systemdSocket());
    const int ways = (options.socketPath.empty() ? 0 : 1) + (options.fd >= 0 ? 1 : 0) +
                     (source.systemd ? 1 : 0) + (options.workerFd >= 0 ? 1 : 0);
    if (ways != 1) {
        return failure(
            ErrorStatus::INVALID_ARGUMENT,
            fmt::format("{} sockets to serve on: must be 1, by --socket PATH, --fd N or socket "
                        "activation by systemd",
                        ways));
    }
    if (source.systemd) {
        NNBURST_TRY(checkSocket(*source.systemd, true));
    }
    for (const int connected : {source.fd, source.worker}) {
        if (connected >= 0) {
            NNBURST_TRY(checkSocket(connected, false));
        }
    }
    return source;
}

Result<> checkSocketOptions(const Options& options) {
    const auto only = [](const char* option, const char* way) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("{} can be given only with {}", option, way));
    };
    if (options.socketPath.empty() && !options.socketMode.empty()) {
        return only("--socket-mode", "--socket (socket units have SocketMode=)");
    }
    if (options.socketPath.empty() && !options.socketGroup.empty()) {
        return only("--socket-group", "--socket (socket units have SocketGroup=)");
    }
    if (options.fd >= 0 && !options.allowedUsers.empty()) {
        return only("--allow-user", "--socket or socket activation");
    }
    if (options.fd >= 0 && options.isolation != device::Isolation::NONE) {
        return only("--isolate", "--socket or socket activation");
    }
    if (options.fd >= 0 && !options.allowedGroups.empty()) {
        return only("--allow-group", "--socket or socket activation");
    }
    return {};
}

std::string nameOf(const ClientSource& source, const Options& options) {
    return source.systemd ? "the socket of systemd" : options.socketPath;
}

Result<> openSocket(const Options& options, ClientSource& source) {
    if (options.socketPath.empty()) {
        return {};
    }
    NNBURST_TRY_ASSIGN(const device::SocketPermissions permissions, permissionsOf(options));
    NNBURST_TRY_ASSIGN(auto listener,
                       device::UnixListener::listen(options.socketPath, permissions));
    source.listener = std::make_unique<device::UnixListener>(std::move(listener));
    return {};
}

Result<MetricsSockets> MetricsSockets::open(const Options& options) {
    MetricsSockets sockets;
    if (!options.metricsSocket.empty()) {
        NNBURST_TRY_ASSIGN(const device::SocketPermissions permissions, permissionsOf(options));
        NNBURST_TRY_ASSIGN(auto listener,
                           device::UnixListener::listen(options.metricsSocket, permissions));
        sockets.local = std::make_unique<device::UnixListener>(std::move(listener));
    }
    if (options.metricsPort != 0) {
        NNBURST_TRY_ASSIGN(sockets.loopback, device::listenOnLoopback(options.metricsPort));
    }
    return sockets;
}

kj::Promise<void> MetricsSockets::serve(device::MetricsServer& server) const {
    kj::Promise<void> served = kj::NEVER_DONE;
    if (local) {
        served = served.exclusiveJoin(server.listen(local->fd()));
    }
    if (loopback) {
        served = served.exclusiveJoin(server.listen(loopback.get()));
    }
    return served;
}

}  // namespace nnburst
