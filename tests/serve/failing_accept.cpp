// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// A library to preload: the first accept4(2) fails as if the system had no descriptor left.

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

extern "C" int accept4(int fd, sockaddr* address, socklen_t* length, int flags) {
    static std::atomic<bool> hasFailed = false;
    if (!hasFailed.exchange(true)) {
        errno = ENFILE;
        return -1;
    }
    return static_cast<int>(::syscall(SYS_accept4, fd, address, length, flags));
}
