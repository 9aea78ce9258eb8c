// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// A library for LD_PRELOAD that makes files behave as those of a hostile FUSE server, which tests
/// cannot mount everywhere: files whose name contains "close-fails" give EIO when they are closed;
/// on files whose name contains "stalls" calls wait until the file NAME.released exists, and on
/// files whose name contains "late-writes" only ftruncate(2) does, and on those, also memfds, whose
/// name contains "late-closes" only close(2). Memory is freed slowly, too: madvise(2) with
/// MADV_DONTNEED waits until the file that NNBURST_MEMORY_RELEASED names exists. So does a read
/// from a socket that drops descriptors.

#include <dlfcn.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

std::string nameOf(int fd) {
    std::array<char, 512> target{};
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    const ssize_t length = ::readlink(link.c_str(), target.data(), target.size());
    return length > 0 ? std::string(target.data(), static_cast<std::size_t>(length))
                      : std::string();
}

void waitIf(int fd, std::string_view part) {
    const int error = errno;
    const std::string name = nameOf(fd);
    if (name.find(part) != std::string::npos) {
        const std::string released = name + ".released";
        while (::access(released.c_str(), F_OK) != 0) {
            ::usleep(1000);
        }
    }
    errno = error;
}

void waitForRelease() {
    const char* const released = std::getenv("NNBURST_MEMORY_RELEASED");
    while (released != nullptr && ::access(released, F_OK) != 0) {
        ::usleep(1000);
    }
}

/// The function of libc that `name` hides.
template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int close(int fd) {
    static auto* const original = next<int(int)>("close");
    waitIf(fd, "stalls");
    waitIf(fd, "late-closes");
    const bool fails = nameOf(fd).find("close-fails") != std::string::npos;
    const int result = original(fd);
    if (fails && result == 0) {
        errno = EIO;
        return -1;
    }
    return result;
}

int fstat(int fd, struct stat* status) {
    static auto* const original = next<int(int, struct stat*)>("fstat");
    waitIf(fd, "stalls");
    return original(fd, status);
}

int fstatfs(int fd, struct statfs* status) {
    static auto* const original = next<int(int, struct statfs*)>("fstatfs");
    waitIf(fd, "stalls");
    return original(fd, status);
}

int madvise(void* memory, std::size_t bytes, int advice) {
    static auto* const original = next<int(void*, std::size_t, int)>("madvise");
    if (advice == MADV_DONTNEED) {
        waitForRelease();
    }
    return original(memory, bytes, advice);
}

ssize_t recvmsg(int fd, struct msghdr* message, int flags) {
    static auto* const original = next<ssize_t(int, struct msghdr*, int)>("recvmsg");
    const ssize_t result = original(fd, message, flags);
    if (result >= 0 && (flags & MSG_PEEK) == 0 && (message->msg_flags & MSG_CTRUNC) != 0) {
        waitForRelease();
    }
    return result;
}

ssize_t read(int fd, void* buffer, std::size_t bytes) {
    static auto* const original = next<ssize_t(int, void*, std::size_t)>("read");
    msghdr message{};
    if (::recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT) >= 0 &&
        (message.msg_flags & MSG_CTRUNC) != 0) {
        waitForRelease();
    }
    return original(fd, buffer, bytes);
}

int ftruncate(int fd, off_t length) {
    static auto* const original = next<int(int, off_t)>("ftruncate");
    waitIf(fd, "stalls");
    waitIf(fd, "late-writes");
    return original(fd, length);
}

}  // extern "C"
