// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Copying long ranges of memory. Gigabytes take seconds, within which a run has to end when its
/// deadline passes or its client goes. `isOverAfter(work)` is asked after every `work` elements, or
/// what takes as long; true ends the function early.

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace nnburst {

/// Calls `copyPiece(offset, bytes)` for consecutive pieces of a range of `bytes`. A piece has a
/// mebibyte, which takes some 0.2 ms; a question follows each. True if it ended early.
template <class CopyPiece, class IsOverAfter>
[[nodiscard]] bool forEachPiece(std::size_t bytes, CopyPiece copyPiece, IsOverAfter isOverAfter) {
    constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
    constexpr std::size_t kBytesPerElement = 16;  // which take as long as an element of a kernel
    for (std::size_t offset = 0; offset < bytes; offset += kPieceBytes) {
        const std::size_t piece = std::min(kPieceBytes, bytes - offset);
        copyPiece(offset, piece);
        if (isOverAfter(piece / kBytesPerElement + 1)) {
            return true;
        }
    }
    return false;
}

/// As std::memmove; the ranges may overlap. True if it ended early.
template <class IsOverAfter>
[[nodiscard]] bool copyBytes(std::byte* to, const std::byte* from, std::size_t bytes,
                             IsOverAfter isOverAfter) {
    // From the end if the front of the output is the end of the input.
    const bool isBackwards = from < to && to < from + bytes;
    return forEachPiece(
        bytes,
        [&](std::size_t done, std::size_t piece) {
            const std::size_t at = isBackwards ? bytes - done - piece : done;
            std::memmove(to + at, from + at, piece);
        },
        isOverAfter);
}

}  // namespace nnburst
