// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/dot8/window_rows.h"

#include <algorithm>

#include "exec/dot8/row_writer.h"

namespace nnburst::exec::dot8 {

namespace {

/// The part of a window along one axis that lies in the image: taps `first` to last - 1.
struct InnerTaps {
    std::size_t first = 0;
    std::size_t last = 0;

    InnerTaps(const SlidingWindow& axis, std::int64_t begin) noexcept : last(axis.size) {
        const std::int64_t extent = std::int64_t{axis.size - 1} * axis.dilation;
        if (begin >= 0 && begin + extent < axis.inputSize) {
            return;
        }
        const auto at = [&](std::size_t tap) {
            return begin + static_cast<std::int64_t>(tap) * axis.dilation;
        };
        while (first < axis.size && at(first) < 0) {
            ++first;
        }
        while (last > first && at(last - 1) >= axis.inputSize) {
            --last;
        }
    }
};

/// One row of the matrix: the window at one place of an image.
class Window {
  public:
    Window(const WindowRows& rows, const std::uint8_t* image, std::int64_t top,
           const InnerTaps& vertical) noexcept
        : rows_(rows),
          image_(image),
          top_(top),
          vertical_(vertical),
          isContiguous_(rows.window.width.dilation == 1 && rows.groupChannels == rows.channels) {}

    void write(std::int64_t left, RowWriter writer) const noexcept {
        const SlidingWindow& height = rows_.window.height;
        const SlidingWindow& width = rows_.window.width;
        const std::size_t tapBytes = rows_.groupChannels;
        const InnerTaps columns(width, left);
        if (columns.first == columns.last) {
            return writer.pad(rows_.padding, rows_.depth());
        }
        const std::size_t padBefore = columns.first * tapBytes;
        const std::size_t padAfter = (width.size - columns.last) * tapBytes;
        const std::size_t rowBytes = width.size * tapBytes;
        pad(writer, vertical_.first * rowBytes);
        const std::size_t rowStride =
            std::size_t{width.inputSize} * rows_.channels * height.dilation;
        const std::size_t columnStride = std::size_t{width.dilation} * rows_.channels;
        const std::uint8_t* row =
            image_ + offset(top_, height, vertical_.first) * width.inputSize * rows_.channels +
            offset(left, width, columns.first) * rows_.channels;
        for (std::size_t t = vertical_.first; t < vertical_.last; ++t, row += rowStride) {
            pad(writer, padBefore);
            if (isContiguous_) {
                writer.copy(row, (columns.last - columns.first) * tapBytes);
            } else {
                const std::uint8_t* pixel = row;
                for (std::size_t u = columns.first; u < columns.last; ++u) {
                    writer.copy(pixel, tapBytes);
                    pixel += columnStride;
                }
            }
            pad(writer, padAfter);
        }
        pad(writer, (height.size - vertical_.last) * rowBytes);
    }

  private:
    void pad(RowWriter& writer, std::size_t count) const noexcept {
        if (count != 0) {
            writer.pad(rows_.padding, count);
        }
    }
    /// The input under tap `tap`, which lies in the image.
    static std::size_t offset(std::int64_t begin, const SlidingWindow& axis,
                              std::size_t tap) noexcept {
        return static_cast<std::size_t>(begin + static_cast<std::int64_t>(tap) * axis.dilation);
    }

    const WindowRows& rows_;
    const std::uint8_t* image_;
    const std::int64_t top_;
    const InnerTaps vertical_;
    const bool isContiguous_;
};

}  // namespace

void WindowRows::gather(const std::uint8_t* images, std::size_t group, std::size_t first,
                        std::size_t count, std::uint8_t* rows, std::size_t stride) const noexcept {
    const SlidingWindow& height = window.height;
    const SlidingWindow& width = window.width;
    const std::size_t imageBytes = std::size_t{height.inputSize} * width.inputSize * channels;
    const std::uint8_t* const end = images + batches * imageBytes;
    auto x = static_cast<std::uint32_t>(first % width.outputSize);
    auto y = static_cast<std::uint32_t>(first / width.outputSize % height.outputSize);
    std::size_t batch = first / width.outputSize / height.outputSize;
    while (count != 0) {
        const std::int64_t top = height.begin(y) + skippedRows;
        const InnerTaps vertical(height, top);
        const auto last =
            static_cast<std::uint32_t>(std::min<std::size_t>(width.outputSize, x + count));
        if (vertical.first == vertical.last) {
            for (std::uint32_t i = x; i < last; ++i, rows += stride) {
                RowWriter(rows, end).pad(padding, depth());
            }
        } else {
            const Window place(*this, images + batch * imageBytes + group * groupChannels, top,
                               vertical);
            for (std::uint32_t i = x; i < last; ++i, rows += stride) {
                place.write(width.begin(i) + skippedColumns, RowWriter(rows, end));
            }
        }
        count -= last - x;
        x = 0;
        if (++y == height.outputSize) {
            y = 0;
            ++batch;
        }
    }
}

}  // namespace nnburst::exec::dot8
