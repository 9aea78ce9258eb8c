// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Access to images in both layouts: strides of elements, and the taps of a window that lie in the
/// image and not in its padding.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "exec/operation/spatial.h"
#include "exec/reference/elements.h"

namespace nnburst::exec {

/// Sizes and distances (in elements) of the four axes of an image, NHWC or NCHW.
struct Image {
    Image(const Shape& shape, const SpatialArguments& arguments) noexcept
        : batches(shape[0]),
          height(shape[arguments.heightAxis()]),
          width(shape[arguments.widthAxis()]),
          channels(shape[arguments.channelAxis()]),
          columnStride(arguments.isNchw ? 1 : channels),
          channelStride(arguments.isNchw ? height * width : 1) {}

    [[nodiscard]] std::size_t offset(std::size_t batch, std::size_t y, std::size_t x,
                                     std::size_t channel) const noexcept {
        return batch * height * width * channels + (y * width + x) * columnStride +
               channel * channelStride;
    }

    std::size_t batches;
    std::size_t height;
    std::size_t width;
    std::size_t channels;
    std::size_t columnStride;
    std::size_t channelStride;
};

/// The taps of one window that lie in the image: `first` to `last - 1`.
struct Taps {
    /// The taps of the window of output element `o`.
    Taps(const SlidingWindow& window, std::uint32_t o) noexcept
        : begin(window.begin(o)),
          dilation(window.dilation),
          first(firstTapFrom(0, window.size)),
          last(firstTapFrom(window.inputSize, window.size)) {}

    /// The position in the image of `tap`, which is one of them.
    [[nodiscard]] std::size_t at(std::size_t tap) const noexcept {
        return static_cast<std::size_t>(begin + static_cast<std::int64_t>(tap) * dilation);
    }

    std::int64_t begin;  ///< the position of tap 0
    std::int64_t dilation;
    std::size_t first;
    std::size_t last;

  private:
    /// The first tap at `position` or after it; `size` if there is none.
    [[nodiscard]] std::size_t firstTapFrom(std::int64_t position,
                                           std::int64_t size) const noexcept {
        const std::int64_t distance = position - begin;
        return distance <= 0
                   ? 0
                   : static_cast<std::size_t>(std::min((distance - 1) / dilation + 1, size));
    }
};

/// Calls tap(row, column) for the taps of a window. `work` is that of each tap, and of what the
/// caller does after the last one. True if the run is out of time; some taps may be left out then.
template <class Tap>
[[nodiscard]] bool forEachTap(PartCounter& parts, const Taps& rows, const Taps& columns,
                              std::size_t work, Tap&& tap) {
    const std::size_t rowWork = (work + 1) * (columns.last - columns.first);
    const bool asksForTaps = rowWork >= kPartElements;  // else for each row of them
    for (std::size_t row = rows.first; row < rows.last; ++row) {
        for (std::size_t column = columns.first; column < columns.last; ++column) {
            tap(row, column);
            if (asksForTaps && parts.isOutOfTime(work)) {
                return true;
            }
        }
        if (parts.isOutOfTime(asksForTaps ? 0 : rowWork)) {
            return true;
        }
    }
    return parts.isOutOfTime(work);
}

}  // namespace nnburst::exec
