// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/aligned_buffer.h"

#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <span>

#include "memory/checked_math.h"
#include "nnburst/memory.h"
#include "system/huge_pages.h"
#include "system/prefault.h"
#include "system/scheduling.h"

namespace nnburst {

namespace {

/// Between two of which other threads may run.
constexpr std::size_t kTouchedAtOnceBytes = std::size_t{256} << 10;

}  // namespace

Result<AlignedBuffer> AlignedBuffer::allocate(std::uint64_t sizeBytes, std::size_t largeBytes) {
    const std::size_t alignment = system::blockAlignment(sizeBytes, kOperandAlignmentBytes);
    const std::uint64_t overheadBytes = alignment - 1 + kMappingPaddingBytes;
    AlignedBuffer buffer;
    buffer.memory_.get_deleter().largeBytes = largeBytes;
    // Large blocks come from the system as zero pages: pages that are never touched cost nothing.
    if (const auto total = checkedAdd(sizeBytes, overheadBytes)) {
        buffer.memory_.reset(std::calloc(1, *total));
    }
    if (!buffer.memory_) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                       fmt::format("cannot allocate {} bytes for operands", sizeBytes));
    }
    void* start = buffer.memory_.get();
    std::size_t space = sizeBytes + overheadBytes;
    buffer.data_ = static_cast<std::byte*>(
        std::align(alignment, sizeBytes + kMappingPaddingBytes, start, space));
    buffer.sizeBytes_ = sizeBytes;
    system::adviseHugePages(buffer.data_, sizeBytes);
    return buffer;
}

void AlignedBuffer::touch(std::uint64_t sizeBytes) const noexcept {
    const std::span<std::byte> memory(data_, std::min(sizeBytes, sizeBytes_));
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    for (std::size_t offset = 0; offset < memory.size(); offset += kTouchedAtOnceBytes) {
        const auto part =
            memory.subspan(offset, std::min(kTouchedAtOnceBytes, memory.size() - offset));
        system::prefault(part);
        for (std::size_t at = 0; at < part.size(); at += page) {  // where the kernel cannot
            volatile std::byte& byte = part[at];
            byte = byte;
        }
        system::letOthersRun();
    }
}

void AlignedBuffer::release() const noexcept {
    dropPages(data_, sizeBytes_);
}

std::uint64_t GrowingBuffer::capacityFor(std::uint64_t sizeBytes,
                                         std::uint64_t most) const noexcept {
    if (sizeBytes <= capacityBytes_) {
        return capacityBytes_;
    }
    // Grows by half at least: a tensor that grows in a loop is then rarely allocated.
    return std::max(sizeBytes, std::min(most, capacityBytes_ + capacityBytes_ / 2));
}

Result<std::byte*> GrowingBuffer::reserve(std::uint64_t sizeBytes, std::uint64_t most) {
    if (memory_.data() == nullptr || sizeBytes > capacityBytes_) {
        const std::uint64_t capacity = capacityFor(sizeBytes, most);
        NNBURST_TRY_ASSIGN(memory_, AlignedBuffer::allocate(capacity));
        capacityBytes_ = capacity;
    }
    return memory_.data();
}

}  // namespace nnburst
