// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The SYNCHRONIZED flavour of the message queue: see message_queue.h. The sequence of position p
/// is p + 1 once it is readable. Elements published together are announced from the last to the
/// first, so that a reader that sees the first sees all.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "fmq/queue_layout.h"
#include "fmq/wait.h"
#include "nnburst/result.h"
#include "nnburst/wait_policy.h"

namespace nnburst::fmq {

template <class T>
class SynchronizedQueue : public QueueCreation<T, QueueFlavor::SYNCHRONIZED> {
  public:
    class Writer;
    class Reader;
};

/// The writing end. `memory` of attach must outlive it.
template <class T>
class SynchronizedQueue<T>::Writer {
  public:
    /// Takes the writing end of a queue; INVALID_ARGUMENT if it was written to before.
    [[nodiscard]] static Result<Writer> attach(std::span<std::byte> memory,
                                               const QueueDescriptor& descriptor) {
        NNBURST_TRY_ASSIGN(QueueView<T> queue,
                           QueueView<T>::attach(memory, descriptor, QueueFlavor::SYNCHRONIZED));
        NNBURST_TRY(checkUnused("written to", queue.sequence(0)));
        return Writer(queue);
    }

    [[nodiscard]] std::uint64_t capacity() const noexcept { return queue_.capacity(); }

    /// Elements that can be written now.
    [[nodiscard]] std::uint64_t availableToWrite() noexcept {
        updateReadPosition();
        return room();
    }

    /// Parked readers are woken over this socket, which outlives the writer.
    void setDoorbell(int doorbell) noexcept { queue_.setDoorbell(doorbell); }

    /// Limits how many sleeping readers one write wakes (EventFlag::limitWoken).
    void limitWoken(int count) noexcept {
        if (queue_.notEmpty) {
            queue_.notEmpty->limitWoken(count);
        }
    }

    /// Writes all of `elements` and publishes them together; false, and writes nothing, if there is
    /// no room.
    [[nodiscard]] bool tryWrite(std::span<const T> elements) noexcept {
        return writeAll(*this, elements);
    }

    /// As tryWrite, but waits for room. False if `deadline` passed, or if `elements` exceed the
    /// capacity.
    [[nodiscard]] bool write(std::span<const T> elements, const WaitPolicy& policy,
                             OptionalTimePoint deadline) noexcept {
        if (elements.size() > capacity() || !queue_.notFull) {
            return tryWrite(elements);
        }
        return waitUntil(*queue_.notFull, policy, {.deadline = deadline, .atMost = {}},
                         [&] { return hasRoomFor(elements.size()); }) &&
               tryWrite(elements);
    }

    /// Begins to write `count` elements; false if there is no room. Then `set` each, which copies
    /// it into the queue, then `commitWrite`. Nothing is visible to the reader before. A begin
    /// without commit publishes nothing.
    [[nodiscard]] bool beginWrite(std::size_t count) noexcept {
        return count <= room() || hasRoomFor(count);
    }

    /// Copies `element` into place `index` of the write that was begun.
    void set(std::size_t index, const T& element) noexcept {
        // Relaxed: the sequence, stored later, announces it.
        queue_.store(position_ + index, element, std::memory_order_relaxed);
    }

    /// Publishes together the `count` (at least 1) elements of the write that was begun, and wakes
    /// the reader if it sleeps.
    void commitWrite(std::size_t count) noexcept {
        for (std::size_t i = count; i-- > 0;) {
            const std::uint64_t position = position_ + i;
            // sync [message-published]: the payload of this and of all later elements is complete
            queue_.sequence(position).store(position + 1, std::memory_order_release);
        }
        position_ += count;
        queue_.wakeReaders();
    }

  private:
    explicit Writer(const QueueView<T>& queue) noexcept : queue_(queue) {}

    /// Free elements by the read position that was last seen: there may be more.
    [[nodiscard]] std::uint64_t room() const noexcept {
        return capacity() - (position_ - readPosition_);
    }

    [[nodiscard]] bool hasRoomFor(std::size_t count) noexcept {
        updateReadPosition();
        return count <= room();
    }

    void updateReadPosition() noexcept {
        // sync [elements-consumed]: the reader has copied everything before this position
        const std::uint64_t claimed = queue_.readPosition().load(std::memory_order_acquire);
        // A read position that goes back, or lies beyond what was written, is ignored: the one
        // before holds.
        if (claimed - readPosition_ <= position_ - readPosition_) {
            readPosition_ = claimed;
        }
    }

    QueueView<T> queue_;
    std::uint64_t position_ = 0;      ///< of the next element
    std::uint64_t readPosition_ = 0;  ///< the reader's, when last seen
};

/// The reading end. `memory` of attach must outlive it.
template <class T>
class SynchronizedQueue<T>::Reader {
  public:
    /// Takes the reading end of a queue; INVALID_ARGUMENT if it was read from before.
    [[nodiscard]] static Result<Reader> attach(std::span<std::byte> memory,
                                               const QueueDescriptor& descriptor) {
        NNBURST_TRY_ASSIGN(QueueView<T> queue,
                           QueueView<T>::attach(memory, descriptor, QueueFlavor::SYNCHRONIZED));
        NNBURST_TRY(checkUnused("read from", queue.readPosition()));
        return Reader(queue);
    }

    [[nodiscard]] std::uint64_t capacity() const noexcept { return queue_.capacity(); }

    /// Elements that can be read now; takes time in proportion. At most the capacity.
    [[nodiscard]] std::uint64_t availableToRead() const noexcept {
        std::uint64_t count = 0;
        while (count < capacity() && isReadable(count)) {
            ++count;
        }
        return count;
    }

    /// Whether there is an element to read. What `read` waits for.
    [[nodiscard]] bool hasElement() const noexcept { return isReadable(0); }

    /// Reads as many elements as `elements` has, or none.
    [[nodiscard]] bool tryRead(std::span<T> elements) noexcept {
        for (std::size_t i = 0; i < elements.size(); ++i) {
            if (!isReadable(i)) {
                return false;
            }
        }
        for (std::size_t i = 0; i < elements.size(); ++i) {
            copy(i, elements[i]);
        }
        consume(elements.size());
        return true;
    }

    /// As tryRead, but waits for the elements. False if `deadline` passed, or if `elements` exceed
    /// the capacity.
    [[nodiscard]] bool read(std::span<T> elements, const WaitPolicy& policy,
                            OptionalTimePoint deadline) noexcept {
        if (elements.empty() || elements.size() > capacity() || !queue_.notEmpty) {
            return tryRead(elements);
        }
        return waitUntil(*queue_.notEmpty, policy, {.deadline = deadline, .atMost = {}},
                         [&] { return tryRead(elements); });
    }

    /// Copies the element `index` places on, without consuming it; false if it is not there yet.
    [[nodiscard]] bool peek(std::size_t index, T& element) const noexcept {
        if (index >= capacity() || !isReadable(index)) {
            return false;
        }
        copy(index, element);
        return true;
    }

    /// Gives the room of `count` elements, which were readable, back to the writer, and wakes it if
    /// it sleeps.
    void consume(std::size_t count) noexcept {
        position_ += count;
        // sync [elements-consumed]: what was read is copied
        queue_.readPosition().store(position_, std::memory_order_release);
        if (queue_.notFull) {
            queue_.notFull->wakeAnnounced();
        }
    }

  private:
    explicit Reader(const QueueView<T>& queue) noexcept : queue_(queue) {}

    [[nodiscard]] bool isReadable(std::uint64_t index) const noexcept {
        const std::uint64_t position = position_ + index;
        // sync [message-published]: the element is complete
        return queue_.sequence(position).load(std::memory_order_acquire) == position + 1;
    }

    void copy(std::uint64_t index, T& element) const noexcept {
        // Relaxed: comes after isReadable.
        queue_.load(position_ + index, element, std::memory_order_relaxed);
    }

    QueueView<T> queue_;
    std::uint64_t position_ = 0;  ///< of the next element
};

}  // namespace nnburst::fmq
