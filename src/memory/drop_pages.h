// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Takes the pages of large memory out of this address space without holding up other threads. A
/// thread that maps or unmaps memory waits until no call of another thread changes the mappings.
/// munmap(2) of gigabytes that were touched takes seconds.

#include <cstddef>

namespace nnburst {

/// What one call drops: takes less than a millisecond for shared memory, 4 ms for private memory. A
/// multiple of the size of a page and of a huge page.
inline constexpr std::size_t kPagesDroppedAtOnceBytes = std::size_t{4} << 20;

/// From this size on a block of private memory is emptied before it is freed, unless it is kept for
/// no longer than one run.
inline constexpr std::size_t kLargeBlockBytes = std::size_t{64} << 10;

/// Drops the pages that lie within the `sizeBytes` from `first` on, piece by piece, and one piece
/// at a time in the whole process. The addresses stay mapped. Shared memory keeps its contents,
/// which come back when they are touched. Private memory reads as zero from now on. Memory that
/// cannot be dropped (a dma-buf) stays. Any thread; may wait for a piece of another thread.
void dropPages(std::byte* first, std::size_t sizeBytes) noexcept;

/// As free(3). Drops the pages of a block of at least `largeBytes` first. free(3) unmaps a block of
/// gigabytes in one call, and gives smaller blocks back later, perhaps gigabytes of them at a time,
/// while other threads wait for a lock of the heap.
void freeInPieces(void* block, std::size_t largeBytes = kLargeBlockBytes) noexcept;

}  // namespace nnburst
