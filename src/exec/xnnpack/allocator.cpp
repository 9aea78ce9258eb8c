// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/xnnpack/allocator.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "log/assert.h"
#include "memory/drop_pages.h"
#include "system/huge_pages.h"

namespace nnburst::exec::xnnpack {

namespace {

thread_local constinit AllocationRecord* threadRecord = nullptr;
thread_local constinit std::span<const AllocatedBlock> threadBorrowed{};

thread_local constinit AllocationCount* threadAllocations = nullptr;

void countAllocation(std::size_t size) noexcept {
    if (threadAllocations != nullptr) {
        threadAllocations->add(size);
    }
}

void* recorded(void* block, std::size_t size, std::size_t alignment) noexcept {
    countAllocation(size);
    if (threadRecord != nullptr && block != nullptr) {
        threadRecord->add({.address = block, .sizeBytes = size, .alignment = alignment});
    }
    return block;
}

void* allocate(void* /*context*/, std::size_t size) noexcept {
    return recorded(std::malloc(size), size, 0);
}

void* allocateAligned(void* /*context*/, std::size_t alignment, std::size_t size) noexcept {
    void* block = nullptr;
    if (::posix_memalign(&block, system::blockAlignment(size, alignment), size) != 0) {
        return nullptr;
    }
    system::adviseHugePages(block, size);
    return recorded(block, size, alignment);
}

void* reallocate(void* /*context*/, void* block, std::size_t size) noexcept {
    countAllocation(size);
    if (threadRecord != nullptr) {
        threadRecord->resize();
    }
    return std::realloc(block, size);
}

void release(void* /*context*/, void* block) noexcept {
    const bool isBorrowed =
        std::any_of(threadBorrowed.begin(), threadBorrowed.end(),
                    [&](const AllocatedBlock& borrowed) { return borrowed.address == block; });
    if (isBorrowed) {
        return;
    }
    if (threadRecord != nullptr) {
        threadRecord->remove(block);
    }
    freeInPieces(block);
}

}  // namespace

const xnn_allocator& allocator() noexcept {
    static const xnn_allocator kAllocator{.context = nullptr,
                                          .allocate = allocate,
                                          .reallocate = reallocate,
                                          .deallocate = release,
                                          .aligned_allocate = allocateAligned,
                                          .aligned_deallocate = release};
    return kAllocator;
}

AllocationCount::AllocationCount() noexcept : outer_(std::exchange(threadAllocations, this)) {}

AllocationCount::~AllocationCount() {
    threadAllocations = outer_;
}

AllocationRecord::AllocationRecord() noexcept {
    NNBURST_ASSERT(threadRecord == nullptr, "two records of allocations on one thread");
    threadRecord = this;
}

AllocationRecord::~AllocationRecord() {
    threadRecord = nullptr;
}

void AllocationRecord::add(const AllocatedBlock& block) noexcept {
    if (count_ == kMaximumBlocks) {
        isComplete_ = false;
        return;
    }
    blocks_[count_++] = block;
}

void AllocationRecord::remove(const void* address) noexcept {
    const auto end = blocks_.begin() + static_cast<std::ptrdiff_t>(count_);
    const auto last = std::remove_if(blocks_.begin(), end, [&](const AllocatedBlock& block) {
        return block.address == address;
    });
    count_ = static_cast<std::size_t>(last - blocks_.begin());
}

BorrowedBlocks::BorrowedBlocks(std::span<const AllocatedBlock> blocks) noexcept {
    NNBURST_ASSERT(threadBorrowed.empty(), "blocks are borrowed twice on one thread");
    threadBorrowed = blocks;
}

BorrowedBlocks::~BorrowedBlocks() {
    threadBorrowed = {};
}

}  // namespace nnburst::exec::xnnpack
