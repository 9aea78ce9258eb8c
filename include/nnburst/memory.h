// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Shared memory: a `Region` is memory that another process can be given, a `Mapping` makes it
/// visible in this one, and a `MemoryPool` hands out pieces of one region to operands.
///
/// A region is owned by its handles (`SharedRegion`) and by every process that received its
/// descriptor; what `Region::create` makes has no name anywhere and vanishes with the last of them.
/// What lies in a region is under the control of everyone who has it: read a value once, check it,
/// then use it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "nnburst/export.h"
#include "nnburst/result.h"
#include "nnburst/unique_fd.h"

namespace nnburst {

/// Readable bytes that follow every mapping. XNNPACK's kernels read past the end of their inputs:
/// Debian 12's version at most 16 bytes, later ones declare 128 (XNN_EXTRA_BYTES).
inline constexpr std::size_t kMappingPaddingBytes = 128;

/// The largest region: 1 TiB. Offsets and lengths in the HAL have 32 bits, so a request reaches
/// only the first 4 GiB; constants of a model may lie in several regions.
inline constexpr std::uint64_t kMaximumRegionBytes = std::uint64_t{1} << 40;

class Region;
/// A handle of a region, which lives until its last handle is destroyed.
using SharedRegion = std::shared_ptr<const Region>;

/// Memory that processes share, of a fixed size. Immutable and thread-safe.
///
/// A region that cannot shrink is mapped and used in place: sealed memory (memfd_create(2); all
/// that `create` makes), and buffers of devices (dma-bufs). Other memory (shm_open(3), a file, a
/// memfd without seals or of huge pages) is *foreign*: another process can shrink it at any time,
/// and then an access through a mapping is a SIGBUS. Foreign memory is accepted wherever the HAL
/// takes memory, but is copied by `read` and `write`, never mapped: that costs system calls and
/// copies.
class Region {
  public:
    /// Zeroed memory of `sizeBytes` (1 to kMaximumRegionBytes). INVALID_ARGUMENT for another size,
    /// RESOURCE_EXHAUSTED_PERSISTENT for more than RLIMIT_FSIZE allows,
    /// RESOURCE_EXHAUSTED_TRANSIENT if the system refuses.
    [[nodiscard]] NNBURST_EXPORT static Result<SharedRegion> create(std::uint64_t sizeBytes);

    /// Makes a region of memory from elsewhere: another process, shm_open(3), a device.
    /// INVALID_ARGUMENT unless the descriptor is memory or a regular file, is open for reading (a
    /// dma-buf: for writing, too), and holds `sizeBytes` now. Driver processes refuse files on
    /// which accesses may hang (FUSE, network); of models, the library sends them copies instead.
    [[nodiscard]] NNBURST_EXPORT static Result<SharedRegion> receive(UniqueFd fd,
                                                                     std::uint64_t sizeBytes);

    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;
    ~Region() = default;

    [[nodiscard]] std::uint64_t sizeBytes() const noexcept { return sizeBytes_; }
    /// The descriptor, owned by the region: to be sent, or duplicated.
    [[nodiscard]] int fd() const noexcept { return fd_.get(); }
    /// A number that no other region of this process has had or will have.
    [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
    /// True if it cannot be mapped safely: see above.
    [[nodiscard]] bool isForeign() const noexcept { return isForeign_; }

    /// Copies bytes from `offset` on to `destination`. INVALID_ARGUMENT if they are not all there,
    /// for instance after another process has shrunk the region.
    [[nodiscard]] NNBURST_EXPORT Result<> read(std::uint64_t offset,
                                               std::span<std::byte> destination) const;
    /// Copies `source` to `offset`. INVALID_ARGUMENT if the region was opened for reading only, or
    /// the system refuses.
    [[nodiscard]] NNBURST_EXPORT Result<> write(std::uint64_t offset,
                                                std::span<const std::byte> source) const;

  private:
    Region(UniqueFd fd, std::uint64_t sizeBytes, bool isForeign) noexcept;

    UniqueFd fd_;
    std::uint64_t sizeBytes_;
    std::uint64_t id_;
    bool isForeign_;
};

/// What a mapping may be used for.
enum class MappingAccess : std::uint8_t { READ_ONLY, READ_WRITE };

/// A whole region in this address space, page-aligned, followed by at least kMappingPaddingBytes
/// that can be read and mean nothing. Keeps its region alive. Movable; the address stays. The
/// memory itself is shared: its users have to agree on when each of them writes.
class Mapping {
  public:
    /// INVALID_ARGUMENT for foreign memory; RESOURCE_EXHAUSTED_TRANSIENT if the system refuses.
    [[nodiscard]] NNBURST_EXPORT static Result<Mapping> map(
        SharedRegion region, MappingAccess access = MappingAccess::READ_WRITE);

    NNBURST_EXPORT Mapping() noexcept;
    NNBURST_EXPORT Mapping(Mapping&&) noexcept;
    NNBURST_EXPORT Mapping& operator=(Mapping&&) noexcept;
    NNBURST_EXPORT ~Mapping();

    /// The bytes of the region; empty for a mapping that was moved from. With READ_ONLY access
    /// writing to them faults.
    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::byte* data() const noexcept { return bytes_.data(); }
    [[nodiscard]] std::uint64_t sizeBytes() const noexcept { return bytes_.size(); }
    [[nodiscard]] const SharedRegion& region() const noexcept { return region_; }

  private:
    struct View;  // the Boost.Interprocess mapping inside a padded reservation

    SharedRegion region_;
    std::unique_ptr<View> view_;
    std::span<std::byte> bytes_;
};

/// Hands out aligned blocks of one region, for the operands of requests and the constants of
/// models. First fit; neighbouring free blocks are joined. The bookkeeping is private to this
/// process: none of it lies in the region, where the other side could write it. Thread-safe;
/// allocating takes a lock and heap memory, so allocate before the steady state.
class MemoryPool {
  public:
    /// Alignment of blocks unless asked otherwise: a cache line, enough for every kernel.
    static constexpr std::size_t kDefaultAlignmentBytes = 64;

    /// Part of a pool. Its destruction returns it to the pool; it keeps the pool's memory alive.
    class Block {
      public:
        Block() noexcept = default;
        NNBURST_EXPORT Block(Block&& other) noexcept;
        NNBURST_EXPORT Block& operator=(Block&& other) noexcept;
        Block(const Block&) = delete;
        Block& operator=(const Block&) = delete;
        NNBURST_EXPORT ~Block();

        [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
        [[nodiscard]] std::byte* data() const noexcept { return bytes_.data(); }
        /// Where the block starts in its region, in bytes: the offset of a DataLocation.
        [[nodiscard]] std::uint32_t offset() const noexcept { return offset_; }
        /// The size asked for, in bytes: the length of a DataLocation.
        [[nodiscard]] std::uint32_t length() const noexcept {
            return static_cast<std::uint32_t>(bytes_.size());
        }

      private:
        friend class MemoryPool;
        struct State;
        std::shared_ptr<State> state_;
        std::span<std::byte> bytes_;
        std::uint32_t offset_ = 0;
    };

    /// A pool over a new region of `sizeBytes` (1 to 4 GiB - 1: offsets have 32 bits).
    /// INVALID_ARGUMENT for another size; RESOURCE_EXHAUSTED_TRANSIENT if the system refuses.
    [[nodiscard]] NNBURST_EXPORT static Result<MemoryPool> create(std::uint64_t sizeBytes);

    /// A block of `sizeBytes` (at least 1) at a multiple of `alignmentBytes` (a power of two of at
    /// most a page). RESOURCE_EXHAUSTED_TRANSIENT if no free block is large enough.
    [[nodiscard]] NNBURST_EXPORT Result<Block> allocate(
        std::uint64_t sizeBytes, std::size_t alignmentBytes = kDefaultAlignmentBytes);

    /// The region, as it goes into `Request::pools` and `Model::pools`.
    [[nodiscard]] NNBURST_EXPORT const SharedRegion& region() const noexcept;
    /// Bytes that are free, summed over all free blocks.
    [[nodiscard]] NNBURST_EXPORT std::uint64_t freeBytes() const;

  private:
    using State = Block::State;
    explicit MemoryPool(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}

    std::shared_ptr<State> state_;
};

}  // namespace nnburst
