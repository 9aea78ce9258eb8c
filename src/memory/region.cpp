// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

#include "nnburst/memory.h"

namespace nnburst {

namespace {

std::string systemError(const std::string& what) {
    return what + ": " + std::strerror(errno);  // NOLINT(concurrency-mt-unsafe): glibc's is safe
}

std::uint64_t nextRegionId() noexcept {
    static std::atomic<std::uint64_t> next{1};
    return next.fetch_add(1, std::memory_order_relaxed);  // only uniqueness matters
}

}  // namespace

UniqueFd& UniqueFd::operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
        reset();
        fd_ = other.release();
    }
    return *this;
}

void UniqueFd::reset() noexcept {
    if (fd_ >= 0) {
        ::close(std::exchange(fd_, -1));
    }
}

Result<UniqueFd> UniqueFd::duplicate(int fd) {
    const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                       systemError("cannot duplicate file descriptor " + std::to_string(fd)));
    }
    return UniqueFd(copy);
}

Region::Region(UniqueFd fd, std::uint64_t sizeBytes) noexcept
    : fd_(std::move(fd)), sizeBytes_(sizeBytes), id_(nextRegionId()) {}

Result<SharedRegion> Region::create(std::uint64_t sizeBytes) {
    if (sizeBytes == 0 || sizeBytes > kMaximumRegionBytes) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       "shared memory of " + std::to_string(sizeBytes) + " bytes: must be 1 to " +
                           std::to_string(kMaximumRegionBytes));
    }
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
    return SharedRegion(new Region(std::move(fd), sizeBytes));
}

Result<SharedRegion> Region::receive(UniqueFd fd, std::uint64_t sizeBytes) {
    if (!fd) {
        return failure(ErrorStatus::INVALID_ARGUMENT, "received shared memory has no descriptor");
    }
    if (sizeBytes == 0 || sizeBytes > kMaximumRegionBytes) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       "received shared memory of " + std::to_string(sizeBytes) +
                           " bytes: must be 1 to " + std::to_string(kMaximumRegionBytes));
    }
    const int seals = ::fcntl(fd.get(), F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
        return failure(
            ErrorStatus::INVALID_ARGUMENT,
            "received descriptor is not shared memory sealed against shrinking; create it "
            "with memfd_create and F_SEAL_SHRINK");
    }
    if ((seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)) != 0) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       "received shared memory is sealed against writing; only writable memory is "
                       "accepted");
    }
    if ((::fcntl(fd.get(), F_GETFL) & O_ACCMODE) != O_RDWR) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       "received shared memory is not open for reading and writing");
    }
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       systemError("cannot look at received shared memory"));
    }
    const auto actualBytes = static_cast<std::uint64_t>(status.st_size);
    if (actualBytes < sizeBytes) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       "received shared memory has " + std::to_string(actualBytes) +
                           " bytes, fewer than the " + std::to_string(sizeBytes) + " announced");
    }
    return SharedRegion(new Region(std::move(fd), sizeBytes));
}

}  // namespace nnburst
