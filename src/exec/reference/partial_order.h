// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sorting in an operation. Sorting hundreds of millions of elements takes minutes, within which a
/// run has to end when its deadline passes or its client goes.

#include "exec/operation/operation.h"
#include "memory/interruptible_sort.h"

namespace nnburst::exec {

/// As std::partial_sort. Ends early, with the elements in any order, when the run of `operation` is
/// out of time.
template <class Iterator, class Less>
void sortFirst(const OperationView& operation, Iterator first, Iterator middle, Iterator last,
               Less less) {
    nnburst::sortFirst(first, middle, last, less,
                       [&](std::size_t work) { return operation.isOutOfTime(work); });
}

}  // namespace nnburst::exec
