// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// CONV_2D, GROUPED_CONV_2D and DEPTHWISE_CONV_2D. Covered: NHWC with constant filter and bias;
// float32; unsigned 8 bits; signed 8 bits with a filter of zero point 0 or per channel.
//
//     input  [batches, height, width, groups * groupInputs]
//     filter [outputs, kernelHeight, kernelWidth, groupInputs],
//            depthwise [1, kernelHeight, kernelWidth, outputs]
//     output [batches, outputHeight, outputWidth, groups * groupOutputs]

#include <algorithm>
#include <utility>

#include "exec/operation/spatial.h"
#include "exec/xnnpack/families.h"
#include "exec/xnnpack/sliced_step.h"
#include "model/operand_info.h"

namespace nnburst::exec::xnnpack {

namespace {

struct Convolution {
    SpatialArguments arguments;
    SpatialWindow window;
    std::uint32_t batches = 0;
    std::uint32_t groups = 0;
    std::uint32_t groupInputs = 0;
    std::uint32_t groupOutputs = 0;
    std::uint32_t flags = 0;
    bool isFloat = false;

    [[nodiscard]] double taps() const noexcept { return tapCount(window); }
    [[nodiscard]] double work() const noexcept {
        return taps() * batches * groups * groupInputs * groupOutputs;
    }
    /// Whether the operator may have a table of addresses: XNNPACK of 2024 needs one also for 1x1
    /// pixel if a group has one input and one output, except for float32.
    [[nodiscard]] bool hasTable() const noexcept {
        const bool isDepthwise = groupInputs == 1 && groupOutputs == 1;
        return !isPointwise(window.height) || !isPointwise(window.width) ||
               (isDepthwise && !isFloat);
    }
    [[nodiscard]] static bool isPointwise(const SlidingWindow& axis) noexcept {
        return axis.size == 1 && axis.stride == 1 && axis.paddingBefore == 0 &&
               axis.paddingAfter == 0;
    }
    /// Of the operator's table, at most. A depthwise one of 2022 has room for the columns that are
    /// between two windows.
    [[nodiscard]] double addresses() const noexcept {
        const double columns = std::max(window.width.size, window.width.stride);
        const double outputs =
            static_cast<double>(window.height.outputSize) * window.width.outputSize;
        return hasTable() ? window.height.size * columns * (outputs + kMaximumTileOutputs) : 0.0;
    }

    [[nodiscard]] Speed speed() const noexcept {
        return groups == 1 ? Speed::DENSE : Speed::ELEMENTWISE;
    }

    /// Rows of input and padding from the first to the last one under `rows` rows of output.
    [[nodiscard]] std::uint64_t inputRows(std::uint32_t rows) const noexcept {
        const SlidingWindow& height = window.height;
        return std::uint64_t{rows - 1} * height.stride +
               std::uint64_t{height.size - 1} * height.dilation + 1;
    }

    /// That of `rows` rows of output, with all of their input: nothing is padded above and below.
    /// 32 bits hold `inputRows(rows)`.
    [[nodiscard]] Convolution ofRows(std::uint32_t rows) const noexcept {
        Convolution part = *this;
        SlidingWindow& height = part.window.height;
        height.paddingBefore = 0;
        height.paddingAfter = 0;
        height.inputSize = static_cast<std::uint32_t>(inputRows(rows));
        height.outputSize = rows;
        return part;
    }

    /// Calls a creation function with the arguments that all of them begin with, then `rest`.
    template <class Create, class... Rest>
    [[nodiscard]] Result<SharedOperator> create(Create function, WeightsCache weights,
                                                const Rest&... rest) const {
        const SlidingWindow& height = window.height;
        const SlidingWindow& width = window.width;
        xnn_operator_t created = nullptr;
        const xnn_status status = createPacked(
            function, created, weights, height.paddingBefore, width.paddingAfter,
            height.paddingAfter, width.paddingBefore, height.size, width.size, height.stride,
            width.stride, height.dilation, width.dilation, groups, groupInputs, groupOutputs,
            std::size_t{groups} * groupInputs, std::size_t{groups} * groupOutputs, rest..., flags);
        return takeOperator(status, created);
    }
};

Result<SharedOperator> createFloat(const OperationView& operation, const Convolution& convolution,
                                   WeightsCache weights) {
    const FloatRange range = activationRange(convolution.arguments.activation);
    return convolution.create(xnn_create_convolution2d_nhwc_f32, weights,
                              operation.inputs[1].as<float>(), operation.inputs[2].as<float>(),
                              range.minimum, range.maximum);
}

/// The quantised kinds, of unsigned or signed elements `T`.
template <class T>
struct Quantized {
    const OperandView& input;
    const OperandView& filter;
    const OperandView& output;
    const T* weights;
    const std::int32_t* bias;
    T inputZeroPoint;
    T outputZeroPoint;
    T minimum;
    T maximum;

    Quantized(const OperationView& operation, QuantizedRange range) noexcept
        : input(operation.inputs[0]),
          filter(operation.inputs[1]),
          output(operation.outputs[0]),
          weights(filter.as<T>()),
          bias(operation.inputs[2].as<std::int32_t>()),
          inputZeroPoint(static_cast<T>(input.zeroPoint)),
          outputZeroPoint(static_cast<T>(output.zeroPoint)),
          minimum(static_cast<T>(range.minimum)),
          maximum(static_cast<T>(range.maximum)) {}
};

Result<SharedOperator> createQuantized(const OperationView& operation,
                                       const Convolution& convolution, WeightsCache weights) {
    const OperandView& input = operation.inputs[0];
    const OperandView& filter = operation.inputs[1];
    const OperandView& output = operation.outputs[0];
    const QuantizedRange range = activationRange(convolution.arguments.activation, output);
    if (!isNormalScale(input.scale) || !isNormalScale(output.scale) || !isRange(range)) {
        return nullptr;
    }
    const std::size_t products = std::size_t{convolution.window.height.size} *
                                 convolution.window.width.size * convolution.groupInputs;
    if (filter.channelQuant != nullptr) {
        const std::vector<float>& scales = filter.channelQuant->scales;
        const bool isCovered = hasStackFor(scales.size()) &&
                               std::all_of(scales.begin(), scales.end(), [&](float scale) {
                                   const float sumScale = input.scale * scale / output.scale;
                                   return isNormalScale(scale) && isRequantizationScale(sumScale) &&
                                          areSumsCovered(operation, sumScale, products);
                               });
        if (!isCovered) {
            return nullptr;
        }
        const Quantized<std::int8_t> given(operation, range);
        return convolution.create(createConvolutionPerChannel, weights, given.inputZeroPoint,
                                  input.scale, scales.data(), given.weights, given.bias,
                                  given.outputZeroPoint, output.scale, given.minimum,
                                  given.maximum);
    }
    const float sumScale = input.scale * filter.scale / output.scale;
    if (!isNormalScale(filter.scale) || !isRequantizationScale(sumScale) ||
        !areSumsCovered(operation, sumScale, products)) {
        return nullptr;
    }
    if (input.type == OperandType::TENSOR_QUANT8_ASYMM) {
        const Quantized<std::uint8_t> given(operation, range);
        return convolution.create(xnn_create_convolution2d_nhwc_qu8, weights, given.inputZeroPoint,
                                  input.scale, static_cast<std::uint8_t>(filter.zeroPoint),
                                  filter.scale, given.weights, given.bias, given.outputZeroPoint,
                                  output.scale, given.minimum, given.maximum);
    }
    if (filter.zeroPoint != 0) {
        return nullptr;
    }
    const Quantized<std::int8_t> given(operation, range);
    return convolution.create(xnn_create_convolution2d_nhwc_qs8, weights, given.inputZeroPoint,
                              input.scale, filter.scale, given.weights, given.bias,
                              given.outputZeroPoint, output.scale, given.minimum, given.maximum);
}

SetUp setUpOf(const OperationView& operation, const ImageSizes& images) {
    return setUpConvolution(operation.inputs[0].type, operation.inputs[1].channelQuant != nullptr,
                            images, operation.inputs.size());
}

/// The operator of `convolution`, or of a part of it; null if XNNPACK does not cover it.
Result<SharedOperator> operatorOf(const OperationView& operation, const StepContext& context,
                                  const Convolution& convolution, bool isSlice) {
    const SlidingWindow& height = convolution.window.height;
    const OperatorKey key = convolution.hasTable()
                                ? OperatorKey{context.operation, height.inputSize,
                                              convolution.window.width.inputSize, isSlice}
                                : OperatorKey{context.operation, 0, 0};
    const bool hasWeights =
        operation.inputs[1].data != nullptr && operation.inputs[2].data != nullptr;
    return shareOperator(context, key, hasWeights, [&](WeightsCache weights) {
        return convolution.isFloat ? createFloat(operation, convolution, weights)
                                   : createQuantized(operation, convolution, weights);
    });
}

/// Pixels of output that a slice has at least: operators compute several at a time, of which the
/// last ones of a slice may be too few.
constexpr std::uint32_t kMinimumSlicePixels = 128;

/// A convolution with a larger table is sliced: 128 MiB.
constexpr double kMaximumAddressesOfSlices = 1 << 24;

/// The rows of output of each slice of an image; those of one slice if it is not worth it.
RowSlices rowSlicesOf(const Convolution& convolution) {
    double wanted = wantedSlices(convolution.work() / convolution.batches, convolution.speed());
    if (convolution.addresses() > kMaximumAddressesOfSlices) {
        // A slice may have half as many rows again as are wanted.
        wanted = std::max(wanted, 2 * convolution.addresses() / kMaximumAddressesOfSlices);
    }
    return sliceRows(convolution.window.height.outputSize, wanted,
                     kMinimumSlicePixels / convolution.window.width.outputSize + 1);
}

/// Whether slices of so many rows of output may be copied with their padding, which strides and
/// dilations can make much larger than the image.
bool mayCopySlices(const Convolution& convolution, std::uint32_t rows) noexcept {
    const SlidingWindow& height = convolution.window.height;
    const std::uint64_t most = 2 * std::uint64_t{height.inputSize} + height.size;
    return convolution.inputRows(rows) <= std::min<std::uint64_t>(most, UINT32_MAX);
}

/// A convolution of many images, by images.
StepResult makeImageSlices(const OperationView& operation, const StepContext& context,
                           const Convolution& whole, SharedOperator shared,
                           const RowSlices& images) {
    const Shape& input = operation.inputs[0].shape;
    SlicedOperator sliced{
        .shared = std::move(shared),
        .setUp = setUpOf(operation, {images.rows, input[1], input[2]}),
        .effort = effortOf(context, whole.work() / whole.batches * images.rows, whole.speed()),
        .output = operation.inputs.size(),
        .slices = {}};
    const std::size_t element = elementBytes(operation.inputs[0].type);
    for (const std::uint32_t image : images.first) {
        sliced.slices.push_back(
            {.inputOffset = image * (input.elementCount() / whole.batches) * element,
             .outputOffset =
                 image * (operation.outputs[0].shape.elementCount() / whole.batches) * element});
    }
    return makeSlicedStep(std::move(sliced));
}

/// A convolution of large images, by rows of its output: `part` is that of the rows of a slice.
StepResult makeRowSlices(const OperationView& operation, const StepContext& context,
                         const Convolution& whole, const Convolution& part, const RowSlices& rows) {
    const SlidingWindow& height = whole.window.height;
    const OperandView& input = operation.inputs[0];
    const std::size_t element = elementBytes(input.type);
    const std::size_t inputRow = std::size_t{input.shape[2]} * input.shape[3] * element;
    const std::size_t outputRow =
        std::size_t{whole.window.width.outputSize} * whole.groups * whole.groupOutputs * element;
    SlicedOperator sliced{
        .setUp = setUpOf(operation, {1, part.window.height.inputSize, input.shape[2]}),
        .effort = effortOf(context, part.work() / whole.batches, whole.speed()),
        .output = operation.inputs.size(),
        .padding = static_cast<std::byte>(input.zeroPoint)};
    NNBURST_TRY_ASSIGN(sliced.shared, operatorOf(operation, context, part, true));
    if (!sliced.shared) {
        return nullptr;
    }
    for (std::size_t batch = 0; batch < whole.batches; ++batch) {
        for (const std::uint32_t row : rows.first) {
            // Rows of input, from `begin`: padding, those in the image, padding.
            const std::int64_t begin = height.begin(row);
            const std::int64_t count = part.window.height.inputSize;
            const std::int64_t before = std::clamp<std::int64_t>(-begin, 0, count);
            const std::int64_t first = std::clamp<std::int64_t>(begin, 0, height.inputSize);
            const std::int64_t inside =
                std::clamp<std::int64_t>(height.inputSize - first, 0, count - before);
            const auto bytes = [&](std::int64_t inputRows) {
                return static_cast<std::size_t>(inputRows) * inputRow;
            };
            sliced.slices.push_back({.inputOffset = batch * bytes(height.inputSize) + bytes(first),
                                     .inputBytes = bytes(inside),
                                     .outputOffset = (batch * height.outputSize + row) * outputRow,
                                     .paddingBefore = bytes(before),
                                     .paddingAfter = bytes(count - before - inside)});
        }
    }
    return makeSlicedStep(std::move(sliced));
}

StepResult makeConvolution(const OperationView& operation, const StepContext& context,
                           const Convolution& convolution) {
    const OperandType type = operation.inputs[0].type;
    // Unsigned elements with a scale for each channel are refused before an operator is looked up:
    // the converted step of the operation has the same key, and its operator is a signed one.
    const bool isQuantized =
        type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED ||
        (type == OperandType::TENSOR_QUANT8_ASYMM && operation.inputs[1].channelQuant == nullptr);
    if ((!convolution.isFloat && !isQuantized) || convolution.arguments.isNchw ||
        !operation.inputs[1].isConstant || !operation.inputs[2].isConstant ||
        convolution.taps() > kMaximumTaps) {
        return nullptr;
    }
    const RowSlices rows = rowSlicesOf(convolution);
    const bool isSliced = rows.first.size() > 1 && mayCopySlices(convolution, rows.rows);
    if (!isSliced && rows.first.size() > 1 &&
        isTooLong(convolution.work() / convolution.batches, convolution.speed())) {
        return nullptr;
    }
    const Convolution part = isSliced ? convolution.ofRows(rows.rows) : convolution;
    if (part.addresses() > kMaximumAddresses) {
        return nullptr;
    }
    if (isSliced) {
        return makeRowSlices(operation, context, convolution, part, rows);
    }
    NNBURST_TRY_ASSIGN(SharedOperator shared, operatorOf(operation, context, convolution, false));
    if (!shared) {
        return nullptr;
    }
    const RowSlices images =
        sliceRows(convolution.batches, wantedSlices(convolution.work(), convolution.speed()), 1);
    if (images.first.size() > 1) {
        return makeImageSlices(operation, context, convolution, std::move(shared), images);
    }
    const Shape& input = operation.inputs[0].shape;
    return makeOperatorStep(std::move(shared), setUpOf(operation, {input[0], input[1], input[2]}),
                            effortOf(context, convolution.work(), convolution.speed()));
}

Result<Convolution> readConvolution(const OperationView& operation, SpatialForm form) {
    Convolution convolution;
    NNBURST_TRY_ASSIGN(convolution.arguments, readSpatialArguments(operation, form));
    NNBURST_TRY_ASSIGN(convolution.window, slideWindow(operation, convolution.arguments));
    convolution.batches = operation.inputs[0].shape[0];
    convolution.isFloat = operation.inputs[0].type == OperandType::TENSOR_FLOAT32;
    return convolution;
}

}  // namespace

StepResult makeConv2d(const OperationView& operation, const StepContext& context) {
    NNBURST_TRY_ASSIGN(Convolution convolution,
                       readConvolution(operation, SpatialForm::CONVOLUTION));
    const Shape& filter = operation.inputs[1].shape;
    convolution.groups = 1;
    convolution.groupInputs = filter[3];
    convolution.groupOutputs = filter[0];
    return makeConvolution(operation, context, convolution);
}

StepResult makeGroupedConv2d(const OperationView& operation, const StepContext& context) {
    NNBURST_TRY_ASSIGN(Convolution convolution,
                       readConvolution(operation, SpatialForm::GROUPED_CONVOLUTION));
    const Shape& filter = operation.inputs[1].shape;
    convolution.groups = convolution.arguments.groups;
    convolution.groupInputs = filter[3];
    convolution.groupOutputs = filter[0] / convolution.groups;
    return makeConvolution(operation, context, convolution);
}

StepResult makeDepthwiseConv2d(const OperationView& operation, const StepContext& context) {
    NNBURST_TRY_ASSIGN(Convolution convolution,
                       readConvolution(operation, SpatialForm::DEPTHWISE_CONVOLUTION));
    const Shape& input = operation.inputs[0].shape;
    convolution.groups = input[convolution.arguments.channelAxis()];
    convolution.groupInputs = 1;
    convolution.groupOutputs = convolution.arguments.depthMultiplier;
    convolution.flags = XNN_FLAG_DEPTHWISE_CONVOLUTION;
    return makeConvolution(operation, context, convolution);
}

}  // namespace nnburst::exec::xnnpack
