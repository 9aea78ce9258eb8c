// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Frames: requests and results as they lie in a burst's queues. A frame is a sequence of lines of
/// 56 bytes (each shares a cache line with its sequence number); the first is its header, the rest
/// its body, a stream of 64-bit words. All numbers are little-endian, as in memory.
/// docs/wire_format.md shows a frame in bytes. This header has what all frames share;
/// request_frame.h and result_frame.h have the kinds of frames.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "fmq/message_queue.h"

namespace nnburst::burst {

/// 56 bytes of a frame: with the queue's sequence number one cache line.
struct FrameLine {
    static constexpr std::size_t kWords = 7;
    std::array<std::uint64_t, kWords> words;
};
static_assert(fmq::isSharedLayout<FrameLine> && sizeof(FrameLine) == 56);

using FrameQueue = fmq::MessageQueue<FrameLine, fmq::QueueFlavor::SYNCHRONIZED>;
static_assert(FrameQueue::kCellBytes == fmq::kCacheLineSize);

enum class FrameKind : std::uint16_t { EXECUTE = 1, RESULT = 2, COMPUTE = 3 };

// All kinds of header begin alike, so that one word tells what a frame is and how long.
static_assert(std::endian::native == std::endian::little);
template <class Header>
inline constexpr bool kBeginsAsAllHeaders = offsetof(Header, serial) == 0 &&
                                            offsetof(Header, kind) == 8 &&
                                            offsetof(Header, flags) == 10 &&
                                            offsetof(Header, lineCount) == 12;

/// The words of a header are put together in registers. Written field by field, and then read as
/// words by the queue, they would hold the processor up until all fields have left its store
/// buffer. `first` comes first in memory.
[[nodiscard]] constexpr std::uint64_t wordOf(std::uint32_t first, std::uint32_t second) noexcept {
    return first | std::uint64_t{second} << 32U;
}

/// The second word of a header of any kind.
[[nodiscard]] constexpr std::uint64_t headerWord(FrameKind kind, std::uint16_t flags,
                                                 std::uint32_t lineCount) noexcept {
    return wordOf(static_cast<std::uint32_t>(kind) | std::uint32_t{flags} << 16U, lineCount);
}

/// The number of lines that a header announces; 0 if a queue of `capacity` lines cannot hold so
/// many. Nothing else of a frame is used before it is copied.
[[nodiscard]] inline std::uint32_t announcedLineCount(const FrameLine& header,
                                                      std::uint64_t capacity) noexcept {
    const auto lineCount = static_cast<std::uint32_t>(header.words[1] >> 32);
    return lineCount <= capacity ? lineCount : 0;
}

/// The serial of a frame of any kind.
[[nodiscard]] inline std::uint64_t serialOf(const FrameLine& header) noexcept {
    return header.words[0];
}

}  // namespace nnburst::burst
