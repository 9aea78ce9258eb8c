// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sequences of inputs, as the operations with UNIDIRECTIONAL and BIDIRECTIONAL in their names have
/// them: [time, batches, size] or [batches, time, size].

#include <cstddef>

#include "exec/operation/operation.h"

namespace nnburst::exec {

/// Where the rows of a sequence lie.
struct Sequence {
    Sequence(const Shape& shape, bool isTimeMajor) noexcept
        : steps(shape[isTimeMajor ? 0 : 1]),
          batches(shape[isTimeMajor ? 1 : 0]),
          stepStride(isTimeMajor ? batches : 1),
          batchStride(isTimeMajor ? 1 : steps) {}

    /// The index of a row, of as many elements as the sequence's last axis has.
    [[nodiscard]] std::size_t row(std::size_t step, std::size_t batch) const noexcept {
        return step * stepStride + batch * batchStride;
    }

    std::size_t steps;
    std::size_t batches;
    std::size_t stepStride;
    std::size_t batchStride;
};

/// Where a layer writes its outputs: rows of `rowSize` elements, the layer's own from `offset` on.
template <class T>
struct SequenceOutput {
    T* data = nullptr;
    std::size_t rowSize = 0;
    std::size_t offset = 0;

    [[nodiscard]] T* row(std::size_t index) const noexcept {
        return data + index * rowSize + offset;
    }
};

}  // namespace nnburst::exec
