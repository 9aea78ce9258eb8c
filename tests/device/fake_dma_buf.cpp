// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "fake_dma_buf.h"

#include <linux/dma-buf.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <ctime>
#include <string_view>

namespace nnburst::test {

FakeDmaBufs& fakeDmaBufs() {
    static FakeDmaBufs instance;
    return instance;
}

namespace {

bool isFake(int fd) {
    std::array<char, 64> link{};
    std::array<char, 64> target{};
    std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", fd);
    const ssize_t length = ::readlink(link.data(), target.data(), target.size());
    return length > 0 && std::string_view(target.data(), static_cast<std::size_t>(length))
                                 .find(kFakeDmaBufName) != std::string_view::npos;
}

}  // namespace
}  // namespace nnburst::test

// In the place of the functions of libc.
extern "C" {

int fstatfs(int fd, struct statfs* status) noexcept {
    const long result = ::syscall(SYS_fstatfs, fd, status);
    if (result == 0 && nnburst::test::isFake(fd)) {
        status->f_type = DMA_BUF_MAGIC;
    }
    return static_cast<int>(result);
}

int ioctl(int fd, unsigned long request, ...) noexcept {
    std::va_list arguments;
    va_start(arguments, request);
    void* const argument = va_arg(arguments, void*);
    va_end(arguments);
    if (request != DMA_BUF_IOCTL_SYNC || !nnburst::test::isFake(fd)) {
        return static_cast<int>(::syscall(SYS_ioctl, fd, request, argument));
    }
    nnburst::test::FakeDmaBufs& fakes = nnburst::test::fakeDmaBufs();
    const bool isEnd = (static_cast<dma_buf_sync*>(argument)->flags & DMA_BUF_SYNC_END) != 0;
    if (fakes.refuse) {
        errno = EIO;
        return -1;
    }
    ++(isEnd ? fakes.ended : fakes.begun);
    return 0;
}

int poll(pollfd* events, nfds_t count, int timeoutMs) {
    if (count == 1 && nnburst::test::fakeDmaBufs().areInUse && nnburst::test::isFake(events->fd)) {
        return 0;
    }
    timespec timeout{.tv_sec = timeoutMs / 1000, .tv_nsec = timeoutMs % 1000 * 1'000'000L};
    return static_cast<int>(::syscall(SYS_ppoll, events, count, timeoutMs < 0 ? nullptr : &timeout,
                                      nullptr, std::size_t{8}));
}

ssize_t pread(int fd, void* buffer, size_t count, off_t offset) {
    if (nnburst::test::isFake(fd)) {
        errno = EINVAL;
        return -1;
    }
    return ::syscall(SYS_pread64, fd, buffer, count, offset);
}

ssize_t pwrite(int fd, const void* buffer, size_t count, off_t offset) {
    if (nnburst::test::isFake(fd)) {
        errno = EINVAL;
        return -1;
    }
    return ::syscall(SYS_pwrite64, fd, buffer, count, offset);
}

}  // extern "C"
