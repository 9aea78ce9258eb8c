// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/dot8/window_rows.h"

#include "exec/dot8/row_writer.h"

namespace nnburst::exec::dot8 {

namespace {

/// The part of a window along one axis that lies in the image: taps `first` to last - 1.
struct InnerTaps {
    std::size_t first;
    std::size_t last;

    InnerTaps(const SlidingWindow& axis, std::int64_t begin) noexcept {
        const auto at = [&](std::size_t tap) {
            return begin + static_cast<std::int64_t>(tap) * axis.dilation;
        };
        first = 0;
        while (first < axis.size && at(first) < 0) {
            ++first;
        }
        last = axis.size;
        while (last > first && at(last - 1) >= axis.inputSize) {
            --last;
        }
    }
};

}  // namespace

void WindowRows::gather(const std::uint8_t* images, std::size_t group, std::size_t first,
                        std::size_t count, std::uint8_t* rows, std::size_t stride) const noexcept {
    const SlidingWindow& height = window.height;
    const SlidingWindow& width = window.width;
    const std::size_t imageBytes = std::size_t{height.inputSize} * width.inputSize * channels;
    const std::uint8_t* const end = images + batches * imageBytes;
    const std::size_t tapBytes = groupChannels;
    const bool isContiguous = width.dilation == 1 && groupChannels == channels;
    auto x = static_cast<std::uint32_t>(first % width.outputSize);
    auto y = static_cast<std::uint32_t>(first / width.outputSize % height.outputSize);
    const std::uint8_t* image =
        images + first / width.outputSize / height.outputSize * imageBytes + group * groupChannels;
    for (std::size_t row = 0; row < count; ++row, rows += stride) {
        const std::int64_t top = height.begin(y);
        const std::int64_t left = width.begin(x);
        const InnerTaps columns(width, left);
        RowWriter writer(rows, end);
        for (std::size_t t = 0; t < height.size; ++t) {
            const std::int64_t inputRow = top + static_cast<std::int64_t>(t) * height.dilation;
            if (inputRow < 0 || inputRow >= height.inputSize || columns.first == columns.last) {
                writer.pad(padding, width.size * tapBytes);
                continue;
            }
            if (columns.first != 0) {
                writer.pad(padding, columns.first * tapBytes);
            }
            const auto pixel = [&](std::size_t u) {
                const std::int64_t column = left + static_cast<std::int64_t>(u) * width.dilation;
                return image +
                       static_cast<std::size_t>(inputRow * width.inputSize + column) * channels;
            };
            if (isContiguous) {
                writer.copy(pixel(columns.first), (columns.last - columns.first) * tapBytes);
            } else {
                for (std::size_t u = columns.first; u < columns.last; ++u) {
                    writer.copy(pixel(u), tapBytes);
                }
            }
            if (columns.last != width.size) {
                writer.pad(padding, (width.size - columns.last) * tapBytes);
            }
        }
        if (++x == width.outputSize) {
            x = 0;
            if (++y == height.outputSize) {
                y = 0;
                image += imageBytes;
            }
        }
    }
}

}  // namespace nnburst::exec::dot8
