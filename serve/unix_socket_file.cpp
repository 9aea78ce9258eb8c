// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "unix_socket_file.h"

#include <fcntl.h>
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

namespace nnburst::serve {
namespace {

Outcome<sockaddr_un> socketAddress(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path)) {
        return refuse(Code::INVALID_ARGUMENT,
                      "cannot listen on unix:{}: the path has {} bytes: must have at most {}", path,
                      path.size(), sizeof(address.sun_path) - 1);
    }
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

/// Goes on without the lock after kLockTimeout: any user who may read the folder can hold it.
UniqueFd lockFolderOf(const std::string& path) {
    constexpr std::chrono::milliseconds kLockTimeout{1000};
    constexpr std::chrono::milliseconds kRetryInterval{10};
    const std::filesystem::path parent = std::filesystem::path(path).parent_path();
    UniqueFd folder(
        ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const auto end = std::chrono::steady_clock::now() + kLockTimeout;
    while (folder && ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0 &&
           (errno == EWOULDBLOCK || errno == EINTR) && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(kRetryInterval);
    }
    return folder;
}

/// Whether a process listens on the socket at `address`. Does not wait for it to accept.
Outcome<bool> isListenedOn(const sockaddr_un& address, const std::string& path) {
    const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) {
        return refuse(Code::RESOURCE_EXHAUSTED, "cannot make a socket: {}", std::strerror(errno));
    }
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    // EAGAIN: so many connections wait that there is no room.
    if (::connect(socket.get(), generic, sizeof(address)) == 0 || errno == EAGAIN) {
        return true;
    }
    if (errno == ECONNREFUSED || errno == ENOENT) {  // ENOENT: removed meanwhile
        return false;
    }
    return refuse(Code::UNAVAILABLE,
                  "cannot listen on unix:{}: cannot find out whether a process listens there: {}",
                  path, std::strerror(errno));
}

}  // namespace

Outcome<UniqueFd> claimSocketPath(const std::string& path) {
    NNBURST_SERVE_TRY_ASSIGN(const sockaddr_un address, socketAddress(path));
    UniqueFd lock = lockFolderOf(path);
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) {
        return lock;
    }
    if (!S_ISSOCK(status.st_mode)) {
        return refuse(Code::UNAVAILABLE,
                      "cannot listen on unix:{}: a file that is no socket is there; remove it or "
                      "choose another path",
                      path);
    }
    NNBURST_SERVE_TRY_ASSIGN(const bool isLiving, isListenedOn(address, path));
    if (isLiving) {
        return refuse(Code::UNAVAILABLE,
                      "cannot listen on unix:{}: another process listens there; stop it or choose "
                      "another path",
                      path);
    }
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
        return refuse(Code::UNAVAILABLE,
                      "cannot listen on unix:{}: cannot remove the stale socket: {}", path,
                      std::strerror(errno));
    }
    return lock;
}

UnixSocketFile::UnixSocketFile(std::string path) : path_(std::move(path)) {
    struct stat status {};
    if (::lstat(path_.c_str(), &status) == 0) {
        device_ = status.st_dev;
        inode_ = status.st_ino;
    }
}

UnixSocketFile::~UnixSocketFile() {
    struct stat status {};
    if (::lstat(path_.c_str(), &status) == 0 && status.st_dev == device_ &&
        status.st_ino == inode_) {
        ::unlink(path_.c_str());
    }
}

}  // namespace nnburst::serve
