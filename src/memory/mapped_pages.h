// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A part of memory that cannot shrink, mapped for one copy.

#include <cstddef>
#include <cstdint>
#include <span>

#include "nnburst/memory.h"
#include "nnburst/result.h"

namespace nnburst {

/// RAII: the pages around some bytes of a descriptor are mapped for reading and writing. Not for
/// foreign memory (Region::isForeign): an access would fault when another process shrinks it.
class MappedPages {
  public:
    /// Maps `length` bytes at `offset`, at least one. False as a condition, with errno, if the
    /// system refuses.
    MappedPages(int fd, std::uint64_t offset, std::size_t length) noexcept;
    ~MappedPages();
    MappedPages(const MappedPages&) = delete;
    MappedPages& operator=(const MappedPages&) = delete;

    [[nodiscard]] explicit operator bool() const noexcept { return address_ != nullptr; }
    /// The byte at `offset`.
    [[nodiscard]] std::byte* data() const noexcept { return address_ + skippedBytes_; }

  private:
    std::size_t skippedBytes_;  // between the begin of the first page and `offset`
    std::size_t sizeBytes_;
    std::byte* address_;  // null: not mapped
};

/// As Region::write, but sealed memory is written through mappings of at most
/// kPagesDroppedAtOnceBytes. pwrite(2) would wait without end for another process that holds the
/// lock of the file in a write of its own. RESOURCE_EXHAUSTED_TRANSIENT if memory cannot be mapped.
[[nodiscard]] Result<> writeMapped(const Region& region, std::uint64_t offset,
                                   std::span<const std::byte> source);

}  // namespace nnburst
