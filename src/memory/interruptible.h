// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Copying and sorting long ranges of memory. Gigabytes take seconds, within which a run has to end
/// when its deadline passes or its client goes. `isOverAfter(work)` is asked after every `work`
/// elements, or what takes as long; true ends the function early.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

namespace nnburst {

/// As std::memmove; the ranges may overlap. Copies a mebibyte (some 0.2 ms) between two questions.
/// True if it ended early.
template <class IsOverAfter>
[[nodiscard]] bool copyBytes(std::byte* to, const std::byte* from, std::size_t bytes,
                             IsOverAfter isOverAfter) {
    constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
    constexpr std::size_t kBytesPerElement = 16;  // which take as long as an element of a kernel
    // From the end if the front of the output is the end of the input.
    const bool isBackwards = from < to && to < from + bytes;
    for (std::size_t done = 0; done < bytes;) {
        const std::size_t piece = std::min(kPieceBytes, bytes - done);
        const std::size_t at = isBackwards ? bytes - done - piece : done;
        std::memmove(to + at, from + at, piece);
        done += piece;
        if (isOverAfter(piece / kBytesPerElement + 1)) {
            return true;
        }
    }
    return false;
}

/// Sorted in some milliseconds, without a question.
inline constexpr std::ptrdiff_t kSortedAtOnce = 1 << 16;

/// As std::partial_sort. The elements are in any order if it ends early.
template <class Iterator, class Less, class IsOverAfter>
void sortFirst(Iterator first, Iterator middle, Iterator last, Less less, IsOverAfter isOverAfter) {
    /// What moving an element in a heap costs, in elements.
    constexpr std::size_t kWorkOfMove = 64;
    if (last - first <= kSortedAtOnce) {
        return std::partial_sort(first, middle, last, less);
    }
    // A heap of the first ones so far, with the last of them in front.
    for (Iterator end = first; end != middle; std::push_heap(first, ++end, less)) {
        if (isOverAfter(kWorkOfMove)) {
            return;
        }
    }
    for (Iterator other = middle; other != last && first != middle; ++other) {
        if (isOverAfter(1)) {
            return;
        }
        if (less(*other, *first)) {
            std::pop_heap(first, middle, less);
            std::iter_swap(other, std::prev(middle));
            std::push_heap(first, middle, less);
        }
    }
    for (Iterator end = middle; end != first; --end) {
        if (isOverAfter(kWorkOfMove)) {
            return;
        }
        std::pop_heap(first, end, less);
    }
}

/// As std::sort. The elements are in any order if it ends early.
template <class Iterator, class Less, class IsOverAfter>
void sortAll(Iterator first, Iterator last, Less less, IsOverAfter isOverAfter) {
    if (last - first <= kSortedAtOnce) {
        return std::sort(first, last, less);
    }
    sortFirst(first, last, last, less, isOverAfter);
}

}  // namespace nnburst
