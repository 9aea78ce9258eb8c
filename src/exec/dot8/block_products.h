// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Products of rows of activations with a matrix of packed weights, block of columns after block,
/// and how they are divided into tasks.

#include <cstddef>
#include <cstdint>

#include "exec/dot8/microkernel.h"
#include "exec/dot8/packed_weights.h"
#include "exec/dot8/reference_scales.h"
#include "exec/dot8/shared_work.h"

namespace nnburst::exec::dot8 {

/// Rows that a task multiplies at most: their corrections lie on the stack.
inline constexpr std::size_t kMaximumTaskRows = 120;
/// Longer rows would need much scratch memory; XNNPACK takes them.
inline constexpr std::size_t kMaximumDepth = std::size_t{1} << 20;

/// How long `multiplications` take on one thread, about.
[[nodiscard]] double productNs(double multiplications) noexcept;

/// How a product [rowCount, depth] x [depth, outputs] is divided into tasks: `taskRows` rows each,
/// with the blocks of columns in `splits`.
struct ProductDivision {
    std::size_t taskRows = 0;
    std::size_t splits = 1;

    /// For `threads` threads; the whole product takes `ns` on one.
    ProductDivision(std::size_t rowCount, std::size_t depth, std::size_t outputs,
                    const Microkernels& kernels, std::size_t threads, double ns) noexcept;
};

/// A part of a packed filter: a matrix [depth, outputs].
struct FilterMatrix {
    const PackedFilter* filter = nullptr;
    std::size_t depth = 0;
    std::size_t outputs = 0;
    std::size_t weightsOffset = 0;     ///< in bytes
    std::size_t parametersOffset = 0;  ///< in elements of bias and scales
    /// If not null, outputs are rounded as the reference kernels round.
    const ReferenceScales* referenceScales = nullptr;
};

/// At most kMaximumTaskRows rows. `multipliedDepth` bytes of each are read: the depth, or that
/// rounded up to a multiple of 4.
struct ActivationRows {
    const std::uint8_t* data = nullptr;
    std::size_t stride = 0;
    std::size_t count = 0;
    std::size_t multipliedDepth = 0;
};

/// Where outputs go: those of a row follow each other.
struct OutputRows {
    std::uint8_t* data = nullptr;
    std::size_t stride = 0;
};

/// Computes the columns of split `split` of `splits`. False if the time is over.
[[nodiscard]] bool multiplyBlocks(const FilterMatrix& matrix, const ActivationRows& rows,
                                  const OutputRows& output, const Requantization& requantization,
                                  std::size_t split, std::size_t splits, Pace& pace) noexcept;

}  // namespace nnburst::exec::dot8
