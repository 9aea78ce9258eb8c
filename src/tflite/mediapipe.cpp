// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Converters of the custom operators that MediaPipe's models have.

#include <algorithm>
#include <cstring>

#include "model/operand_info.h"
#include "tflite/bias.h"
#include "tflite/converters.h"
#include "tflite/custom_options.h"
#include "tflite/extension_types.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

namespace {

/// Both in the options of these operators and in the HAL.
constexpr std::int32_t kSame = 1;
constexpr std::int32_t kValid = 2;

/// Options that are `count` integers of 32 bits, perhaps followed by others.
Result<std::vector<std::int32_t>> integerOptions(const OperatorImport& op, std::size_t count) {
    const auto* given = op.declaration().custom_options();
    if (sizeOf(given) < count * sizeof(std::int32_t)) {
        return invalid("options of {} bytes: must be at least {}", sizeOf(given),
                       count * sizeof(std::int32_t));
    }
    std::vector<std::int32_t> values(count);
    std::memcpy(values.data(), given->data(), count * sizeof(std::int32_t));
    if (values[0] != kSame && values[0] != kValid) {
        return invalid("padding {}: must be {} (SAME) or {} (VALID)", values[0], kSame, kValid);
    }
    for (const std::int32_t value : values) {
        if (value < 0) {
            return invalid("option {}: must be at least 0", value);
        }
    }
    return values;
}

/// Padding, strides and sizes of windows as scalars.
Result<std::vector<std::uint32_t>> windowScalars(OperatorImport& op) {
    constexpr std::size_t kActivation = 5;
    NNBURST_TRY_ASSIGN(const std::vector<std::int32_t> options,
                       integerOptions(op, kActivation + 1));
    if (options[kActivation] != 0) {
        return invalid("fused activation {} is not supported", options[kActivation]);
    }
    std::vector<std::uint32_t> scalars;
    for (std::size_t i = 0; i < kActivation; ++i) {
        scalars.push_back(op.scalar(options[i]));
    }
    return scalars;
}

struct Margins {
    std::uint32_t size = 0;  ///< of the output
    std::int32_t before = 0;
    std::int32_t after = 0;
};

/// The output's size and its padding along an axis. It is smaller than a convolution with this
/// padding needs, as if the last window were only as large as a stride.
Result<Margins> marginsOf(std::uint32_t size, std::uint32_t filter, std::int32_t stride,
                          std::int32_t padding) {
    const std::int64_t whole = std::int64_t{stride} * (std::int64_t{size} - 1) + filter;
    const std::int64_t total =
        padding == kSame ? std::max<std::int64_t>(
                               std::int64_t{filter} - (std::int64_t{size} - 1) % stride - 1, 0)
                         : 0;
    if (whole - total < 1 || whole > INT32_MAX) {
        return invalid("output of size {}: must be from 1 to 2^31 - 1", whole - total);
    }
    return Margins{.size = static_cast<std::uint32_t>(whole - total),
                   .before = static_cast<std::int32_t>(total / 2),
                   .after = static_cast<std::int32_t>(total - total / 2)};
}

}  // namespace

/// A transposed convolution with a padding of its own.
Result<> convertTransposeConvBias(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const std::vector<std::int32_t> options, integerOptions(op, 3));
    const std::int32_t strideWidth = options[1];
    const std::int32_t strideHeight = options[2];
    const Dimensions image = op.shape(0);
    NNBURST_TRY(op.dequantizeHybrid(1));
    const Dimensions filter = op.shape(1);
    if (image.size() != 4 || !isKnown(image) || filter.size() != 4 || !isKnown(filter) ||
        strideWidth < 1 || strideHeight < 1) {
        return invalid(
            "image of shape {}, filter of {}, strides of {}x{}: must have 4 known "
            "dimensions, and strides of at least 1",
            dimensionsText(image), dimensionsText(filter), strideHeight, strideWidth);
    }
    NNBURST_TRY_ASSIGN(const Margins height,
                       marginsOf(image[1], filter[1], strideHeight, options[0]));
    NNBURST_TRY_ASSIGN(const Margins width,
                       marginsOf(image[2], filter[2], strideWidth, options[0]));
    op.inferOutputShape({image[0], height.size, width.size, filter[0]});
    NNBURST_TRY_ASSIGN(const std::uint32_t bias, biasOf(op, 2, 0, 1, filter[0]));
    op.add(operation,
           {op.input(0), op.input(1), bias, op.scalar(width.before), op.scalar(width.after),
            op.scalar(height.before), op.scalar(height.after), op.scalar(strideWidth),
            op.scalar(strideHeight),
            op.scalar(static_cast<std::int32_t>(FusedActivationFunc::NONE)), op.scalar(kIsNchw)},
           {op.output()});
    return {};
}

Result<> convertMaxPoolArgmax(OperatorImport& op, OperationType operation) {
    constexpr std::size_t kPlaces = 1;
    NNBURST_TRY_ASSIGN(std::vector<std::uint32_t> inputs, windowScalars(op));
    inputs.insert(inputs.begin(), op.input(0));
    op.add(operation, std::move(inputs), {op.output(), op.output(kPlaces)});
    return {};
}

Result<> convertMaxUnpooling(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(std::vector<std::uint32_t> inputs, windowScalars(op));
    inputs.insert(inputs.begin(), {op.input(0), op.input(1)});
    op.add(operation, std::move(inputs), {op.output()});
    return {};
}

Result<> convertTransformTensor(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const CustomOptions options, CustomOptions::read(op));
    NNBURST_TRY_ASSIGN(const std::int32_t height, options.count("output_height", 0));
    NNBURST_TRY_ASSIGN(const std::int32_t width, options.count("output_width", 0));
    if (height < 1 || width < 1) {
        return invalid("output of {}x{}: must be at least 1x1", height, width);
    }
    op.inferOutputShape({sizeAt(op.shape(0), 0), static_cast<std::uint32_t>(height),
                         static_cast<std::uint32_t>(width), sizeAt(op.shape(0), 3)});
    op.add(operation, {op.input(0), op.input(1), op.scalar(height), op.scalar(width)},
           {op.output()});
    return {};
}

/// The first version says the number of coordinates and a factor; the second has no options.
Result<> convertTransformLandmarks(OperatorImport& op, OperationType operation) {
    op.inferShapeOf(0);
    const Dimensions landmarks = op.shape(0);
    auto coordinates = static_cast<std::int32_t>(landmarks.empty() ? 0 : landmarks.back());
    float factor = 1.0F;
    if (sizeOf(op.declaration().custom_options()) != 0) {
        NNBURST_TRY_ASSIGN(const CustomOptions options, CustomOptions::read(op));
        NNBURST_TRY_ASSIGN(coordinates, options.count("dimensions", coordinates));
        if (options.has("scale")) {
            NNBURST_TRY_ASSIGN(factor, options.real("scale"));
        }
    }
    if (coordinates != 2 && coordinates != 3) {
        return invalid("{} coordinates: must be 2 or 3", coordinates);
    }
    op.add(operation, {op.input(0), op.input(1), op.scalar(coordinates), op.scalar(factor)},
           {op.output()});
    return {};
}

namespace {

Result<> convertLandmarksToMatrixV1(OperatorImport& op, const CustomOptions& options) {
    NNBURST_TRY_ASSIGN(const std::vector<std::int32_t> inside, options.integers("subset"));
    NNBURST_TRY_ASSIGN(const std::vector<std::int32_t> image, options.integers("input_hw"));
    NNBURST_TRY_ASSIGN(const std::vector<std::int32_t> output, options.integers("output_hw"));
    NNBURST_TRY_ASSIGN(const std::int32_t coordinates, options.count("dimensions", 0));
    if (image.size() != 2 || output.size() != 2 || coordinates != 3) {
        return invalid("{} sizes of the image, {} of the cut-out, {} coordinates: must be 2, 2, 3",
                       image.size(), output.size(), coordinates);
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t landmarks, op.constant(inside));
    std::vector<std::uint32_t> inputs{op.input(0), landmarks};
    for (const char* key : {"left_rotation_idx", "right_rotation_idx"}) {
        NNBURST_TRY_ASSIGN(const std::int32_t index, options.count(key, 0));
        inputs.push_back(op.scalar(index));
    }
    NNBURST_TRY_ASSIGN(const std::int32_t range, options.count("landmarks_range", 0));
    NNBURST_TRY_ASSIGN(const float factor, options.real("bbox_size_multiplier"));
    inputs.insert(inputs.end(), {op.scalar(image[0]), op.scalar(image[1]), op.scalar(output[0]),
                                 op.scalar(output[1]), op.scalar(range), op.scalar(factor)});
    op.add(extensionOperation(tflite_operations::Code::LANDMARKS_TO_TRANSFORM_MATRIX_V1),
           std::move(inputs), {op.output()});
    return {};
}

}  // namespace

Result<> convertLandmarksToMatrix(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const CustomOptions options, CustomOptions::read(op));
    op.inferOutputShape({1, 4, 4});
    if (!options.has("subset_idxs")) {
        return convertLandmarksToMatrixV1(op, options);
    }
    NNBURST_TRY_ASSIGN(const std::vector<std::int32_t> inside, options.integers("subset_idxs"));
    NNBURST_TRY_ASSIGN(const std::uint32_t landmarks, op.constant(inside));
    std::vector<std::uint32_t> inputs{op.input(0), landmarks};
    for (const char* key :
         {"left_rotation_idx", "right_rotation_idx", "output_height", "output_width"}) {
        NNBURST_TRY_ASSIGN(const std::int32_t value, options.count(key, 0));
        inputs.push_back(op.scalar(value));
    }
    for (const char* key : {"target_rotation_radians", "scale_x", "scale_y"}) {
        NNBURST_TRY_ASSIGN(const float value, options.real(key));
        inputs.push_back(op.scalar(value));
    }
    op.add(operation, std::move(inputs), {op.output()});
    return {};
}

}  // namespace nnburst::tflite
