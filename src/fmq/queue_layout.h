// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the memory of a message queue looks like, the same for both flavours, and the one function
/// that checks it. Memory, from the queue's offset on:
///
///     +0    QueueHeader: magic, version, sizes          written once, by the creator
///     +128  readPosition                                 reader writes (SYNCHRONIZED)
///     +256  writePosition                                writer writes (UNSYNCHRONIZED)
///     +384  cell 0 | cell 1 | ... | cell capacity - 1    writer writes
///
///     cell: [sequence (8 bytes) | element | padding to a power of two or a multiple of a line]
///
/// Position p (counted from 0, never wrapping) lies in cell p % capacity. Each element lies in a
/// cell together with the sequence number that announces it, so that a message that fits a cache
/// line crosses with one transfer of it. Each flavour defines what a sequence number means.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "fmq/event_flag.h"
#include "fmq/shared_layout.h"
#include "nnburst/result.h"

namespace nnburst::fmq {

enum class QueueFlavor : std::uint32_t { SYNCHRONIZED = 1, UNSYNCHRONIZED = 2 };

inline constexpr std::uint32_t kQueueMagic = 0x514D464E;  // "NFMQ"
inline constexpr std::uint32_t kQueueVersion = 2;
/// Elements of the largest queue. With the largest element, a queue stays below 1 TiB.
inline constexpr std::uint64_t kMaximumQueueCapacity = std::uint64_t{1} << 24;
inline constexpr std::size_t kMaximumElementBytes = 4096;

/// First line of a queue. The creator writes it before another process has the memory; `version`
/// last.
struct alignas(kCacheLineSize) QueueHeader {
    std::atomic<std::uint32_t> version;  ///< kQueueVersion
    std::uint32_t magic;                 ///< kQueueMagic
    std::uint32_t flavor;                ///< QueueFlavor
    std::uint32_t elementBytes;
    std::uint64_t capacity;     ///< elements, a power of two
    std::uint32_t cellBytes;    ///< from one cell to the next
    std::uint32_t reserved[9];  ///< zero
};
static_assert(isSharedLayout<QueueHeader> && sizeof(QueueHeader) == kCacheLineSize);

/// A position alone on its line.
struct alignas(kCacheLineSize) QueuePosition {
    std::atomic<std::uint64_t> value;
    std::uint64_t reserved[7];  ///< zero
};
static_assert(isSharedLayout<QueuePosition> && sizeof(QueuePosition) == kCacheLineSize);

inline constexpr std::size_t kReadPositionOffset = kFalseSharingSize;
inline constexpr std::size_t kWritePositionOffset = 2 * kFalseSharingSize;
inline constexpr std::size_t kCellsOffset = 3 * kFalseSharingSize;

/// Where a queue lies in a region. Crosses processes beside the region's descriptor. Offsets are in
/// bytes from the start of the region; an event offset of 0 means that no thread sleeps for this
/// event.
struct QueueDescriptor {
    std::uint64_t offset;          ///< of the QueueHeader, a multiple of a cache line
    std::uint64_t capacity;        ///< elements, a power of two
    std::uint64_t notEmptyOffset;  ///< of the EventWord on which readers sleep
    std::uint64_t notFullOffset;   ///< of the EventWord on which the writer sleeps
    std::uint32_t elementBytes;
    std::uint32_t flavor;    ///< QueueFlavor
    std::uint32_t version;   ///< kQueueVersion
    std::uint32_t reserved;  ///< zero
};
static_assert(isSharedLayout<QueueDescriptor> && sizeof(QueueDescriptor) == 48);

/// Sizes of what a queue holds.
struct ElementLayout {
    std::size_t elementBytes;
    std::size_t cellBytes;
};

/// Lays out the empty queue `wanted` in fresh, zeroed memory. INVALID_ARGUMENT as checkQueue.
/// Returns `wanted`.
[[nodiscard]] Result<QueueDescriptor> createQueue(std::span<std::byte> memory,
                                                  const QueueDescriptor& wanted,
                                                  const ElementLayout& layout);

/// Checks `descriptor`, which may come from another process, against the size of the memory and
/// against the header that lies there. INVALID_ARGUMENT if the queue does not lie inside the memory
/// on whole lines, if its capacity is not a power of two of at most kMaximumQueueCapacity, or if
/// it is of another version, flavour or layout.
[[nodiscard]] Result<> checkQueue(std::span<std::byte> memory, const QueueDescriptor& descriptor,
                                  QueueFlavor flavor, const ElementLayout& layout);

/// INVALID_ARGUMENT if a queue was `used`, for instance "written to", before: if `progress`, which
/// an end changes with the first element, is not zero. An end begins at the first element.
[[nodiscard]] Result<> checkUnused(const char* used, const std::atomic<std::uint64_t>& progress);

/// The cells of a queue of elements T in this process's memory, after all checks. Common to both
/// ends and both flavours. T means the same in every process: trivially copyable, no pointers.
template <class T>
class QueueView {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= kMaximumElementBytes);
    static_assert(alignof(T) <= sizeof(std::uint64_t));

    static constexpr std::size_t kPayloadWords = (sizeof(T) + 7) / 8;
    static constexpr std::size_t kCellPayloadBytes = sizeof(std::uint64_t) * (1 + kPayloadWords);

    /// The payload is moved in words by atomic accesses: under an UNSYNCHRONIZED reader the writer
    /// may be overwriting it, and a hostile writer may at any time.
    struct Cell {
        std::atomic<std::uint64_t> sequence;
        std::uint64_t payload[kPayloadWords];
    };

  public:
    /// Bytes from one cell to the next: a power of two up to a line, then whole lines.
    static constexpr std::size_t kCellBytes =
        kCellPayloadBytes <= kCacheLineSize
            ? std::bit_ceil(kCellPayloadBytes)
            : (kCellPayloadBytes + kCacheLineSize - 1) / kCacheLineSize * kCacheLineSize;
    static constexpr ElementLayout kLayout{.elementBytes = sizeof(T), .cellBytes = kCellBytes};

    [[nodiscard]] static Result<QueueView> attach(std::span<std::byte> memory,
                                                  const QueueDescriptor& descriptor,
                                                  QueueFlavor flavor) {
        NNBURST_TRY(checkQueue(memory, descriptor, flavor, kLayout));
        return QueueView(memory, descriptor);
    }

    [[nodiscard]] std::uint64_t capacity() const noexcept { return mask_ + 1; }

    [[nodiscard]] std::atomic<std::uint64_t>& sequence(std::uint64_t position) const noexcept {
        return cell(position).sequence;
    }
    [[nodiscard]] std::atomic<std::uint64_t>& readPosition() const noexcept {
        return reinterpret_cast<QueuePosition*>(base_ + kReadPositionOffset)->value;
    }
    [[nodiscard]] std::atomic<std::uint64_t>& writePosition() const noexcept {
        return reinterpret_cast<QueuePosition*>(base_ + kWritePositionOffset)->value;
    }

    /// Puts `element` into the cell of `position`, word by word.
    void store(std::uint64_t position, const T& element, std::memory_order order) const noexcept {
        const auto* const bytes = reinterpret_cast<const std::byte*>(&element);
        Cell& target = cell(position);
        forEachWord([&](auto i) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes + i * sizeof(word), bytesOfWord(i));
            std::atomic_ref<std::uint64_t>(target.payload[i]).store(word, order);
        });
    }

    /// Reads the element in the cell of `position`, word by word.
    void load(std::uint64_t position, T& element, std::memory_order order) const noexcept {
        auto* const bytes = reinterpret_cast<std::byte*>(&element);
        Cell& source = cell(position);
        forEachWord([&](auto i) {
            const std::uint64_t word =
                std::atomic_ref<std::uint64_t>(source.payload[i]).load(order);
            std::memcpy(bytes + i * sizeof(word), &word, bytesOfWord(i));
        });
    }

    /// Parked readers are woken over this socket.
    void setDoorbell(int doorbell) noexcept {
        if (notEmpty) {
            notEmpty->setDoorbell(doorbell);
        }
    }
    /// Wakes readers that sleep or are parked.
    void wakeReaders() noexcept {
        if (notEmpty) {
            notEmpty->wakeAnnounced();
        }
    }

    /// The flags on which readers, and the writer, sleep; nullopt if they never do.
    std::optional<EventFlag> notEmpty;
    std::optional<EventFlag> notFull;

  private:
    QueueView(std::span<std::byte> memory, const QueueDescriptor& descriptor) noexcept
        : notEmpty(flagAt(memory, descriptor.notEmptyOffset)),
          notFull(flagAt(memory, descriptor.notFullOffset)),
          base_(memory.data() + descriptor.offset),
          mask_(descriptor.capacity - 1) {}

    /// Calls `moveWord` with each index. For a short element the calls are unrolled, so that the
    /// compiler can move words between registers and the cell without storing the element
    /// elsewhere.
    template <class MoveWord>
    static void forEachWord(MoveWord moveWord) noexcept {
        if constexpr (sizeof(Cell) <= kCacheLineSize) {
            [&]<std::size_t... I>(std::index_sequence<I...>) {
                (moveWord(std::integral_constant<std::size_t, I>()), ...);
            }
            (std::make_index_sequence<kPayloadWords>());
        } else {
            for (std::size_t i = 0; i < kPayloadWords; ++i) {
                moveWord(i);
            }
        }
    }

    /// Bytes of an element in this word: 8, or fewer in its last word.
    [[nodiscard]] static constexpr std::size_t bytesOfWord(std::size_t word) noexcept {
        return std::min(sizeof(std::uint64_t), sizeof(T) - word * sizeof(std::uint64_t));
    }

    [[nodiscard]] static std::optional<EventFlag> flagAt(std::span<std::byte> memory,
                                                         std::uint64_t offset) noexcept {
        if (offset == 0) {
            return std::nullopt;
        }
        return EventFlag(*reinterpret_cast<EventWord*>(memory.data() + offset));
    }

    [[nodiscard]] Cell& cell(std::uint64_t position) const noexcept {
        return *reinterpret_cast<Cell*>(base_ + kCellsOffset + (position & mask_) * kCellBytes);
    }

    std::byte* base_;
    std::uint64_t mask_;
};

/// Copies `elements` into the queue and publishes them together; false if `writer` refuses so many.
template <class Writer, class T>
[[nodiscard]] bool writeAll(Writer& writer, std::span<const T> elements) noexcept {
    if (!writer.beginWrite(elements.size())) {
        return false;
    }
    for (std::size_t i = 0; i < elements.size(); ++i) {
        writer.set(i, elements[i]);
    }
    writer.commitWrite(elements.size());
    return true;
}

/// Creates queues of elements `T`: the static part of both flavours.
template <class T, QueueFlavor Flavor>
class QueueCreation {
  public:
    static constexpr std::size_t kCellBytes = QueueView<T>::kCellBytes;

    /// Bytes that a queue of `capacity` elements takes.
    [[nodiscard]] static constexpr std::uint64_t sizeBytes(std::uint64_t capacity) noexcept {
        return kCellsOffset + capacity * kCellBytes;
    }

    /// Lays out an empty queue at `offset` of fresh, zeroed memory. `offset` is a multiple of a
    /// line, and so are the offsets of the event words (0 for none). INVALID_ARGUMENT if it does
    /// not fit or `capacity` is not a power of two of at most kMaximumQueueCapacity.
    [[nodiscard]] static Result<QueueDescriptor> create(std::span<std::byte> memory,
                                                        std::uint64_t offset,
                                                        std::uint64_t capacity,
                                                        std::uint64_t notEmptyOffset,
                                                        std::uint64_t notFullOffset) {
        return createQueue(memory,
                           {.offset = offset,
                            .capacity = capacity,
                            .notEmptyOffset = notEmptyOffset,
                            .notFullOffset = notFullOffset,
                            .elementBytes = sizeof(T),
                            .flavor = static_cast<std::uint32_t>(Flavor),
                            .version = kQueueVersion,
                            .reserved = 0},
                           QueueView<T>::kLayout);
    }
};

}  // namespace nnburst::fmq
