// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The fast message queue (FMQ) of the HAL: a ring of fixed-size elements in shared memory, in both
/// of its flavours (system/libfmq). One process writes.
///
/// - SYNCHRONIZED: one reader gets every element; a full queue refuses or blocks the writer.
/// - UNSYNCHRONIZED: any number of readers, each with a position of its own; the writer never
/// waits, and
///   a reader that is too slow is told that it was overrun.
///
/// Each element lies in a cell together with the sequence number that announces it, so that a
/// message that fits a cache line crosses with one transfer of it. Memory, from the queue's offset
/// on:
///
///     +0    QueueHeader: magic, version, sizes          written once, by the creator
///     +128  readPosition                                 reader writes (SYNCHRONIZED)
///     +256  writePosition                                writer writes (UNSYNCHRONIZED)
///     +384  cell 0 | cell 1 | ... | cell capacity - 1    writer writes
///
///     cell: [sequence (8 bytes) | element | padding to a power of two or a multiple of a line]
///
/// Position p (counted from 0, never wrapping) lies in cell p % capacity. In a SYNCHRONIZED queue
/// its sequence is p + 1 once it is readable; in an UNSYNCHRONIZED one 2p + 1 while it is being
/// written and 2p + 2 once it is readable. Elements published together are announced from the last
/// to the first, so that a reader who sees the first sees all.
///
/// Invariants that keep a process safe from the other side: everything from the header is copied
/// and checked once when attaching; positions are private, and the peer's is used only to know how
/// much room there is, after checking that it lies between what it was and what was written; a
/// sequence is only compared. A peer that lies loses messages; it cannot make this side leave its
/// memory.
///
/// An end (Writer, Reader) belongs to one thread at a time. Nothing here allocates after
/// create/attach.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "fmq/event_flag.h"
#include "fmq/shared_layout.h"
#include "fmq/wait.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"

namespace nnburst::fmq {

enum class QueueFlavor : std::uint32_t { SYNCHRONIZED = 1, UNSYNCHRONIZED = 2 };

inline constexpr std::uint32_t kQueueMagic = 0x514D464E;  // "NFMQ"
inline constexpr std::uint32_t kQueueVersion = 1;
/// Elements of the largest queue. With the largest element, a queue stays below 1 TiB.
inline constexpr std::uint64_t kMaximumQueueCapacity = std::uint64_t{1} << 24;
inline constexpr std::size_t kMaximumElementBytes = 4096;

/// First line of a queue. The creator writes it before anybody else has the memory; `version` last.
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
/// bytes from the start of the region; an event offset of 0 means that nobody sleeps for this.
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

/// How a read from an UNSYNCHRONIZED queue ended.
enum class ReadStatus : std::uint8_t {
    READ,
    EMPTY,    ///< not that many elements yet
    OVERRUN,  ///< elements were lost; the reader now stands at the newest position
};

/// Checks `descriptor`, which may come from another process, against the size of the memory and
/// against the header that lies there. Everything but T's own layout.
[[nodiscard]] Result<> checkQueue(std::span<std::byte> memory, const QueueDescriptor& descriptor,
                                  QueueFlavor flavor, std::size_t elementBytes,
                                  std::size_t cellBytes);

/// A queue of elements T, which mean the same in every process: trivially copyable, no pointers.
template <class T, QueueFlavor Flavor>
class MessageQueue {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= kMaximumElementBytes);
    static_assert(alignof(T) <= sizeof(std::uint64_t));

    static constexpr std::size_t kPayloadWords = (sizeof(T) + 7) / 8;
    static constexpr std::size_t kCellPayloadBytes = sizeof(std::uint64_t) * (1 + kPayloadWords);
    static constexpr bool kIsSynchronized = Flavor == QueueFlavor::SYNCHRONIZED;

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

    /// Bytes that a queue of `capacity` elements takes.
    [[nodiscard]] static constexpr std::uint64_t sizeBytes(std::uint64_t capacity) noexcept {
        return kCellsOffset + capacity * kCellBytes;
    }

    /// Lays out an empty queue at `offset` of fresh, zeroed memory. `offset` is a multiple of a
    /// line, the event words (0 for none) too. INVALID_ARGUMENT if it does not fit or `capacity` is
    /// not a power of two of at most kMaximumQueueCapacity.
    [[nodiscard]] static Result<QueueDescriptor> create(std::span<std::byte> memory,
                                                        std::uint64_t offset,
                                                        std::uint64_t capacity,
                                                        std::uint64_t notEmptyOffset,
                                                        std::uint64_t notFullOffset) {
        const QueueDescriptor descriptor{.offset = offset,
                                         .capacity = capacity,
                                         .notEmptyOffset = notEmptyOffset,
                                         .notFullOffset = notFullOffset,
                                         .elementBytes = sizeof(T),
                                         .flavor = static_cast<std::uint32_t>(Flavor),
                                         .version = kQueueVersion,
                                         .reserved = 0};
        if (offset <= memory.size() && memory.size() - offset >= sizeof(QueueHeader) &&
            offset % kCacheLineSize == 0) {
            auto* header = reinterpret_cast<QueueHeader*>(memory.data() + offset);
            header->magic = kQueueMagic;
            header->flavor = descriptor.flavor;
            header->elementBytes = descriptor.elementBytes;
            header->capacity = capacity;
            header->cellBytes = kCellBytes;
            // sync [queue-created]: the header's other fields are complete
            header->version.store(kQueueVersion, std::memory_order_release);
        }
        NNBURST_TRY(checkQueue(memory, descriptor, Flavor, sizeof(T), kCellBytes));
        return descriptor;
    }

    class Writer;
    class Reader;

  private:
    /// The queue in this process's memory, after all checks. Common to both ends.
    struct View {
        std::byte* base = nullptr;
        std::uint64_t mask = 0;
        std::optional<EventFlag> notEmpty;
        std::optional<EventFlag> notFull;

        [[nodiscard]] Cell& cell(std::uint64_t position) const noexcept {
            return *reinterpret_cast<Cell*>(base + kCellsOffset + (position & mask) * kCellBytes);
        }
        [[nodiscard]] std::atomic<std::uint64_t>& position(std::size_t offset) const noexcept {
            return reinterpret_cast<QueuePosition*>(base + offset)->value;
        }
        [[nodiscard]] std::uint64_t capacity() const noexcept { return mask + 1; }
    };

    [[nodiscard]] static Result<View> view(std::span<std::byte> memory,
                                           const QueueDescriptor& descriptor) {
        NNBURST_TRY(checkQueue(memory, descriptor, Flavor, sizeof(T), kCellBytes));
        const auto eventFlag = [&](std::uint64_t offset) -> std::optional<EventFlag> {
            if (offset == 0) {
                return std::nullopt;
            }
            return EventFlag(*reinterpret_cast<EventWord*>(memory.data() + offset));
        };
        return View{.base = memory.data() + descriptor.offset,
                    .mask = descriptor.capacity - 1,
                    .notEmpty = eventFlag(descriptor.notEmptyOffset),
                    .notFull = eventFlag(descriptor.notFullOffset)};
    }
};

/// The writing end. `memory` of attach must outlive it.
template <class T, QueueFlavor Flavor>
class MessageQueue<T, Flavor>::Writer {
  public:
    /// Takes the writing end of a queue that nobody has written to yet.
    [[nodiscard]] static Result<Writer> attach(std::span<std::byte> memory,
                                               const QueueDescriptor& descriptor) {
        NNBURST_TRY_ASSIGN(View queue, view(memory, descriptor));
        return Writer(queue);
    }

    [[nodiscard]] std::uint64_t capacity() const noexcept { return queue_.capacity(); }

    /// Elements that can be written now; always the capacity of an UNSYNCHRONIZED queue.
    [[nodiscard]] std::uint64_t availableToWrite() noexcept {
        if constexpr (kIsSynchronized) {
            updateReadPosition();
            return capacity() - (position_ - readPosition_);
        } else {
            return capacity();
        }
    }

    /// Readers that are parked are told over this socket, which outlives the writer.
    void setDoorbell(int doorbell) noexcept {
        if (queue_.notEmpty) {
            queue_.notEmpty->setDoorbell(doorbell);
        }
    }

    /// Writes all of `elements` and publishes them as one, or nothing if there is no room.
    [[nodiscard]] bool tryWrite(std::span<const T> elements) noexcept {
        if (!beginWrite(elements.size())) {
            return false;
        }
        for (std::size_t i = 0; i < elements.size(); ++i) {
            set(i, elements[i]);
        }
        commitWrite(elements.size());
        return true;
    }

    /// As tryWrite, waiting for room. False if `deadline` passed, or if the queue is too small for
    /// ever.
    [[nodiscard]] bool write(std::span<const T> elements, const WaitPolicy& policy,
                             std::optional<SteadyTime> deadline) noexcept
        requires(kIsSynchronized) {
        if (elements.size() > capacity() || !queue_.notFull) {
            return tryWrite(elements);
        }
        return waitUntil(*queue_.notFull, policy, {.deadline = deadline, .atMost = {}},
                         [&] { return hasRoomFor(elements.size()); }) &&
               tryWrite(elements);
    }

    /// Starts writing `count` elements in place; false if there is no room. Then `set` each, then
    /// `commitWrite`. Nothing is visible to readers before. A begin without commit publishes
    /// nothing, but in an UNSYNCHRONIZED queue the elements that it was to replace are gone.
    [[nodiscard]] bool beginWrite(std::size_t count) noexcept {
        if constexpr (kIsSynchronized) {
            return count <= capacity() - (position_ - readPosition_) || hasRoomFor(count);
        } else {
            if (count > capacity()) {
                return false;
            }
            for (std::size_t i = 0; i < count; ++i) {
                // Readers that are still here see that their element is going. Ordered before the
                // payload by the payload's release stores [cell-overwritten].
                const std::uint64_t position = position_ + i;
                queue_.cell(position).sequence.store(2 * position + 1, std::memory_order_relaxed);
            }
            return true;
        }
    }

    /// Fills element `index` of the write that was begun.
    void set(std::size_t index, const T& element) noexcept {
        std::array<std::uint64_t, kPayloadWords> words{};
        std::memcpy(words.data(), &element, sizeof(T));
        Cell& cell = queue_.cell(position_ + index);
        for (std::size_t i = 0; i < kPayloadWords; ++i) {
            // sync [cell-overwritten]: a reader that sees this word sees the sequence before it
            std::atomic_ref<std::uint64_t>(cell.payload[i])
                .store(words[i],
                       kIsSynchronized ? std::memory_order_relaxed : std::memory_order_release);
        }
    }

    /// Publishes the `count` (at least 1) elements of the write that was begun, as one, and wakes
    /// readers that sleep.
    void commitWrite(std::size_t count) noexcept {
        for (std::size_t i = count; i-- > 0;) {
            const std::uint64_t position = position_ + i;
            const std::uint64_t sequence = kIsSynchronized ? position + 1 : 2 * position + 2;
            // sync [message-published]: the payload of this and of all later elements is complete
            queue_.cell(position).sequence.store(sequence, std::memory_order_release);
        }
        position_ += count;
        if constexpr (!kIsSynchronized) {
            // sync [queue-joined]: all elements before this position are complete
            queue_.position(kWritePositionOffset).store(position_, std::memory_order_release);
        }
        if (queue_.notEmpty) {
            queue_.notEmpty->wakeAnnounced();
        }
    }

    /// The reader has claimed to have read what was never written; the queue counts as full for
    /// ever.
    [[nodiscard]] bool isPeerBroken() const noexcept { return isPeerBroken_; }

  private:
    explicit Writer(const View& queue) noexcept : queue_(queue) {}

    [[nodiscard]] bool hasRoomFor(std::size_t count) noexcept {
        updateReadPosition();
        return count <= capacity() - (position_ - readPosition_);
    }

    void updateReadPosition() noexcept {
        // sync [elements-consumed]: the reader has copied everything before this position
        const std::uint64_t claimed =
            queue_.position(kReadPositionOffset).load(std::memory_order_acquire);
        if (claimed < readPosition_ || claimed > position_ || isPeerBroken_) {
            isPeerBroken_ = true;
            readPosition_ = position_ - capacity();  // full
            return;
        }
        readPosition_ = claimed;
    }

    View queue_;
    std::uint64_t position_ = 0;      ///< of the next element
    std::uint64_t readPosition_ = 0;  ///< the reader's, when last seen
    bool isPeerBroken_ = false;
};

/// The reading end, or one of them. `memory` of attach must outlive it.
template <class T, QueueFlavor Flavor>
class MessageQueue<T, Flavor>::Reader {
  public:
    /// Takes the reading end of a SYNCHRONIZED queue from which nobody has read yet, or joins an
    /// UNSYNCHRONIZED one: what is written from now on can be read.
    [[nodiscard]] static Result<Reader> attach(std::span<std::byte> memory,
                                               const QueueDescriptor& descriptor) {
        NNBURST_TRY_ASSIGN(View queue, view(memory, descriptor));
        return Reader(queue);
    }

    [[nodiscard]] std::uint64_t capacity() const noexcept { return queue_.capacity(); }

    /// Elements that can be read now; takes time in proportion. At most the capacity.
    [[nodiscard]] std::uint64_t availableToRead() const noexcept {
        std::uint64_t count = 0;
        while (count < capacity() && isReadable(position_ + count)) {
            ++count;
        }
        return count;
    }

    /// Whether there is an element to read, or the reader was overrun. What `read` waits for.
    [[nodiscard]] bool hasNews() const noexcept {
        // sync [message-published]
        const std::uint64_t sequence =
            queue_.cell(position_).sequence.load(std::memory_order_acquire);
        return kIsSynchronized ? sequence == position_ + 1 : sequence > 2 * position_ + 1;
    }

    /// Reads as many elements as `elements` has, or none.
    [[nodiscard]] bool tryRead(std::span<T> elements) noexcept requires(kIsSynchronized) {
        for (std::size_t i = 0; i < elements.size(); ++i) {
            if (!isReadable(position_ + i)) {
                return false;
            }
        }
        for (std::size_t i = 0; i < elements.size(); ++i) {
            copy(position_ + i, elements[i]);
        }
        consume(elements.size());
        return true;
    }

    [[nodiscard]] ReadStatus tryRead(std::span<T> elements) noexcept requires(!kIsSynchronized) {
        if (elements.size() > capacity()) {
            return ReadStatus::EMPTY;
        }
        for (std::size_t i = 0; i < elements.size(); ++i) {
            const std::uint64_t position = position_ + i;
            Cell& cell = queue_.cell(position);
            // sync [message-published]
            const std::uint64_t before = cell.sequence.load(std::memory_order_acquire);
            if (before < 2 * position + 2) {
                return ReadStatus::EMPTY;
            }
            copy(position, elements[i]);
            // sync [cell-overwritten]: relaxed, because the payload's acquire loads come before
            const std::uint64_t after = cell.sequence.load(std::memory_order_relaxed);
            if (before != 2 * position + 2 || after != before) {
                rejoin();
                return ReadStatus::OVERRUN;
            }
        }
        position_ += elements.size();
        return ReadStatus::READ;
    }

    /// As tryRead, waiting for the elements. False if `deadline` passed, or if the queue is too
    /// small for ever.
    [[nodiscard]] bool read(std::span<T> elements, const WaitPolicy& policy,
                            std::optional<SteadyTime> deadline) noexcept requires(kIsSynchronized) {
        if (elements.empty() || elements.size() > capacity() || !queue_.notEmpty) {
            return tryRead(elements);
        }
        return waitUntil(*queue_.notEmpty, policy, {.deadline = deadline, .atMost = {}},
                         [&] { return tryRead(elements); });
    }

    /// As tryRead, waiting for the elements: EMPTY means that `deadline` passed.
    [[nodiscard]] ReadStatus read(std::span<T> elements, const WaitPolicy& policy,
                                  std::optional<SteadyTime> deadline) noexcept
        requires(!kIsSynchronized) {
        ReadStatus status = tryRead(elements);
        if (elements.size() <= capacity() && queue_.notEmpty) {
            (void)waitUntil(*queue_.notEmpty, policy, {.deadline = deadline, .atMost = {}}, [&] {
                if (status == ReadStatus::EMPTY) {
                    status = tryRead(elements);
                }
                return status != ReadStatus::EMPTY;
            });
        }
        return status;
    }

    /// Copies the element `index` places on, without consuming it; false if it is not there yet.
    [[nodiscard]] bool peek(std::size_t index, T& element) const noexcept
        requires(kIsSynchronized) {
        if (index >= capacity() || !isReadable(position_ + index)) {
            return false;
        }
        copy(position_ + index, element);
        return true;
    }

    /// Gives the room of `count` elements, which were readable, back to the writer.
    void consume(std::size_t count) noexcept requires(kIsSynchronized) {
        position_ += count;
        // sync [elements-consumed]: what was read is copied
        queue_.position(kReadPositionOffset).store(position_, std::memory_order_release);
        if (queue_.notFull) {
            queue_.notFull->wakeAnnounced();
        }
    }

  private:
    explicit Reader(const View& queue) noexcept : queue_(queue) {
        if constexpr (!kIsSynchronized) {
            rejoin();
        }
    }

    void rejoin() noexcept {
        // sync [queue-joined]
        position_ = queue_.position(kWritePositionOffset).load(std::memory_order_acquire);
    }

    [[nodiscard]] bool isReadable(std::uint64_t position) const noexcept {
        // sync [message-published]
        const std::uint64_t sequence =
            queue_.cell(position).sequence.load(std::memory_order_acquire);
        return sequence == (kIsSynchronized ? position + 1 : 2 * position + 2);
    }

    void copy(std::uint64_t position, T& element) const noexcept {
        std::array<std::uint64_t, kPayloadWords> words;
        Cell& cell = queue_.cell(position);
        for (std::size_t i = 0; i < kPayloadWords; ++i) {
            words[i] =
                std::atomic_ref<std::uint64_t>(cell.payload[i])
                    .load(kIsSynchronized ? std::memory_order_relaxed : std::memory_order_acquire);
        }
        std::memcpy(&element, words.data(), sizeof(T));
    }

    View queue_;
    std::uint64_t position_ = 0;  ///< of the next element
};

}  // namespace nnburst::fmq
