// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The UNSYNCHRONIZED flavour of the message queue: see message_queue.h. The sequence of position p
/// is 2p + 1 while it is being written and 2p + 2 once it is readable. Elements published together
/// are announced from the last to the first, so that a reader that sees the first sees all.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "fmq/queue_layout.h"
#include "fmq/wait.h"
#include "nnburst/result.h"
#include "nnburst/wait_policy.h"

namespace nnburst::fmq {

/// How a read from an UNSYNCHRONIZED queue ended.
enum class ReadStatus : std::uint8_t {
    READ,
    EMPTY,    ///< not that many elements yet
    OVERRUN,  ///< elements were lost; the reader now stands at the newest position
};

template <class T>
class UnsynchronizedQueue : public QueueCreation<T, QueueFlavor::UNSYNCHRONIZED> {
  public:
    class Writer;
    class Reader;

  private:
    [[nodiscard]] static constexpr std::uint64_t beingWritten(std::uint64_t position) noexcept {
        return 2 * position + 1;
    }
    [[nodiscard]] static constexpr std::uint64_t readable(std::uint64_t position) noexcept {
        return 2 * position + 2;
    }
};

/// The writing end. `memory` of attach must outlive it.
template <class T>
class UnsynchronizedQueue<T>::Writer {
  public:
    /// Takes the writing end of a queue; INVALID_ARGUMENT if it was written to before.
    [[nodiscard]] static Result<Writer> attach(std::span<std::byte> memory,
                                               const QueueDescriptor& descriptor) {
        NNBURST_TRY_ASSIGN(QueueView<T> queue,
                           QueueView<T>::attach(memory, descriptor, QueueFlavor::UNSYNCHRONIZED));
        NNBURST_TRY(checkUnused("written to", queue.sequence(0)));
        return Writer(queue);
    }

    [[nodiscard]] std::uint64_t capacity() const noexcept { return queue_.capacity(); }

    /// Elements that can be written now: always all that the queue holds.
    [[nodiscard]] std::uint64_t availableToWrite() const noexcept { return capacity(); }

    /// Parked readers are woken over this socket, which outlives the writer.
    void setDoorbell(int doorbell) noexcept { queue_.setDoorbell(doorbell); }

    /// Writes all of `elements` and publishes them together; false if they are more than the queue
    /// holds.
    [[nodiscard]] bool tryWrite(std::span<const T> elements) noexcept {
        return writeAll(*this, elements);
    }

    /// Begins to write `count` elements; false if that is more than the queue holds. Then `set`
    /// each, which copies it into the queue, then `commitWrite`. Nothing is visible to readers
    /// before. A begin without commit publishes nothing, but the elements that it would have
    /// replaced are lost.
    [[nodiscard]] bool beginWrite(std::size_t count) noexcept {
        if (count > capacity()) {
            return false;
        }
        for (std::size_t i = 0; i < count; ++i) {
            // Readers that are still here see that their element is going. Ordered before the
            // payload by the payload's release stores [cell-overwritten].
            const std::uint64_t position = position_ + i;
            // sync [queue-joined]: a reader that was overrun finds the position of this write, or a
            // later one
            queue_.sequence(position).store(beingWritten(position), std::memory_order_release);
        }
        return true;
    }

    /// Copies `element` into place `index` of the write that was begun.
    void set(std::size_t index, const T& element) noexcept {
        // sync [cell-overwritten]: a reader that sees a word sees the sequence before it
        queue_.store(position_ + index, element, std::memory_order_release);
    }

    /// Publishes together the `count` (at least 1) elements of the write that was begun, and wakes
    /// readers that sleep.
    void commitWrite(std::size_t count) noexcept {
        for (std::size_t i = count; i-- > 0;) {
            const std::uint64_t position = position_ + i;
            // sync [message-published]: the payload of this and of all later elements is complete
            queue_.sequence(position).store(readable(position), std::memory_order_release);
        }
        position_ += count;
        // sync [queue-joined]: all elements before this position are complete
        queue_.writePosition().store(position_, std::memory_order_release);
        queue_.wakeReaders();
    }

  private:
    explicit Writer(const QueueView<T>& queue) noexcept : queue_(queue) {}

    QueueView<T> queue_;
    std::uint64_t position_ = 0;  ///< of the next element
};

/// One of the reading ends. `memory` of attach must outlive it.
template <class T>
class UnsynchronizedQueue<T>::Reader {
  public:
    /// Joins a queue: what is written from now on can be read.
    [[nodiscard]] static Result<Reader> attach(std::span<std::byte> memory,
                                               const QueueDescriptor& descriptor) {
        NNBURST_TRY_ASSIGN(QueueView<T> queue,
                           QueueView<T>::attach(memory, descriptor, QueueFlavor::UNSYNCHRONIZED));
        return Reader(queue);
    }

    [[nodiscard]] std::uint64_t capacity() const noexcept { return queue_.capacity(); }

    /// Elements that can be read now; takes time in proportion. At most the capacity. After an
    /// overrun it is the capacity, and the next read gives OVERRUN.
    [[nodiscard]] std::uint64_t availableToRead() const noexcept {
        if (sequenceAt(0) > readable(position_)) {
            return capacity();
        }
        std::uint64_t count = 0;
        while (count < capacity() && sequenceAt(count) == readable(position_ + count)) {
            ++count;
        }
        return count;
    }

    /// Whether there is an element to read, or the reader was overrun. What `read` waits for.
    [[nodiscard]] bool hasElement() const noexcept {
        return sequenceAt(0) > beingWritten(position_);
    }

    /// Reads as many elements as `elements` has, or none.
    [[nodiscard]] ReadStatus tryRead(std::span<T> elements) noexcept {
        if (elements.size() > capacity()) {
            return ReadStatus::EMPTY;
        }
        for (std::size_t i = 0; i < elements.size(); ++i) {
            const std::uint64_t position = position_ + i;
            const std::uint64_t before = sequenceAt(i);
            if (before < readable(position)) {
                return ReadStatus::EMPTY;
            }
            // sync [cell-overwritten]: if a word is of a later turn, so is the sequence
            queue_.load(position, elements[i], std::memory_order_acquire);
            // After the payload, whose loads acquire. Acquires for rejoin [queue-joined].
            const std::uint64_t after = sequenceAt(i);
            if (before != readable(position) || after != before) {
                rejoin();
                return ReadStatus::OVERRUN;
            }
        }
        position_ += elements.size();
        return ReadStatus::READ;
    }

    /// As tryRead, but waits for the elements. EMPTY if `deadline` passed, or if `elements` exceed
    /// the capacity.
    [[nodiscard]] ReadStatus read(std::span<T> elements, const WaitPolicy& policy,
                                  OptionalTimePoint deadline) noexcept {
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

  private:
    explicit Reader(const QueueView<T>& queue) noexcept : queue_(queue) { rejoin(); }

    void rejoin() noexcept {
        // sync [queue-joined]: everything before this position is complete
        position_ = queue_.writePosition().load(std::memory_order_acquire);
    }

    [[nodiscard]] std::uint64_t sequenceAt(std::uint64_t index) const noexcept {
        // sync [message-published]: the element is complete if the sequence says so
        return queue_.sequence(position_ + index).load(std::memory_order_acquire);
    }

    QueueView<T> queue_;
    std::uint64_t position_ = 0;  ///< of the next element
};

}  // namespace nnburst::fmq
