// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Copies elements of any type between tensors: only their size (1, 2 or 4 bytes) matters.
/// Transpositions, slices, paddings, tilings and rearrangements of blocks are copies that differ in
/// their distances along each axis. Nothing here allocates or interprets values.

#include <array>
#include <cstddef>
#include <cstdint>

#include "exec/operation/operation.h"

namespace nnburst::exec {

/// Product of the sizes of axes `first` to `last - 1`.
[[nodiscard]] std::size_t elementCount(const Shape& shape, std::size_t first,
                                       std::size_t last) noexcept;

/// Distances (in elements) between neighbours along each axis of a dense tensor. Undefined if the
/// tensor has no elements.
using Strides = std::array<std::ptrdiff_t, kMaximumRank>;
[[nodiscard]] Strides denseStrides(const Shape& shape) noexcept;

/// A copy of a block of elements, of which each axis has its own distance in the input (0: the same
/// elements again; below 0: backwards) and in the output. The axes are added from the outermost to
/// the innermost one:
///
///     StridedCopy copy;
///     copy.axis(columns, 1, rows).axis(rows, columns, 1);  // a matrix, transposed
///     copy.run(input, output, elementBytes);
class StridedCopy {
  public:
    /// Adds an axis; at most kMaximumAxes. Axes that can be walked as one are merged.
    StridedCopy& axis(std::size_t size, std::ptrdiff_t inputStride,
                      std::ptrdiff_t outputStride) noexcept;

    /// `input` and `output` are where the first element lies, in tensors that do not overlap. Ends
    /// early when the run of `operation` is out of time.
    void run(const OperationView& operation, const std::byte* input, std::byte* output,
             std::size_t elementBytes) const noexcept;

    static constexpr std::size_t kMaximumAxes = 2 * kMaximumRank;

  private:
    struct Axis {
        std::size_t size = 1;
        std::ptrdiff_t inputStride = 1;
        std::ptrdiff_t outputStride = 1;
    };

    template <class Row>
    void forEachRow(const OperationView& operation, Row&& row) const noexcept;
    template <class T>
    void runElements(const OperationView& operation, const std::byte* input,
                     std::byte* output) const noexcept;

    std::array<Axis, kMaximumAxes> outer_{};  ///< all but the innermost axis
    std::size_t outerRank_ = 0;
    Axis inner_;
    bool isEmpty_ = false;
};

/// The type of the scalar with which an operation fills a tensor of `type`.
[[nodiscard]] OperandType fillScalarType(OperandType type) noexcept;

/// Sets `count` elements to the one that lies at `value`. Ends early when the run of `operation` is
/// out of time.
void fillElements(const OperationView& operation, std::byte* output, std::size_t count,
                  const std::byte* value, std::size_t elementBytes) noexcept;

/// The element that pads a tensor of `operand`'s type: 0, which in 8 bits is the zero point.
[[nodiscard]] std::array<std::byte, 4> zeroElement(const OperandView& operand) noexcept;

}  // namespace nnburst::exec
