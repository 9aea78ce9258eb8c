// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sorting long ranges, as interruptible.h copies them: `isOverAfter(work)` is asked after every
/// `work` elements, or what takes as long; true ends the function early.

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace nnburst {

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
