// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/device_buffer.h"

#include <linux/dma-buf.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>

#include "memory/mapped_pages.h"

namespace nnburst {

namespace {

using namespace std::chrono_literals;

/// Devices that use the buffers of a request for longer, such as a GPU that hangs, cost the
/// request, not the thread.
constexpr std::chrono::milliseconds kLongestDeviceUse{1000};

Result<> synchronise(int fd, std::uint64_t flags, const char* what) {
    dma_buf_sync sync{.flags = flags | DMA_BUF_SYNC_RW};
    while (::ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync) != 0) {
        if (errno != EINTR && errno != EAGAIN) {
            return failure(ErrorStatus::GENERAL_FAILURE,
                           std::string("cannot ") + what +
                               " the access to a device buffer: " + std::strerror(errno));
        }
    }
    return {};
}

/// Calls `copy` with the address of `length` bytes at `offset`.
template <class Copy>
Result<> withBytes(int fd, std::uint64_t offset, std::size_t length, const Copy& copy) {
    if (length == 0) {
        return {};
    }
    const MappedPages pages(fd, offset, length);
    if (!pages) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                       "cannot map " + std::to_string(length) +
                           " bytes of a device buffer: " + std::strerror(errno));
    }
    DeviceBufferAccess access;
    NNBURST_TRY(access.begin(fd));
    copy(pages.data());
    return access.end();
}

}  // namespace

bool isDeviceBuffer(int fd) noexcept {
    struct statfs fileSystem {};
    return ::fstatfs(fd, &fileSystem) == 0 && fileSystem.f_type == DMA_BUF_MAGIC;
}

DeviceBufferAccess::DeviceBufferAccess(const OptionalTimePoint& deadline) noexcept
    : latest_(std::chrono::steady_clock::now() + kLongestDeviceUse),
      end_(std::clamp(deadline.value_or(latest_), latest_ - kLongestDeviceUse, latest_)) {}

/// Without a device that uses the buffer it can be written at once.
Result<> DeviceBufferAccess::awaitDevices(int fd) const {
    pollfd event{.fd = fd, .events = POLLOUT, .revents = 0};
    int ready = 0;
    do {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
        ready =
            ::poll(&event, 1, static_cast<int>(std::clamp(left, 0ms, kLongestDeviceUse).count()));
    } while (ready < 0 && errno == EINTR);
    if (ready != 0) {
        return {};
    }
    if (end_ < latest_) {
        return failure(ErrorStatus::MISSED_DEADLINE_TRANSIENT,
                       "the deadline has passed while a device used a buffer of the request");
    }
    return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                   "a device still uses a buffer of the request after " +
                       std::to_string(kLongestDeviceUse.count()) + " ms");
}

Result<> DeviceBufferAccess::begin(int fd) {
    NNBURST_TRY(awaitDevices(fd));
    NNBURST_TRY(synchronise(fd, DMA_BUF_SYNC_START, "begin"));
    begun_.push_back(fd);
    return {};
}

Result<> DeviceBufferAccess::end() {
    Result<> ended;
    for (const int fd : begun_) {
        if (Result<> one = synchronise(fd, DMA_BUF_SYNC_END, "end"); !one) {
            ended = std::move(one);
        }
    }
    begun_.clear();
    return ended;
}

Result<> readDeviceBuffer(int fd, std::uint64_t offset, std::span<std::byte> destination) {
    return withBytes(fd, offset, destination.size(), [&](const std::byte* source) {
        std::memcpy(destination.data(), source, destination.size());
    });
}

Result<> writeDeviceBuffer(int fd, std::uint64_t offset, std::span<const std::byte> source) {
    return withBytes(fd, offset, source.size(), [&](std::byte* destination) {
        std::memcpy(destination, source.data(), source.size());
    });
}

}  // namespace nnburst
