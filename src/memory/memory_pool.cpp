// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <string>

#include "nnburst/memory.h"
#include "system/mutex.h"

namespace nnburst {

/// Invariants: free ranges do not touch or overlap each other, nor any block that is handed out.
struct MemoryPool::Block::State {
    explicit State(Mapping poolMapping) : mapping(std::move(poolMapping)) {
        freeRanges.emplace(0, mapping.sizeBytes());
    }

    void release(std::uint64_t offset, std::uint64_t sizeBytes) {
        const system::MutexLock lock(mutex);
        const auto next = freeRanges.lower_bound(offset);
        if (next != freeRanges.end() && next->first == offset + sizeBytes) {
            sizeBytes += next->second;
            freeRanges.erase(next);
        }
        const auto after = freeRanges.lower_bound(offset);
        if (after != freeRanges.begin()) {
            const auto previous = std::prev(after);
            if (previous->first + previous->second == offset) {
                previous->second += sizeBytes;
                return;
            }
        }
        freeRanges.emplace(offset, sizeBytes);
    }

    const Mapping mapping;
    mutable system::Mutex mutex;
    std::map<std::uint64_t, std::uint64_t> freeRanges NNBURST_GUARDED_BY(mutex);  // offset -> bytes
};

MemoryPool::Block::Block(Block&& other) noexcept
    : state_(std::move(other.state_)),
      bytes_(std::exchange(other.bytes_, {})),
      offset_(std::exchange(other.offset_, 0)) {}

MemoryPool::Block& MemoryPool::Block::operator=(Block&& other) noexcept {
    Block taken(std::move(other));  // its destructor releases the former block
    std::swap(state_, taken.state_);
    std::swap(bytes_, taken.bytes_);
    std::swap(offset_, taken.offset_);
    return *this;
}

MemoryPool::Block::~Block() {
    if (state_) {
        state_->release(offset_, bytes_.size());
    }
}

Result<MemoryPool> MemoryPool::create(std::uint64_t sizeBytes) {
    if (sizeBytes > std::numeric_limits<std::uint32_t>::max()) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       "memory pool of " + std::to_string(sizeBytes) +
                           " bytes: offsets in requests have 32 bits, so at most " +
                           std::to_string(std::numeric_limits<std::uint32_t>::max()));
    }
    NNBURST_TRY_ASSIGN(SharedRegion region, Region::create(sizeBytes));
    NNBURST_TRY_ASSIGN(Mapping mapping, Mapping::map(std::move(region)));
    return MemoryPool(std::make_shared<State>(std::move(mapping)));
}

Result<MemoryPool::Block> MemoryPool::allocate(std::uint64_t sizeBytes,
                                               std::size_t alignmentBytes) {
    constexpr std::size_t kMaximumAlignmentBytes = 4096;  // a page: the region's own alignment
    if (sizeBytes == 0) {
        return failure(ErrorStatus::INVALID_ARGUMENT, "block of 0 bytes: must be at least 1");
    }
    if (!std::has_single_bit(alignmentBytes) || alignmentBytes > kMaximumAlignmentBytes) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       "alignment of " + std::to_string(alignmentBytes) +
                           " bytes: must be a power of two of at most 4096");
    }
    const system::MutexLock lock(state_->mutex);
    for (auto range = state_->freeRanges.begin(); range != state_->freeRanges.end(); ++range) {
        const auto [start, rangeBytes] = *range;
        const std::uint64_t aligned =
            (start + alignmentBytes - 1) & ~std::uint64_t{alignmentBytes - 1};
        const std::uint64_t end = start + rangeBytes;
        if (aligned > end || end - aligned < sizeBytes) {
            continue;
        }
        if (aligned == start) {
            state_->freeRanges.erase(range);
        } else {
            range->second = aligned - start;
        }
        if (aligned + sizeBytes < end) {
            state_->freeRanges.emplace(aligned + sizeBytes, end - aligned - sizeBytes);
        }
        Block block;
        block.state_ = state_;
        block.bytes_ = state_->mapping.bytes().subspan(aligned, sizeBytes);
        block.offset_ = static_cast<std::uint32_t>(aligned);
        return block;
    }
    return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                   "no free block of " + std::to_string(sizeBytes) + " bytes in a memory pool of " +
                       std::to_string(state_->mapping.sizeBytes()));
}

const SharedRegion& MemoryPool::region() const noexcept {
    return state_->mapping.region();
}

std::uint64_t MemoryPool::freeBytes() const {
    const system::MutexLock lock(state_->mutex);
    std::uint64_t total = 0;
    for (const auto& [offset, rangeBytes] : state_->freeRanges) {
        total += rangeBytes;
    }
    return total;
}

}  // namespace nnburst
