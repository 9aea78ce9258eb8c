// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// MediaPipe's operations on images: maxima with their places in windows, the reverse of them, and
/// images seen through an affine transform. Images are [batches, height, width, channels].

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "model/operand_info.h"
#include "tflite_operations/elements.h"
#include "tflite_operations/windows.h"

namespace nnburst::tflite_operations {

using enum OperandType;

Result<WindowSizes> windowSizes(Operands scalars) {
    const WindowSizes sizes{.padding = scalarOf<std::int32_t>(scalars[0]),
                            .strideWidth = scalarOf<std::int32_t>(scalars[1]),
                            .strideHeight = scalarOf<std::int32_t>(scalars[2]),
                            .width = scalarOf<std::int32_t>(scalars[3]),
                            .height = scalarOf<std::int32_t>(scalars[4])};
    constexpr std::int64_t kMaximumSize = 1 << 15;
    for (const std::int64_t size :
         {sizes.strideWidth, sizes.strideHeight, sizes.width, sizes.height}) {
        if (size < 1 || size > kMaximumSize) {
            return invalid("windows of {}x{} with strides of {}x{}; must be from 1 to {}",
                           sizes.height, sizes.width, sizes.strideHeight, sizes.strideWidth,
                           kMaximumSize);
        }
    }
    if (sizes.padding != 1 && sizes.padding != 2) {
        return invalid("padding {}; must be 1 (SAME) or 2 (VALID)", sizes.padding);
    }
    return sizes;
}

Result<> checkWindowScalars(Operands inputs, std::size_t first) {
    for (std::size_t i = first; i < inputs.size(); ++i) {
        NNBURST_TRY(checkType(inputs[i], "padding, stride or size", {INT32}));
    }
    return {};
}

Result<> requireImage(const ExtensionOperand& operand) {
    if (operand.dimensions.size() != 4) {
        return invalid("image of shape {}; must have 4 dimensions",
                       dimensionsText(operand.dimensions));
    }
    return {};
}

Result<Dimensions> pooledShape(const ExtensionOperand& image, const WindowSizes& windows) {
    NNBURST_TRY(requireImage(image));
    Dimensions result = dimensionsOf(image);
    const auto shrink = [&](std::uint32_t& size, std::int64_t stride, std::int64_t window) {
        const std::int64_t begin = windows.padding == 1 ? size : std::int64_t{size} - window + 1;
        size = static_cast<std::uint32_t>(std::max<std::int64_t>((begin + stride - 1) / stride, 0));
    };
    shrink(result[1], windows.strideHeight, windows.height);
    shrink(result[2], windows.strideWidth, windows.width);
    if (result[1] == 0 || result[2] == 0) {
        return invalid("image of shape {} with windows of {}x{}; must not be smaller",
                       dimensionsText(image.dimensions), windows.height, windows.width);
    }
    return result;
}

std::int64_t paddingBefore(std::int64_t small, std::int64_t large, std::int64_t stride,
                           std::int64_t window) {
    return std::max<std::int64_t>((small - 1) * stride + window - large, 0) / 2;
}

Result<Window> windowOf(std::int64_t in, std::int64_t size, std::int32_t padding,
                        std::int32_t stride, std::int32_t dilation) {
    constexpr std::int32_t kMaximumStep = 1 << 15;
    if (stride < 1 || stride > kMaximumStep || dilation < 1 || dilation > kMaximumStep) {
        return invalid("stride {}, dilation {}; must be from 1 to {}", stride, dilation,
                       kMaximumStep);
    }
    if (padding != 1 && padding != 2) {
        return invalid("padding {}; must be 1 (SAME) or 2 (VALID)", padding);
    }
    Window window{.size = size, .stride = stride, .dilation = dilation, .in = in};
    const std::int64_t reach = (size - 1) * dilation + 1;
    window.out = padding == 1 ? (in + stride - 1) / stride : (in - reach + stride) / stride;
    if (size < 1 || window.out < 1) {
        return invalid("window of {} on an axis of {}; must not be larger", reach, in);
    }
    window.before = paddingBefore(window.out, in, stride, reach);
    return window;
}

namespace {

// ---- MAX_POOLING_WITH_ARGMAX: image, INT32 padding (1: SAME, 2: VALID), strides along width and
// height, width and height of a window; outputs: the maxima, and their places inside the windows,
// as numbers from 0 in rows from the top left. MAX_UNPOOLING: maxima, places, and the same numbers;
// output: an image of zeros with the maxima in their places.

Result<> checkArgmax(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 1 + kWindowScalars, 2));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_FLOAT32}));
    NNBURST_TRY(checkWindowScalars(inputs, 1));
    NNBURST_TRY(checkType(outputs[0], "output 0", {TENSOR_FLOAT32}));
    return checkType(outputs[1], "output 1", {TENSOR_FLOAT32});
}

Result<Dimensions> shapeOfArgmax(Operands inputs, std::size_t /*output*/) {
    NNBURST_TRY_ASSIGN(const WindowSizes windows, windowSizes(inputs.subspan(1)));
    return pooledShape(inputs[0], windows);
}

Result<> runArgmax(const RunContext& run) {
    NNBURST_TRY_ASSIGN(const WindowSizes windows, windowSizes(run.inputs.subspan(1)));
    const Sizes in = run.inputs[0].dimensions;
    const Sizes out = run.outputs[0].dimensions;
    const std::int64_t height = in[1];
    const std::int64_t width = in[2];
    const std::size_t channels = in[3];
    const std::int64_t top = paddingBefore(out[1], height, windows.strideHeight, windows.height);
    const std::int64_t left = paddingBefore(out[2], width, windows.strideWidth, windows.width);
    const std::size_t pixels = countOf(out.first(3));
    PartCounter parts(run);
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
        const float* image =
            run.input<float>(0) + pixel / (std::size_t{out[1]} * out[2]) * countOf(in.subspan(1));
        const auto row = static_cast<std::int64_t>(pixel / out[2] % out[1]);
        const auto column = static_cast<std::int64_t>(pixel % out[2]);
        const std::int64_t beginY = row * windows.strideHeight - top;
        const std::int64_t beginX = column * windows.strideWidth - left;
        float* maxima = run.output<float>(0) + pixel * channels;
        float* places = run.output<float>(1) + pixel * channels;
        if (fill(run, maxima, channels, std::numeric_limits<float>::lowest()) ||
            fill(run, places, channels, 0.0F)) {
            return {};
        }
        const std::int64_t endY = std::min(beginY + windows.height, height);
        const std::int64_t endX = std::min(beginX + windows.width, width);
        for (std::int64_t y = std::max<std::int64_t>(beginY, 0); y < endY; ++y) {
            for (std::int64_t x = std::max<std::int64_t>(beginX, 0); x < endX; ++x) {
                const float* at = image + static_cast<std::size_t>(y * width + x) * channels;
                const auto place = static_cast<float>((y - beginY) * windows.width + (x - beginX));
                const auto takeLarger = [&](std::size_t channel) {
                    if (at[channel] > maxima[channel]) {
                        maxima[channel] = at[channel];
                        places[channel] = place;
                    }
                };
                if (forEachElement(run, channels, takeLarger) || parts.isOverAfter(channels)) {
                    return {};
                }
            }
        }
        // TFLite adds this so that a float that became smaller still gives the same integer.
        if (forEachElement(run, channels, [&](std::size_t channel) { places[channel] += 0.1F; })) {
            return {};
        }
    }
    return {};
}

Result<> checkUnpooling(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 2 + kWindowScalars, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_FLOAT32}));
    NNBURST_TRY(checkType(inputs[1], "input 1 (places)", {TENSOR_FLOAT32}));
    NNBURST_TRY(checkWindowScalars(inputs, 2));
    return checkType(outputs[0], "output 0", {TENSOR_FLOAT32});
}

Result<Dimensions> shapeOfUnpooling(Operands inputs, std::size_t /*output*/) {
    NNBURST_TRY(requireImage(inputs[0]));
    NNBURST_TRY_ASSIGN(const WindowSizes windows, windowSizes(inputs.subspan(2)));
    Dimensions result = dimensionsOf(inputs[0]);
    if (result != dimensionsOf(inputs[1])) {
        return invalid("maxima of shape {} with places of {}; must be the same",
                       dimensionsText(result), dimensionsText(inputs[1].dimensions));
    }
    for (const auto& [axis, factor] : {std::pair(1, windows.height), std::pair(2, windows.width)}) {
        std::uint32_t& size = result[static_cast<std::size_t>(axis)];
        const std::int64_t larger = std::int64_t{size} * factor;
        if (larger > std::numeric_limits<std::int32_t>::max()) {
            return invalid("{} times {} elements; must be less than 2^31", size, factor);
        }
        size = static_cast<std::uint32_t>(larger);
    }
    return result;
}

Result<> runUnpooling(const RunContext& run) {
    NNBURST_TRY_ASSIGN(const WindowSizes windows, windowSizes(run.inputs.subspan(2)));
    const Sizes in = run.inputs[0].dimensions;
    const Sizes out = run.outputs[0].dimensions;
    const std::int64_t top = paddingBefore(in[1], out[1], windows.strideHeight, windows.height);
    const std::int64_t left = paddingBefore(in[2], out[2], windows.strideWidth, windows.width);
    const std::size_t channels = in[3];
    const std::size_t pixels = countOf(in.first(3));
    if (fill(run, run.output<float>(), countOf(out), 0.0F)) {
        return {};
    }
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
        const std::size_t batch = pixel / (std::size_t{in[1]} * in[2]);
        const auto row = static_cast<std::int64_t>(pixel / in[2] % in[1]);
        const auto column = static_cast<std::int64_t>(pixel % in[2]);
        const auto putBack = [&](std::size_t channel) {
            const float given = readOnce(run.input<float>(1) + pixel * channels + channel);
            if (!(given >= 0.0F && given < static_cast<float>(windows.width * windows.height))) {
                return;  // outside of its window
            }
            const auto place = static_cast<std::int64_t>(given);
            const std::int64_t y = row * windows.strideHeight - top + place / windows.width;
            const std::int64_t x = column * windows.strideWidth - left + place % windows.width;
            if (y >= 0 && y < out[1] && x >= 0 && x < out[2]) {
                const std::size_t at = (batch * out[1] + static_cast<std::size_t>(y)) * out[2] +
                                       static_cast<std::size_t>(x);
                run.output<float>()[at * channels + channel] =
                    run.input<float>(0)[pixel * channels + channel];
            }
        };
        if (forEachElement(run, channels, putBack) || run.limit.isOverAfter(channels)) {
            return {};
        }
    }
    return {};
}

// ---- TRANSFORM_TENSOR_BILINEAR: image, matrix [..., 4, 4], INT32 height and width of the output.
// The centre of each pixel of the output, times the matrix, is a place of the image; between pixels
// the result is interpolated, and outside it is 0.

Result<> checkTransformImage(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 4, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_FLOAT32}));
    NNBURST_TRY(checkType(inputs[1], "input 1 (matrix)", {TENSOR_FLOAT32}));
    NNBURST_TRY(checkType(inputs[2], "input 2 (height)", {INT32}));
    NNBURST_TRY(checkType(inputs[3], "input 3 (width)", {INT32}));
    return checkType(outputs[0], "output 0", {TENSOR_FLOAT32});
}

Result<Dimensions> shapeOfTransformImage(Operands inputs, std::size_t /*output*/) {
    NNBURST_TRY(requireImage(inputs[0]));
    const auto height = scalarOf<std::int32_t>(inputs[2]);
    const auto width = scalarOf<std::int32_t>(inputs[3]);
    const Sizes in = inputs[0].dimensions;
    constexpr std::uint32_t kSizeLimit = 1 << 24;  // of the places that a float can tell apart
    if (in[0] != 1 || in[1] >= kSizeLimit || in[2] >= kSizeLimit || countOf(inputs[1]) != 16 ||
        height < 1 || width < 1) {
        return invalid(
            "image of shape {}, matrix of {}, output of {}x{}; must be one image, 16 "
            "elements, and sizes of at least 1",
            dimensionsText(in), dimensionsText(inputs[1].dimensions), height, width);
    }
    return Dimensions{1, static_cast<std::uint32_t>(height), static_cast<std::uint32_t>(width),
                      in[3]};
}

/// Writes one pixel: `x` and `y` lie inside of the image. True if it ended early, as the run is
/// over.
bool interpolate(const RunContext& run, float x, float y, float* out) {
    const Sizes sizes = run.inputs[0].dimensions;
    const std::size_t channels = sizes[3];
    const auto left = static_cast<std::size_t>(x);
    const auto upper = static_cast<std::size_t>(y);
    const float right = x - static_cast<float>(left);
    const float below = y - static_cast<float>(upper);
    // Beyond the last row and column there is 0, which then has no weight.
    const bool hasRight = left + 1 < sizes[2];
    const bool hasBelow = upper + 1 < sizes[1];
    const float* corner = run.input<float>(0) + (upper * sizes[2] + left) * channels;
    const std::size_t rowStep = std::size_t{sizes[2]} * channels;
    return forEachElement(run, channels, [&](std::size_t channel) {
        const float q11 = corner[channel];
        const float q21 = hasRight ? corner[channels + channel] : 0.0F;
        const float q12 = hasBelow ? corner[rowStep + channel] : 0.0F;
        const float q22 = hasRight && hasBelow ? corner[rowStep + channels + channel] : 0.0F;
        const float above = (1.0F - right) * q11 + right * q21;
        const float lower = (1.0F - right) * q12 + right * q22;
        out[channel] = below * lower + (1.0F - below) * above;
    });
}

Result<> runTransformImage(const RunContext& run) {
    const Sizes in = run.inputs[0].dimensions;
    const Sizes out = run.outputs[0].dimensions;
    std::array<float, 8> matrix{};
    std::memcpy(matrix.data(), run.inputs[1].data, sizeof matrix);
    // Pixels are transformed at their centres.
    const float shiftX = matrix[3] + (matrix[0] + matrix[1]) * 0.5F - 0.5F;
    const float shiftY = matrix[7] + (matrix[4] + matrix[5]) * 0.5F - 0.5F;
    PartCounter parts(run);
    for (std::uint32_t row = 0; row < out[1]; ++row) {
        for (std::uint32_t column = 0; column < out[2]; ++column) {
            const auto x = static_cast<float>(column);
            const auto y = static_cast<float>(row);
            const float fromX = matrix[0] * x + matrix[1] * y + shiftX;
            const float fromY = matrix[4] * x + matrix[5] * y + shiftY;
            float* to = run.output<float>() + (std::size_t{row} * out[2] + column) * out[3];
            // What is no number lies outside, too.
            const bool isInside = fromX >= 0.0F && fromX <= static_cast<float>(in[2] - 1) &&
                                  fromY >= 0.0F && fromY <= static_cast<float>(in[1] - 1);
            const bool isOver =
                isInside ? interpolate(run, fromX, fromY, to) : fill(run, to, out[3], 0.0F);
            if (isOver || parts.isOverAfter(std::size_t{out[3]} * 4)) {
                return {};
            }
        }
    }
    return {};
}

constexpr std::array kWindowOperations{
    OperationDefinition{Code::MAX_POOLING_WITH_ARGMAX, "MAX_POOLING_WITH_ARGMAX", checkArgmax,
                        shapeOfArgmax, runArgmax},
    OperationDefinition{Code::MAX_UNPOOLING, "MAX_UNPOOLING", checkUnpooling, shapeOfUnpooling,
                        runUnpooling},
    OperationDefinition{Code::TRANSFORM_TENSOR_BILINEAR, "TRANSFORM_TENSOR_BILINEAR",
                        checkTransformImage, shapeOfTransformImage, runTransformImage},
};

}  // namespace

std::span<const OperationDefinition> windowOperations() noexcept {
    return kWindowOperations;
}

}  // namespace nnburst::tflite_operations
