// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "service_manager.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace nnburst {

namespace {

std::string_view environment(const char* name) noexcept {
    const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): it is never set
    return value == nullptr ? std::string_view() : value;
}

/// sd_watchdog_enabled(3).
std::chrono::microseconds watchdogTimeOfEnvironment() noexcept {
    const std::string_view process = environment("WATCHDOG_PID");
    if (!process.empty() && process != std::to_string(::getpid())) {
        return std::chrono::microseconds(0);
    }
    const std::string_view text = environment("WATCHDOG_USEC");
    std::int64_t microseconds = 0;
    std::from_chars(text.data(), text.data() + text.size(), microseconds);
    return std::chrono::microseconds(std::max<std::int64_t>(microseconds, 0));
}

}  // namespace

Result<ServiceManager> ServiceManager::connect() {
    ServiceManager manager;
    const std::string_view path = environment("NOTIFY_SOCKET");
    if (path.empty()) {
        return manager;
    }
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path) || (path[0] != '/' && path[0] != '@')) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("NOTIFY_SOCKET is '{}': must be a path, or '@' and the name of "
                                   "an abstract socket, of at most {} bytes",
                                   path, sizeof(address.sun_path) - 1));
    }
    std::memcpy(address.sun_path, path.data(), path.size());
    if (path[0] == '@') {
        address.sun_path[0] = '\0';
    }
    manager.socket_ = UniqueFd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    if (!manager.socket_ ||
        ::connect(manager.socket_.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("cannot connect to the service manager at '{}': {}", path,
                                   std::strerror(errno)));
    }
    manager.watchdogTime_ = watchdogTimeOfEnvironment();
    return manager;
}

bool ServiceManager::notify(const std::string& lines) const noexcept {
    return socket_ &&
           ::send(socket_.get(), lines.data(), lines.size(), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

}  // namespace nnburst
