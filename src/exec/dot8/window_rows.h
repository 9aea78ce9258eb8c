// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The inputs of a convolution as rows of a matrix: one row for each output pixel, with what its
/// window covers.

#include <cstddef>
#include <cstdint>

#include "exec/operation/spatial.h"

namespace nnburst::exec::dot8 {

/// Images [batches, height, width, channels] and the windows over them.
struct WindowRows {
    SpatialWindow window;
    std::size_t batches = 0;
    std::size_t channels = 0;
    std::size_t groupChannels = 0;  ///< in a row: those of one group
    std::uint8_t padding = 0;       ///< the byte that stands for 0
    /// Rows and columns of the image before the first window, if that has no padding before it.
    std::uint32_t skippedRows = 0;
    std::uint32_t skippedColumns = 0;

    /// Bytes of a row.
    [[nodiscard]] std::size_t depth() const noexcept {
        return std::size_t{window.height.size} * window.width.size * groupChannels;
    }
    [[nodiscard]] std::size_t rowCount() const noexcept {
        return batches * window.height.outputSize * window.width.outputSize;
    }

    /// Writes rows `first` to first + count - 1 of one group to `rows`, `stride` bytes apart. Each
    /// row has `depth` bytes; what is between them is overwritten.
    void gather(const std::uint8_t* images, std::size_t group, std::size_t first, std::size_t count,
                std::uint8_t* rows, std::size_t stride) const noexcept;
};

}  // namespace nnburst::exec::dot8
