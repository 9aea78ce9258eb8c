// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/rpc/unix_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include "nnburst/device.h"

namespace nnburst::device {

namespace {

constexpr int kWaitingConnections = 64;
/// What chown(2) leaves as it is.
constexpr auto kSameOwner = static_cast<uid_t>(-1);

tl::unexpected<Error> failed(ErrorStatus status, const char* what, const std::string& path) {
    return failure(status, fmt::format("cannot {} '{}': {}", what, path, std::strerror(errno)));
}

Result<sockaddr_un> addressOf(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof(address.sun_path)) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("socket path '{}' has {} bytes: must have 1 to {}", path,
                                   path.size(), sizeof(address.sun_path) - 1));
    }
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

Result<UniqueFd> makeSocket(int flags = 0) {
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
    if (!fd) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                       fmt::format("cannot make a socket: {}", std::strerror(errno)));
    }
    return fd;
}

/// Limits the time that connect(2) waits for room among the connections that wait; 0: no limit.
void setSendTimeout(const UniqueFd& fd, std::chrono::milliseconds limit) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
    const timeval time{.tv_sec = seconds.count(),
                       .tv_usec = std::chrono::microseconds(limit - seconds).count()};
    (void)::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
}

/// The directory of the file `path`, which may be a directory that this user cannot read.
Result<UniqueFd> openDirectoryOf(const std::string& path) {
    const std::filesystem::path parent = std::filesystem::path(path).parent_path();
    UniqueFd directory(
        ::open(parent.empty() ? "." : parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) {
        return failed(ErrorStatus::GENERAL_FAILURE, "open the directory of", path);
    }
    return directory;
}

/// Keeps other drivers from replacing a socket file in the same directory meanwhile. Leaves no
/// file. Goes on without the lock after kLockTimeout: any user who may read the directory can hold
/// it.
UniqueFd lockDirectory(const UniqueFd& directory) {
    constexpr std::chrono::milliseconds kLockTimeout{1000};
    constexpr std::chrono::milliseconds kRetryInterval{10};
    UniqueFd lock(::openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const auto end = std::chrono::steady_clock::now() + kLockTimeout;
    while (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 &&
           (errno == EWOULDBLOCK || errno == EINTR) && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(kRetryInterval);
    }
    return lock;
}

/// Whether a process listens at `path`. Does not wait for it to accept. An error if that cannot be
/// found out.
Result<bool> isListenedAt(const std::string& path) {
    NNBURST_TRY_ASSIGN(const sockaddr_un address, addressOf(path));
    NNBURST_TRY_ASSIGN(const UniqueFd fd, makeSocket(SOCK_NONBLOCK));
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 ||
        errno == EAGAIN) {  // so many connections wait that there is no room
        return true;
    }
    if (errno == ECONNREFUSED || errno == ENOENT) {  // ENOENT: removed meanwhile
        return false;
    }
    return failed(ErrorStatus::GENERAL_FAILURE, "find out whether a driver listens at", path);
}

/// Removes what a dead driver left at `path`.
Result<> removeStale(const std::string& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) {
        return {};
    }
    if (!S_ISSOCK(status.st_mode)) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("cannot listen at '{}': a file that is no socket is there; "
                                   "remove it or choose another path",
                                   path));
    }
    NNBURST_TRY_ASSIGN(const bool isLiving, isListenedAt(path));
    if (isLiving) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("cannot listen at '{}': another driver listens there; stop it "
                                   "or choose another path",
                                   path));
    }
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
        return failed(ErrorStatus::GENERAL_FAILURE, "remove the stale socket", path);
    }
    return {};
}

}  // namespace

Result<UniqueFd> connectUnixSocket(const std::string& path) {
    NNBURST_TRY_ASSIGN(const sockaddr_un address, addressOf(path));
    NNBURST_TRY_ASSIGN(UniqueFd fd, makeSocket());
    // If the backlog is full, connect(2) waits no longer than other calls. A signal ends its wait,
    // even one whose handler has SA_RESTART (signal(7)).
    const auto end = std::chrono::steady_clock::now() + kHangTimeout;
    auto left = kHangTimeout;
    int status = 0;
    do {
        setSendTimeout(fd, left);
        status = ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
        left = std::chrono::duration_cast<std::chrono::milliseconds>(
            end - std::chrono::steady_clock::now());
    } while (status != 0 && errno == EINTR && left > std::chrono::milliseconds(0));
    if (status != 0) {
        return failed(ErrorStatus::DEVICE_UNAVAILABLE, "connect to the driver at", path);
    }
    setSendTimeout(fd, {});
    return fd;
}

UnixListener::UnixListener(UniqueFd fd, std::string path, ino_t inode) noexcept
    : fd_(std::move(fd)), path_(std::move(path)), inode_(inode) {}

UnixListener::UnixListener(UnixListener&& other) noexcept
    : fd_(std::move(other.fd_)), path_(std::exchange(other.path_, {})), inode_(other.inode_) {}

UnixListener::~UnixListener() {
    struct stat status {};
    if (!path_.empty() && ::lstat(path_.c_str(), &status) == 0 && status.st_ino == inode_) {
        ::unlink(path_.c_str());
    }
}

Result<UnixListener> UnixListener::listen(const std::string& path,
                                          const SocketPermissions& permissions) {
    NNBURST_TRY(addressOf(path));
    NNBURST_TRY_ASSIGN(const UniqueFd directory, openDirectoryOf(path));
    // The file gets its name when the socket listens, so that whoever sees it there can connect.
    // The first name begins with the descriptor of the directory, so that it fits into an address.
    const std::string unready = fmt::format("/proc/self/fd/{}/.{}", directory.get(), ::getpid());
    NNBURST_TRY_ASSIGN(const sockaddr_un address, addressOf(unready));
    NNBURST_TRY_ASSIGN(UniqueFd fd, makeSocket());
    const UniqueFd lock = lockDirectory(directory);
    NNBURST_TRY(removeStale(path));
    NNBURST_TRY(removeStale(unready));
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
        return failed(ErrorStatus::GENERAL_FAILURE, "bind a socket to", path);
    }
    const auto abandon = [&](const char* what) {
        auto error = failed(ErrorStatus::GENERAL_FAILURE, what, path);
        ::unlink(unready.c_str());
        return error;
    };
    if (permissions.group && ::lchown(unready.c_str(), kSameOwner, *permissions.group) != 0) {
        return abandon("change the group of the socket");
    }
    struct stat status {};
    if (::chmod(unready.c_str(), permissions.mode) != 0 || ::lstat(unready.c_str(), &status) != 0 ||
        ::listen(fd.get(), kWaitingConnections) != 0 ||
        ::link(unready.c_str(), path.c_str()) != 0) {  // unlike rename(2), it replaces nothing
        return abandon("listen at");
    }
    ::unlink(unready.c_str());
    return UnixListener(std::move(fd), path, status.st_ino);
}

}  // namespace nnburst::device
