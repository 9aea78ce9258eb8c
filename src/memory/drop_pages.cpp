// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/drop_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <mutex>

namespace nnburst {

namespace {

/// madvise(2) of Linux 5.18, for memory that is locked (mlockall); headers before glibc 2.36 lack
/// it.
constexpr int kDropLocked = 24;

/// Held for one piece: if many threads drop pages at a time, a thread that wants to map memory
/// waits for one piece, not for one of each thread.
std::mutex pieceMutex;

}  // namespace

void dropPages(std::byte* first, std::size_t sizeBytes) noexcept {
    for (std::size_t offset = 0; offset < sizeBytes; offset += kPagesDroppedAtOnceBytes) {
        const std::size_t pieceBytes = std::min(kPagesDroppedAtOnceBytes, sizeBytes - offset);
        const std::lock_guard lock(pieceMutex);
        if (::madvise(first + offset, pieceBytes, MADV_DONTNEED) != 0 &&
            ::madvise(first + offset, pieceBytes, kDropLocked) != 0) {
            return;
        }
    }
}

}  // namespace nnburst
