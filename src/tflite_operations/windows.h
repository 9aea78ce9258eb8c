// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Windows that slide over images [batches, height, width, channels] and volumes.

#include <cstdint>

#include "tflite_operations/operation.h"

namespace nnburst::tflite_operations {

/// Scalars of INT32 that describe windows: padding (1: SAME, 2: VALID), strides along width and
/// height, width and height of a window.
inline constexpr std::size_t kWindowScalars = 5;

struct WindowSizes {
    std::int32_t padding = 0;
    std::int64_t strideWidth = 0;
    std::int64_t strideHeight = 0;
    std::int64_t width = 0;
    std::int64_t height = 0;
};

/// What the first kWindowScalars of `scalars` say, checked.
[[nodiscard]] Result<WindowSizes> windowSizes(Operands scalars);
/// That inputs from `first` on are scalars of INT32.
[[nodiscard]] Result<> checkWindowScalars(Operands inputs, std::size_t first);
[[nodiscard]] Result<> requireImage(const ExtensionOperand& operand);
/// The shape of one element of each channel for each window.
[[nodiscard]] Result<Dimensions> pooledShape(const ExtensionOperand& image,
                                             const WindowSizes& windows);
/// Elements that windows reach beyond the begin of an axis.
[[nodiscard]] std::int64_t paddingBefore(std::int64_t small, std::int64_t large,
                                         std::int64_t stride, std::int64_t window);

/// Windows along one axis of `in` elements, `out` of them, the first of which begins `before`
/// elements before the axis.
struct Window {
    std::int64_t size = 0;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t in = 0;
    std::int64_t out = 0;
    std::int64_t before = 0;

    [[nodiscard]] std::int64_t begin(std::int64_t place) const { return place * stride - before; }
};

/// The windows that these scalars of INT32 describe, checked; `padding` is 1 (SAME) or 2 (VALID).
[[nodiscard]] Result<Window> windowOf(std::int64_t in, std::int64_t size, std::int32_t padding,
                                      std::int32_t stride, std::int32_t dilation);

}  // namespace nnburst::tflite_operations
