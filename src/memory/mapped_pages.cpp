// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/mapped_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "memory/checked_math.h"
#include "memory/device_buffer.h"
#include "memory/drop_pages.h"

namespace nnburst {

MappedPages::MappedPages(int fd, std::uint64_t offset, std::size_t length) noexcept
    : skippedBytes_(
          static_cast<std::size_t>(offset % static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)))),
      sizeBytes_(skippedBytes_ + length),
      address_(nullptr) {
    void* const mapped = ::mmap(nullptr, sizeBytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                                static_cast<off_t>(offset - skippedBytes_));
    if (mapped != MAP_FAILED) {
        address_ = static_cast<std::byte*>(mapped);
    }
}

MappedPages::~MappedPages() {
    if (*this) {
        ::munmap(address_, sizeBytes_);
    }
}

Result<> writeMapped(const Region& region, std::uint64_t offset,
                     std::span<const std::byte> source) {
    if (region.isForeign() || isDeviceBuffer(region.fd()) ||
        !fitsInside(offset, source.size(), region.sizeBytes())) {
        return region.write(offset, source);
    }
    for (std::size_t done = 0; done < source.size(); done += kPagesDroppedAtOnceBytes) {
        const auto piece =
            source.subspan(done, std::min(kPagesDroppedAtOnceBytes, source.size() - done));
        const MappedPages pages(region.fd(), offset + done, piece.size());
        if (!pages) {
            return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                           "cannot map " + std::to_string(piece.size()) +
                               " bytes of shared memory to write them: " + std::strerror(errno));
        }
        std::memcpy(pages.data(), piece.data(), piece.size());
    }
    return {};
}

}  // namespace nnburst
