// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converters of convolutions of images [batches, height, width, channels] and volumes [batches,
/// depth, height, width, channels].

#include <algorithm>
#include <array>

#include "model/operand_info.h"
#include "tflite/bias.h"
#include "tflite/converters.h"
#include "tflite/extension_types.h"
#include "tflite/shapes.h"
#include "tflite/sixteen_bits.h"
#include "tflite/windows.h"

namespace nnburst::tflite {

namespace {

/// The windows of a convolution. Their size is that of its filter.
template <class Options>
Result<Windows> convolutionWindows(OperatorImport& conv, const Options& options) {
    const Dimensions& filter = conv.shape(1);
    if (filter.size() != 4) {
        return invalid("filter of shape {}: must have 4 dimensions", dimensionsText(filter));
    }
    const Windows windows{.padding = options.padding(),
                          .height = {filter[1], options.stride_h(), options.dilation_h_factor()},
                          .width = {filter[2], options.stride_w(), options.dilation_w_factor()}};
    NNBURST_TRY(checkWindows(windows));
    return windows;
}

bool isDilated(const Windows& windows) {
    return windows.height.dilation != 1 || windows.width.dilation != 1;
}

/// Adds dilations, if there are any. HAL 1.2 takes them after the layout.
void addDilations(OperatorImport& conv, const Windows& windows,
                  std::vector<std::uint32_t>& inputs) {
    if (!isDilated(windows)) {
        return;
    }
    inputs.push_back(conv.scalar(kIsNchw));
    inputs.push_back(conv.scalar(windows.width.dilation));
    inputs.push_back(conv.scalar(windows.height.dilation));
}

/// Checks that the scales of weights quantised per channel run along the axis of channels.
Result<> checkChannelAxis(OperatorImport& op, std::size_t weights, std::uint32_t channelAxis) {
    const auto* quant =
        std::get_if<SymmPerChannelQuantParams>(&op.operand(op.input(weights)).extraParams);
    if (quant != nullptr && quant->channelDim != channelAxis) {
        return invalid("filter with scales along dimension {}: must be {}, that of the channels",
                       quant->channelDim, channelAxis);
    }
    return {};
}

/// The number of groups of channels that the filter of a CONV_2D implies.
Result<std::uint32_t> groupsOf(OperatorImport& conv) {
    const std::uint32_t depth = sizeAt(conv.shape(0), 3);
    const std::uint32_t filterDepth = conv.shape(1)[3];
    if (depth == 0 || depth == filterDepth) {
        return 1;
    }
    if (filterDepth == 0 || depth % filterDepth != 0) {
        return invalid(
            "input of shape {}, filter of {}: the input's channels must be a multiple "
            "of the filter's",
            dimensionsText(conv.shape(0)), dimensionsText(conv.shape(1)));
    }
    return depth / filterDepth;
}

/// The parts of `operand` along an axis, whose size is a multiple of their number.
std::vector<std::uint32_t> split(OperatorImport& op, std::uint32_t operand, std::uint32_t axis,
                                 std::uint32_t count) {
    Dimensions shape = op.operand(operand).dimensions;
    shape[axis] /= count;
    std::vector<std::uint32_t> parts;
    for (std::uint32_t i = 0; i < count; ++i) {
        parts.push_back(op.temporaryLike(operand, shape));
    }
    op.add(OperationType::SPLIT,
           {operand, op.scalar(static_cast<std::int32_t>(axis)),
            op.scalar(static_cast<std::int32_t>(count))},
           parts);
    return parts;
}

/// The filter of each group. SPLIT does not take one that is quantised per channel, which is
/// constant.
Result<std::vector<std::uint32_t>> filtersOfGroups(OperatorImport& conv, std::uint32_t groups) {
    Operand filter = conv.operand(conv.input(1));
    const auto* quant = std::get_if<SymmPerChannelQuantParams>(&filter.extraParams);
    if (quant == nullptr) {
        return split(conv, conv.input(1), 0, groups);
    }
    const auto bytes = conv.constantBytes(1);
    NNBURST_TRY(conv.tensors().file().takeConstantBytes(bytes.size()));
    filter.dimensions[0] /= groups;
    std::vector<std::uint32_t> parts;
    for (std::uint32_t group = 0; group < groups; ++group) {
        const std::size_t sizeBytes = bytes.size() / groups;
        const auto first = quant->scales.begin() + std::ptrdiff_t{filter.dimensions[0]} * group;
        parts.push_back(conv.tensors().builder().addConstant(
            filter.type, filter.dimensions, bytes.subspan(group * sizeBytes, sizeBytes),
            filter.scale, filter.zeroPoint,
            SymmPerChannelQuantParams{.scales = {first, first + filter.dimensions[0]},
                                      .channelDim = 0}));
    }
    return parts;
}

/// GROUPED_CONV_2D has no dilations: adds a CONV_2D for each group of channels.
Result<> convolveGroups(OperatorImport& conv, const Windows& windows, std::uint32_t groups,
                        std::uint32_t bias, std::uint32_t activation) {
    constexpr std::uint32_t kMaximumGroups = 1024;
    constexpr std::uint64_t kBytesPerGroup = 512;
    constexpr std::int32_t kChannelAxis = 3;
    const std::uint32_t channels = conv.shape(1)[0];
    if (groups > kMaximumGroups || channels % groups != 0) {
        return invalid(
            "dilation of {} groups of channels with {} filters: must be at most {} groups, each of "
            "as many filters",
            groups, channels, kMaximumGroups);
    }
    // Each group takes memory, but operators may share filters.
    NNBURST_TRY(conv.tensors().file().takeConstantBytes(groups * kBytesPerGroup));
    const Dimensions shape = outputShape(conv.shape(0), windows, channels / groups);
    const std::vector<std::uint32_t> images = split(conv, conv.input(0), kChannelAxis, groups);
    NNBURST_TRY_ASSIGN(const std::vector<std::uint32_t> filters, filtersOfGroups(conv, groups));
    const std::vector<std::uint32_t> biases = split(conv, bias, 0, groups);
    std::vector<std::uint32_t> results;
    std::vector<std::uint32_t> scalars{paddingScalar(conv, windows.padding),
                                       conv.scalar(windows.width.stride),
                                       conv.scalar(windows.height.stride), activation};
    addDilations(conv, windows, scalars);
    for (std::uint32_t group = 0; group < groups; ++group) {
        results.push_back(conv.temporaryLike(conv.output(), shape));
        std::vector<std::uint32_t> inputs{images[group], filters[group], biases[group]};
        inputs.insert(inputs.end(), scalars.begin(), scalars.end());
        conv.add(OperationType::CONV_2D, std::move(inputs), {results.back()});
    }
    results.push_back(conv.scalar(kChannelAxis));
    conv.add(OperationType::CONCATENATION, std::move(results), {conv.output()});
    return {};
}

/// Gives the output the shape that input 0 of a transposed convolution has, if that is known.
Result<> inferStatedShape(OperatorImport& conv) {
    if (const auto shape = conv.knownIntegers(0)) {
        Dimensions dimensions;
        for (const std::int32_t size : *shape) {
            if (size < 1) {
                return invalid("output of size {}: must be at least 1", size);
            }
            dimensions.push_back(static_cast<std::uint32_t>(size));
        }
        conv.inferOutputShape(dimensions);
    }
    return {};
}

/// The number of rows (columns) of an output of size `output` that no window of a transposed
/// convolution without padding reaches.
std::uint32_t unreached(std::uint32_t output, std::uint32_t image, const Window& window) {
    if (image == 0) {
        return 0;
    }
    const std::uint64_t reached =
        (std::uint64_t{image} - 1) * static_cast<std::uint64_t>(window.stride) + window.size;
    return output <= reached ? 0 : static_cast<std::uint32_t>(output - reached);
}

/// `filter` with zeros behind its rows and columns.
Result<std::uint32_t> extended(OperatorImport& conv, std::uint32_t filter, std::uint32_t rows,
                               std::uint32_t columns) {
    const Operand given = conv.operand(filter);
    Dimensions shape = given.dimensions;
    shape[1] += rows;
    shape[2] += columns;
    if (given.type != OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL) {
        const std::array<std::int32_t, 8> zeros{
            0, 0, 0, static_cast<std::int32_t>(rows), 0, static_cast<std::int32_t>(columns), 0, 0};
        NNBURST_TRY_ASSIGN(
            const std::uint32_t padding,
            conv.constant(OperandType::TENSOR_INT32, {4, 2}, std::as_bytes(std::span(zeros))));
        const std::uint32_t padded = conv.temporaryLike(filter, shape);
        conv.add(OperationType::PAD, {filter, padding}, {padded});
        return padded;
    }
    // PAD does not take this type, which only constants have.
    const std::uint64_t sizeBytes = operandBytes(given.type, shape).value_or(UINT64_MAX);
    NNBURST_TRY(conv.tensors().file().takeConstantBytes(sizeBytes));
    std::vector<std::byte> bytes(sizeBytes);
    const auto elements = conv.constantBytes(1);
    const std::size_t rowBytes = std::size_t{given.dimensions[2]} * shape[3];
    for (std::size_t row = 0; row < elements.size() / rowBytes; ++row) {
        const std::size_t channel = row / given.dimensions[1];
        const std::size_t place = channel * shape[1] + row % given.dimensions[1];
        std::copy_n(elements.begin() + static_cast<std::ptrdiff_t>(row * rowBytes), rowBytes,
                    bytes.begin() + static_cast<std::ptrdiff_t>(place * shape[2] * shape[3]));
    }
    return conv.tensors().builder().addConstant(given.type, std::move(shape), bytes, given.scale,
                                                given.zeroPoint, given.extraParams);
}

/// The filter of a transposed convolution, such that its windows reach the whole output. TFLite
/// takes larger outputs without padding, too, and gives what no window reaches the bias. The HAL
/// has padding below 0 for that, but XNNPACK does not take it.
Result<std::uint32_t> filterForWholeOutput(OperatorImport& conv, std::uint32_t filter,
                                           std::size_t imageInput, const Windows& windows) {
    const Dimensions image = conv.shape(imageInput);
    const Dimensions output = conv.operand(conv.output()).dimensions;
    if (windows.padding != schema::Padding::VALID || !conv.knownIntegers(0) || image.size() != 4 ||
        output.size() != 4) {
        return filter;
    }
    const std::uint32_t rows = unreached(output[1], image[1], windows.height);
    const std::uint32_t columns = unreached(output[2], image[2], windows.width);
    return rows == 0 && columns == 0 ? filter : extended(conv, filter, rows, columns);
}

/// Adds a convolution of our extension with activations of 16 bits.
Result<> addConv16x8(OperatorImport& conv, tflite_operations::Code code, const Windows& windows,
                     std::uint32_t channelAxis, std::uint32_t activation) {
    const std::uint32_t channels = conv.shape(1)[channelAxis];
    constexpr std::size_t kBias = 2;
    const bool hasWideSums = conv.has(kBias) && conv.inputIsInt64(kBias);
    NNBURST_TRY_ASSIGN(std::vector<std::uint32_t> inputs,
                       inputsOfLayer16x8(conv, channels, channelAxis, activation, hasWideSums));
    inputs.push_back(paddingScalar(conv, windows.padding));
    for (const std::int32_t step : {windows.width.stride, windows.height.stride,
                                    windows.width.dilation, windows.height.dilation}) {
        inputs.push_back(conv.scalar(step));
    }
    conv.add(extensionOperation(code), std::move(inputs), {conv.output()});
    return {};
}

}  // namespace

Result<> convertConv2d(OperatorImport& conv, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, conv.options<schema::Conv2DOptions>());
    NNBURST_TRY(conv.dequantizeHybrid(1));
    NNBURST_TRY_ASSIGN(const Windows windows, convolutionWindows(conv, *options));
    NNBURST_TRY(checkChannelAxis(conv, 1, 0));
    const std::uint32_t channels = conv.shape(1)[0];
    conv.inferOutputShape(outputShape(conv.shape(0), windows, channels));
    NNBURST_TRY_ASSIGN(const std::uint32_t activation,
                       conv.activation(options->fused_activation_function()));
    if (conv.has16Bits(0)) {
        return addConv16x8(conv, tflite_operations::Code::CONV_2D_16X8, windows, 0, activation);
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t groups, groupsOf(conv));
    NNBURST_TRY_ASSIGN(const std::uint32_t bias, biasOf(conv, 2, 0, 1, channels));
    if (groups != 1 && isDilated(windows)) {
        return convolveGroups(conv, windows, groups, bias, activation);
    }
    std::vector<std::uint32_t> inputs{conv.input(0),
                                      conv.input(1),
                                      bias,
                                      paddingScalar(conv, windows.padding),
                                      conv.scalar(windows.width.stride),
                                      conv.scalar(windows.height.stride)};
    if (groups != 1) {
        inputs.insert(inputs.end(), {conv.scalar(static_cast<std::int32_t>(groups)), activation,
                                     conv.scalar(kIsNchw)});
        conv.add(OperationType::GROUPED_CONV_2D, std::move(inputs), {conv.output()});
        return {};
    }
    inputs.push_back(activation);
    addDilations(conv, windows, inputs);
    conv.add(operation, std::move(inputs), {conv.output()});
    return {};
}

Result<> convertDepthwiseConv2d(OperatorImport& conv, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, conv.options<schema::DepthwiseConv2DOptions>());
    NNBURST_TRY(conv.dequantizeHybrid(1));
    NNBURST_TRY_ASSIGN(const Windows windows, convolutionWindows(conv, *options));
    NNBURST_TRY(checkChannelAxis(conv, 1, 3));
    const std::uint32_t channels = conv.shape(1)[3];
    const Dimensions& image = conv.shape(0);
    if (image.size() != 4 || image[3] == 0 || channels % image[3] != 0) {
        return invalid(
            "input of shape {}, filter of {}: the filter's channels must be a multiple "
            "of the input's",
            dimensionsText(image), dimensionsText(conv.shape(1)));
    }
    const auto depthMultiplier = static_cast<std::int32_t>(channels / image[3]);
    conv.inferOutputShape(outputShape(image, windows, channels));
    NNBURST_TRY_ASSIGN(const std::uint32_t activation,
                       conv.activation(options->fused_activation_function()));
    if (conv.has16Bits(0)) {
        return addConv16x8(conv, tflite_operations::Code::DEPTHWISE_CONV_2D_16X8, windows, 3,
                           activation);
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t bias, biasOf(conv, 2, 0, 1, channels));
    std::vector<std::uint32_t> inputs{conv.input(0),
                                      conv.input(1),
                                      bias,
                                      paddingScalar(conv, windows.padding),
                                      conv.scalar(windows.width.stride),
                                      conv.scalar(windows.height.stride),
                                      conv.scalar(depthMultiplier),
                                      activation};
    addDilations(conv, windows, inputs);
    conv.add(operation, std::move(inputs), {conv.output()});
    return {};
}

/// The inputs are the shape of the output, the filter in the HAL's order, the image and the bias.
Result<> convertTransposeConv(OperatorImport& conv, OperationType operation) {
    constexpr std::size_t kShape = 0;
    constexpr std::size_t kFilter = 1;
    constexpr std::size_t kImage = 2;
    constexpr std::size_t kBias = 3;
    NNBURST_TRY_ASSIGN(const auto* options, conv.options<schema::TransposeConvOptions>());
    const bool isHybrid = conv.type(kImage) == OperandType::TENSOR_FLOAT32;
    const std::uint32_t given = isHybrid ? conv.floatInput(kFilter) : conv.input(kFilter);
    const Dimensions filterShape = conv.operand(given).dimensions;
    if (filterShape.size() != 4) {
        return invalid("filter of shape {}: must have 4 dimensions", dimensionsText(filterShape));
    }
    const Windows windows{.padding = options->padding(),
                          .height = {filterShape[1], options->stride_h(), 1},
                          .width = {filterShape[2], options->stride_w(), 1}};
    NNBURST_TRY(checkWindows(windows));
    NNBURST_TRY(checkChannelAxis(conv, kFilter, 0));
    NNBURST_TRY(inferStatedShape(conv));
    NNBURST_TRY_ASSIGN(const std::uint32_t activation,
                       conv.activation(options->fused_activation_function()));
    if (conv.has16Bits(kImage)) {
        const bool hasWideSums = !conv.has(kBias) || conv.inputIsInt64(kBias);
        NNBURST_TRY_ASSIGN(
            std::vector<std::uint32_t> inputs,
            inputsOfLayer16x8(conv, filterShape[0], 0, activation, hasWideSums,
                              {.tensor = kImage, .weights = kFilter, .bias = kBias}));
        inputs.push_back(paddingScalar(conv, options->padding()));
        for (const std::int32_t step : {options->stride_w(), options->stride_h(), 1, 1}) {
            inputs.push_back(conv.scalar(step));
        }
        inputs.push_back(conv.input(kShape));
        conv.add(extensionOperation(tflite_operations::Code::TRANSPOSE_CONV_2D_16X8),
                 std::move(inputs), {conv.output()});
        return {};
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t filter,
                       filterForWholeOutput(conv, given, kImage, windows));
    NNBURST_TRY_ASSIGN(const std::uint32_t bias,
                       biasOf(conv, kBias, kImage, kFilter, filterShape[0]));
    conv.add(operation,
             {conv.input(kImage), filter, bias, conv.input(kShape),
              paddingScalar(conv, options->padding()), conv.scalar(options->stride_w()),
              conv.scalar(options->stride_h()), activation, conv.scalar(kIsNchw)},
             {conv.output()});
    return {};
}

namespace {

/// Windows along depth, height and width.
using VolumeWindows = std::array<Window, 3>;

/// The inputs that CONV_3D and CONV_3D_TRANSPOSE have in common. `volume` and `bias` are inputs;
/// `channels` is the filter's axis for the channels of the output.
Result<std::vector<std::uint32_t>> inputsOfConv3d(OperatorImport& conv,
                                                  const schema::Conv3DOptions& options,
                                                  std::size_t volume, std::size_t bias,
                                                  std::size_t channels, VolumeWindows& windows) {
    constexpr std::size_t kRank = 5;
    const Dimensions filter = conv.shape(1);
    if (conv.type(volume) != OperandType::TENSOR_FLOAT32) {
        return invalid("input of type {} is not supported: must be TENSOR_FLOAT32",
                       toString(conv.type(volume)));
    }
    if (filter.size() != kRank || conv.shape(volume).size() != kRank) {
        return invalid("input of shape {}, filter of {}: must have 5 dimensions",
                       dimensionsText(conv.shape(volume)), dimensionsText(filter));
    }
    windows = {Window{filter[0], options.stride_d(), options.dilation_d_factor()},
               Window{filter[1], options.stride_h(), options.dilation_h_factor()},
               Window{filter[2], options.stride_w(), options.dilation_w_factor()}};
    NNBURST_TRY(checkWindows(options.padding(), windows));
    NNBURST_TRY_ASSIGN(const std::uint32_t biases, biasOf(conv, bias, volume, 1, filter[channels]));
    NNBURST_TRY_ASSIGN(const std::uint32_t activation,
                       conv.activation(options.fused_activation_function()));
    std::vector<std::uint32_t> inputs{conv.input(volume), conv.floatInput(1), biases, activation,
                                      paddingScalar(conv, options.padding())};
    for (const Window& window : windows) {
        inputs.push_back(conv.scalar(window.stride));
    }
    for (const Window& window : windows) {
        inputs.push_back(conv.scalar(window.dilation));
    }
    return inputs;
}

}  // namespace

Result<> convertConv3d(OperatorImport& conv, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, conv.options<schema::Conv3DOptions>());
    VolumeWindows windows{};
    NNBURST_TRY_ASSIGN(std::vector<std::uint32_t> inputs,
                       inputsOfConv3d(conv, *options, 0, 2, 4, windows));
    Dimensions result = conv.shape(0);
    for (std::size_t axis = 0; axis < windows.size(); ++axis) {
        result[1 + axis] = outputSize(result[1 + axis], options->padding(), windows[axis]);
    }
    result.back() = conv.shape(1).back();
    conv.inferOutputShape(result);
    conv.add(operation, std::move(inputs), {conv.output()});
    return {};
}

/// The inputs are in the order of TRANSPOSE_CONV.
Result<> convertConv3dTranspose(OperatorImport& conv, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, conv.options<schema::Conv3DOptions>());
    VolumeWindows windows{};
    NNBURST_TRY_ASSIGN(std::vector<std::uint32_t> inputs,
                       inputsOfConv3d(conv, *options, 2, 3, 3, windows));
    NNBURST_TRY(inferStatedShape(conv));
    inputs.push_back(conv.input(0));
    conv.add(operation, std::move(inputs), {conv.output()});
    return {};
}

}  // namespace nnburst::tflite
