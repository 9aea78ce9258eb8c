// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sorting in an operation. Sorting hundreds of millions of elements takes minutes, within which a
/// run has to end when its deadline passes or its client goes.

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "exec/operation/operation.h"

namespace nnburst::exec {

/// As std::partial_sort. Ends early, with the elements in any order, when the run of `operation` is
/// out of time.
template <class Iterator, class Less>
void sortFirst(const OperationView& operation, Iterator first, Iterator middle, Iterator last,
               Less less) {
    /// Sorted in some milliseconds, without a look at the time.
    constexpr std::ptrdiff_t kSortedAtOnce = 1 << 16;
    /// What moving an element in a heap costs, in the unit of TimeLimit.
    constexpr std::size_t kWorkOfMove = 64;
    if (last - first <= kSortedAtOnce) {
        return std::partial_sort(first, middle, last, less);
    }
    // A heap of the first ones so far, with the last of them in front.
    for (Iterator end = first; end != middle; std::push_heap(first, ++end, less)) {
        if (operation.isOutOfTime(kWorkOfMove)) {
            return;
        }
    }
    for (Iterator other = middle; other != last && first != middle; ++other) {
        if (operation.isOutOfTime(1)) {
            return;
        }
        if (less(*other, *first)) {
            std::pop_heap(first, middle, less);
            std::iter_swap(other, std::prev(middle));
            std::push_heap(first, middle, less);
        }
    }
    for (Iterator end = middle; end != first; --end) {
        if (operation.isOutOfTime(kWorkOfMove)) {
            return;
        }
        std::pop_heap(first, end, less);
    }
}

}  // namespace nnburst::exec
