// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/rpc/descriptor_kind.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>

#include "system/event_fd.h"

namespace nnburst::device {

namespace {

/// Closing the last descriptor of memory frees it, which takes up to a microsecond for each KiB.
constexpr std::uint64_t kFreedAtOnceBytes = std::uint64_t{256} << 10;
/// The unit of st_blocks (stat(3type)).
constexpr std::uint64_t kBytesOfBlock = 512;

}  // namespace

bool mayBlock(int fd) noexcept {
    return ::fcntl(fd, F_GET_SEALS) < 0 && !system::isEventFd(fd);
}

bool closesAtOnce(int fd) noexcept {
    if (::fcntl(fd, F_GET_SEALS) < 0) {
        return system::isEventFd(fd);
    }
    struct stat status {};
    return ::fstat(fd, &status) == 0 &&
           static_cast<std::uint64_t>(status.st_blocks) * kBytesOfBlock <= kFreedAtOnceBytes;
}

}  // namespace nnburst::device
