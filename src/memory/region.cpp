// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

#include "memory/checked_math.h"
#include "memory/device_buffer.h"
#include "memory/foreign_memory.h"
#include "nnburst/memory.h"
#include "system/standard_descriptors.h"

namespace nnburst {

namespace {

std::string systemError(const std::string& what) {
    return what + ": " + std::strerror(errno);  // NOLINT(concurrency-mt-unsafe): glibc's is safe
}

std::uint64_t nextRegionId() noexcept {
    static std::atomic<std::uint64_t> next{1};
    return next.fetch_add(1, std::memory_order_relaxed);  // only uniqueness matters
}

tl::unexpected<Error> refused(const std::string& why) {
    return failure(ErrorStatus::INVALID_ARGUMENT, "received shared memory " + why);
}

/// Whether the memory can be mapped: it cannot be cut or replaced, and can be written. Not if it is
/// of huge pages: the kernel rounds the size of their mappings up, over what lies behind.
bool isMappable(int fd, int openFlags) noexcept {
    const int seals = ::fcntl(fd, F_GET_SEALS);
    struct statfs fileSystem {};
    return seals >= 0 && (seals & F_SEAL_SHRINK) != 0 &&
           (seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)) == 0 &&
           (openFlags & O_ACCMODE) == O_RDWR && ::fstatfs(fd, &fileSystem) == 0 &&
           fileSystem.f_type != HUGETLBFS_MAGIC;
}

/// Refuses descriptors on which pread(2) and pwrite(2) at any offset do not work.
Result<> checkForeign(const struct stat& status, int openFlags) {
    if (!S_ISREG(status.st_mode)) {
        return refused("is a descriptor of file type " + std::to_string(status.st_mode & S_IFMT) +
                       " (st_mode); must be a memfd, shared memory or a regular file");
    }
    if ((openFlags & O_PATH) != 0 || (openFlags & O_ACCMODE) == O_WRONLY) {
        return refused("is not open for reading; open it with O_RDWR, or O_RDONLY for inputs");
    }
    if ((openFlags & (O_APPEND | O_DIRECT)) != 0) {
        return refused("is open with O_APPEND or O_DIRECT; open it without");
    }
    return {};
}

}  // namespace

Region::Region(UniqueFd fd, std::uint64_t sizeBytes, bool isForeign) noexcept
    : fd_(std::move(fd)), sizeBytes_(sizeBytes), id_(nextRegionId()), isForeign_(isForeign) {}

Result<SharedRegion> Region::create(std::uint64_t sizeBytes) {
    if (sizeBytes == 0 || sizeBytes > kMaximumRegionBytes) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       "shared memory of " + std::to_string(sizeBytes) + " bytes: must be 1 to " +
                           std::to_string(kMaximumRegionBytes));
    }
    // Beyond this limit ftruncate would send SIGXFSZ, which ends an application.
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && sizeBytes > limit.rlim_cur) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT,
                       "shared memory of " + std::to_string(sizeBytes) +
                           " bytes: the limit of this process on the size of files is " +
                           std::to_string(limit.rlim_cur) + " bytes (ulimit -f)");
    }
    system::openStandardDescriptors();
    UniqueFd fd(::memfd_create("nnburst", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                       systemError("cannot create shared memory"));
    }
    if (::ftruncate(fd.get(), static_cast<off_t>(sizeBytes)) != 0) {
        return failure(
            ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
            systemError("cannot size shared memory to " + std::to_string(sizeBytes) + " bytes"));
    }
    if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        return failure(ErrorStatus::GENERAL_FAILURE, systemError("cannot seal shared memory"));
    }
    return SharedRegion(new Region(std::move(fd), sizeBytes, false));
}

Result<bool> isForeignMemory(int fd, std::uint64_t sizeBytes) {
    if (fd < 0) {
        return refused("has no descriptor");
    }
    if (sizeBytes == 0 || sizeBytes > kMaximumRegionBytes) {
        return refused("of " + std::to_string(sizeBytes) + " bytes: must be 1 to " +
                       std::to_string(kMaximumRegionBytes));
    }
    const int openFlags = ::fcntl(fd, F_GETFL);
    struct stat status {};
    if (openFlags < 0 || ::fstat(fd, &status) != 0) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       systemError("cannot inspect received shared memory"));
    }
    const bool isOfDevice = isDeviceBuffer(fd) && (openFlags & O_ACCMODE) == O_RDWR;
    const bool isForeign = !isOfDevice && !isMappable(fd, openFlags);
    if (isForeign) {
        NNBURST_TRY(checkForeign(status, openFlags));
    }
    // A device buffer tells its size only so; its position means nothing.
    const off_t end = isOfDevice ? ::lseek(fd, 0, SEEK_END) : status.st_size;
    const auto actualBytes = static_cast<std::uint64_t>(std::max<off_t>(end, 0));
    if (actualBytes < sizeBytes) {
        return refused("has " + std::to_string(actualBytes) + " bytes, fewer than the " +
                       std::to_string(sizeBytes) + " announced");
    }
    return isForeign;
}

Result<SharedRegion> Region::receive(UniqueFd fd, std::uint64_t sizeBytes) {
    NNBURST_TRY_ASSIGN(const bool isForeign, isForeignMemory(fd.get(), sizeBytes));
    return SharedRegion(new Region(std::move(fd), sizeBytes, isForeign));
}

Result<> Region::read(std::uint64_t offset, std::span<std::byte> destination) const {
    if (!fitsInside(offset, destination.size(), sizeBytes_)) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       "cannot read " + std::to_string(destination.size()) + " bytes at " +
                           std::to_string(offset) + " of shared memory of " +
                           std::to_string(sizeBytes_));
    }
    if (!isForeign_ && isDeviceBuffer(fd_.get())) {
        return readDeviceBuffer(fd_.get(), offset, destination);
    }
    std::size_t done = 0;
    while (done < destination.size()) {
        const ssize_t count = ::pread(fd_.get(), destination.data() + done,
                                      destination.size() - done, static_cast<off_t>(offset + done));
        if (count > 0) {
            done += static_cast<std::size_t>(count);
        } else if (count == 0) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           "shared memory of " + std::to_string(sizeBytes_) + " bytes was cut to " +
                               std::to_string(offset + done) + " or fewer while it was in use");
        } else if (errno != EINTR) {
            return failure(ErrorStatus::INVALID_ARGUMENT, systemError("cannot read shared memory"));
        }
    }
    return {};
}

Result<> Region::write(std::uint64_t offset, std::span<const std::byte> source) const {
    if (!fitsInside(offset, source.size(), sizeBytes_)) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       "cannot write " + std::to_string(source.size()) + " bytes at " +
                           std::to_string(offset) + " of shared memory of " +
                           std::to_string(sizeBytes_));
    }
    if (!isForeign_ && isDeviceBuffer(fd_.get())) {
        return writeDeviceBuffer(fd_.get(), offset, source);
    }
    std::size_t done = 0;
    while (done < source.size()) {
        const ssize_t count = ::pwrite(fd_.get(), source.data() + done, source.size() - done,
                                       static_cast<off_t>(offset + done));
        if (count >= 0) {
            done += static_cast<std::size_t>(count);
        } else if (errno != EINTR) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           systemError("cannot write shared memory"));
        }
    }
    return {};
}

}  // namespace nnburst
