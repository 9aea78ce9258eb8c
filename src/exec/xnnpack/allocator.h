// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The allocator of XNNPACK's packed weights.

#include <xnnpack.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace nnburst::exec::xnnpack {

/// The system's allocator, with huge pages for large blocks if those are enabled
/// (system/huge_pages.h). Large blocks are freed in pieces (memory/drop_pages.h). For
/// xnn_initialize, which keeps the allocator of its first call in the process.
[[nodiscard]] const xnn_allocator& allocator() noexcept;

/// RAII: counts the memory that XNNPACK asks for on this thread. Of several counts on a thread only
/// the one that was made last counts.
class AllocationCount {
  public:
    AllocationCount() noexcept;
    ~AllocationCount();
    AllocationCount(const AllocationCount&) = delete;
    AllocationCount& operator=(const AllocationCount&) = delete;

    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

    // For the allocator.
    void add(std::size_t sizeBytes) noexcept { bytes_ += sizeBytes; }

  private:
    AllocationCount* const outer_;
    std::uint64_t bytes_ = 0;
};

/// A block of memory that XNNPACK has taken.
struct AllocatedBlock {
    const void* address = nullptr;
    std::size_t sizeBytes = 0;
    std::size_t alignment = 0;  ///< 0: XNNPACK asked for none
};

/// RAII: records the blocks that XNNPACK takes on this thread and keeps. At most one on a thread at
/// a time.
class AllocationRecord {
  public:
    AllocationRecord() noexcept;
    ~AllocationRecord();
    AllocationRecord(const AllocationRecord&) = delete;
    AllocationRecord& operator=(const AllocationRecord&) = delete;

    /// There were no more blocks than the record has room for, and none has changed its size.
    [[nodiscard]] bool isComplete() const noexcept { return isComplete_; }
    [[nodiscard]] std::span<const AllocatedBlock> blocks() const noexcept {
        return std::span(blocks_).first(count_);
    }

    // For the allocator.
    void add(const AllocatedBlock& block) noexcept;
    void remove(const void* address) noexcept;
    void resize() noexcept { isComplete_ = false; }

  private:
    /// Operators have three: the operator, its packed weights, and a row of zeros.
    static constexpr std::size_t kMaximumBlocks = 8;

    std::array<AllocatedBlock, kMaximumBlocks> blocks_{};
    std::size_t count_ = 0;
    bool isComplete_ = true;
};

/// RAII: as long as this exists, XNNPACK does not free these blocks on this thread, because others
/// still use them. At most one on a thread at a time.
class BorrowedBlocks {
  public:
    explicit BorrowedBlocks(std::span<const AllocatedBlock> blocks) noexcept;
    ~BorrowedBlocks();
    BorrowedBlocks(const BorrowedBlocks&) = delete;
    BorrowedBlocks& operator=(const BorrowedBlocks&) = delete;
};

}  // namespace nnburst::exec::xnnpack
