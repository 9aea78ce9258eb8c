// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/windows.h"

#include <array>

#include "model/invalid.h"

namespace nnburst::tflite {

namespace {

/// Implicit padding in the HAL (1.0, as in NDK's PaddingCode).
constexpr std::int32_t kHalPaddingSame = 1;
constexpr std::int32_t kHalPaddingValid = 2;

}  // namespace

Result<> checkWindows(schema::Padding padding, std::span<const Window> windows) {
    if (padding != schema::Padding::SAME && padding != schema::Padding::VALID) {
        return invalid("padding {}: must be SAME or VALID", static_cast<int>(padding));
    }
    for (const Window& window : windows) {
        if (window.size < 1 || window.stride < 1 || window.dilation < 1) {
            return invalid("window of {}, stride {}, dilation {}: must be at least 1", window.size,
                           window.stride, window.dilation);
        }
    }
    return {};
}

Result<> checkWindows(const Windows& windows) {
    return checkWindows(windows.padding, std::array{windows.height, windows.width});
}

std::uint32_t outputSize(std::uint32_t inputSize, schema::Padding padding, const Window& window) {
    const auto stride = static_cast<std::uint64_t>(window.stride);
    const std::uint64_t reach =
        padding == schema::Padding::SAME
            ? 1
            : (std::uint64_t{window.size} - 1) * static_cast<std::uint64_t>(window.dilation) + 1;
    return inputSize < reach ? 0 : static_cast<std::uint32_t>((inputSize - reach) / stride + 1);
}

Dimensions outputShape(const Dimensions& input, const Windows& windows, std::uint32_t channels) {
    if (input.size() != 4) {
        return {};
    }
    return {input[0], outputSize(input[1], windows.padding, windows.height),
            outputSize(input[2], windows.padding, windows.width), channels};
}

std::uint32_t paddingScalar(OperatorImport& op, schema::Padding padding) {
    return op.scalar(padding == schema::Padding::SAME ? kHalPaddingSame : kHalPaddingValid);
}

}  // namespace nnburst::tflite
