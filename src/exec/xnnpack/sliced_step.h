// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Long operators that run slice by slice. XNNPACK cannot be interrupted, so that a run can end
/// between two slices only when its deadline has passed. All slices use one operator with one copy
/// of the weights and the same sizes; each sets it up anew for other addresses, which takes 0.1 us.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "exec/xnnpack/operator_step.h"

namespace nnburst::exec::xnnpack {

/// Operators that take longer than this on one thread are sliced.
inline constexpr double kSlicedFromNs = 2e6;
/// What a slice takes on one thread, about.
inline constexpr double kSliceNs = 0.7e6;

/// How many slices an operator wants that does `work` (see Speed); 1 if it is short.
[[nodiscard]] inline double wantedSlices(double work, Speed speed) noexcept {
    const double ns = work / static_cast<double>(speed);
    return ns < kSlicedFromNs ? 1.0 : ns / kSliceNs;
}

/// Rows `first` to `first + rows - 1` of all rows of an operand.
struct RowSlices {
    std::uint32_t rows = 0;            ///< of each slice
    std::vector<std::uint32_t> first;  ///< of each slice
};

/// `total` rows in about `wanted` slices of equally many, of at least `least` rows. The last slice
/// shares rows with the one before if the number does not divide `total`.
[[nodiscard]] RowSlices sliceRows(std::uint32_t total, double wanted, std::uint32_t least);

/// Where a slice lies in the first input and in the output, in bytes. Padding that the operator
/// reads before or after the input is written, with the input, into scratch memory.
struct Slice {
    std::size_t inputOffset = 0;
    std::size_t inputBytes = 0;  ///< without padding; not needed where there is none
    std::size_t outputOffset = 0;
    std::size_t paddingBefore = 0;
    std::size_t paddingAfter = 0;
};

/// An operator, and how it is set up for one slice: with the addresses of the slice's input as
/// operand 0 and of its output as operand `output`.
struct SlicedOperator {
    SharedOperator shared;
    SetUp setUp;
    Effort effort;  ///< of a slice
    std::size_t output = 0;
    std::vector<Slice> slices;
    std::byte padding{};  ///< the value of padding
};

/// Null if XNNPACK refuses the sizes.
[[nodiscard]] StepResult makeSlicedStep(SlicedOperator operation);

}  // namespace nnburst::exec::xnnpack
