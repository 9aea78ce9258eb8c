// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/mapped_pages.h"

#include <sys/mman.h>
#include <unistd.h>

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

}  // namespace nnburst
