// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Copies parts of images into scratch memory.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nnburst::exec::dot8 {

/// Writes one run of bytes after the other, from lower to higher addresses.
class RowWriter {
  public:
    /// Bytes beyond the end of what is written that may be overwritten.
    static constexpr std::size_t kSlackBytes = 64;

    /// No byte at or after `end` is read.
    RowWriter(std::uint8_t* row, const std::uint8_t* end) noexcept : next_(row), end_(end) {}

    /// Short runs are copied in pieces of 16 bytes: what is written too far is written over.
    void copy(const std::uint8_t* from, std::size_t count) noexcept {
        constexpr std::size_t kPiece = 16;
        constexpr std::size_t kShort = 64;
        static_assert(kShort <= kSlackBytes);
        if (count <= kPiece && kPiece <= static_cast<std::size_t>(end_ - from)) {
            std::memcpy(next_, from, kPiece);
            next_ += count;
            return;
        }
        const std::size_t pieces = (count + kPiece - 1) / kPiece;
        if (count <= kShort && pieces * kPiece <= static_cast<std::size_t>(end_ - from)) {
            for (std::size_t piece = 0; piece < pieces; ++piece) {
                std::memcpy(next_ + piece * kPiece, from + piece * kPiece, kPiece);
            }
        } else {
            std::memcpy(next_, from, count);
        }
        next_ += count;
    }

    void pad(std::uint8_t padding, std::size_t count) noexcept {
        std::memset(next_, padding, count);
        next_ += count;
    }

    /// Writes each of `count` bytes `times` times. Few times are written in pieces of 8 bytes: what
    /// is written too far is written over.
    void repeat(const std::uint8_t* from, std::size_t count, std::size_t times) noexcept {
        constexpr std::uint64_t kOneInEachByte = 0x0101010101010101;
        static_assert(sizeof(kOneInEachByte) <= kSlackBytes);
        for (std::size_t i = 0; i < count; ++i) {
            if (times > sizeof(kOneInEachByte)) {
                pad(from[i], times);
                continue;
            }
            const std::uint64_t piece = from[i] * kOneInEachByte;
            std::memcpy(next_, &piece, sizeof(piece));
            next_ += times;
        }
    }

  private:
    std::uint8_t* next_;
    const std::uint8_t* end_;
};

}  // namespace nnburst::exec::dot8
