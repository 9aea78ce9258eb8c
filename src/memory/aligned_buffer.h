// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Private memory for operands, aligned and padded for kernels.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "memory/drop_pages.h"
#include "nnburst/result.h"

namespace nnburst {

/// Alignment of operands in private memory: a cache line, and the widest vector register.
inline constexpr std::size_t kOperandAlignmentBytes = 64;

/// Zeroed memory that starts at a multiple of kOperandAlignmentBytes and is followed by
/// kMappingPaddingBytes that can be read. Movable; the address stays. Freed in pieces.
class AlignedBuffer {
  public:
    /// Its pages are dropped before it is freed if it has at least `largeBytes`: see freeInPieces.
    /// RESOURCE_EXHAUSTED_TRANSIENT if there is no memory.
    [[nodiscard]] static Result<AlignedBuffer> allocate(std::uint64_t sizeBytes,
                                                        std::size_t largeBytes = kLargeBlockBytes);

    AlignedBuffer() noexcept = default;

    [[nodiscard]] std::byte* data() const noexcept { return data_; }

    /// Has the system provide the pages of the first `sizeBytes` now, or of all if there are fewer.
    /// The contents stay.
    void touch(std::uint64_t sizeBytes) const noexcept;

    /// Returns the memory to the system until it is touched again. The contents are lost, the
    /// address stays.
    void release() const noexcept;
    [[nodiscard]] std::uint64_t sizeBytes() const noexcept { return sizeBytes_; }

  private:
    struct Free {
        std::size_t largeBytes;

        void operator()(void* memory) const noexcept { freeInPieces(memory, largeBytes); }
    };

    std::unique_ptr<void, Free> memory_;
    std::byte* data_ = nullptr;
    std::uint64_t sizeBytes_ = 0;
};

/// Memory for one operand whose size changes from run to run.
class GrowingBuffer {
  public:
    /// Makes room for `sizeBytes`, and for as many as `most` if that is more. The contents are lost
    /// if the buffer grows. RESOURCE_EXHAUSTED_TRANSIENT if there is no memory.
    [[nodiscard]] Result<std::byte*> reserve(std::uint64_t sizeBytes,
                                             std::uint64_t most = UINT64_MAX);

    [[nodiscard]] std::uint64_t capacityBytes() const noexcept { return capacityBytes_; }
    /// The capacity that it has after `reserve`.
    [[nodiscard]] std::uint64_t capacityFor(std::uint64_t sizeBytes,
                                            std::uint64_t most = UINT64_MAX) const noexcept;

    /// As AlignedBuffer::release.
    void release() const noexcept { memory_.release(); }

  private:
    AlignedBuffer memory_;
    std::uint64_t capacityBytes_ = 0;
};

}  // namespace nnburst
