// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converter of fully connected layers.

#include <algorithm>

#include "model/operand_info.h"
#include "tflite/bias.h"
#include "tflite/converters.h"
#include "tflite/extension_types.h"
#include "tflite/shapes.h"
#include "tflite/sixteen_bits.h"

namespace nnburst::tflite {

namespace {

/// The HAL's FULLY_CONNECTED takes 2 to 4 dimensions.
constexpr std::size_t kMinimumRank = 2;
constexpr std::size_t kMaximumRank = 4;

/// A layer, as [batches, depth] to [batches, units].
struct Layer {
    std::uint32_t input;
    std::uint32_t result;
    std::uint32_t bias;
    std::uint32_t activation;
    std::uint32_t batches;  ///< 0 if unknown
    std::uint32_t depth;
    std::uint32_t units;
};

/// Adds a RESHAPE of `operand` to a shape of which one size may be -1.
Result<> addReshape(OperatorImport& op, std::uint32_t operand,
                    const std::vector<std::int32_t>& shape, std::uint32_t result) {
    NNBURST_TRY_ASSIGN(const std::uint32_t sizes, op.constant(shape));
    op.add(OperationType::RESHAPE, {operand, sizes}, {result});
    return {};
}

std::int32_t orOpen(std::uint32_t size) {
    return size == 0 ? -1 : static_cast<std::int32_t>(size);
}

/// A layer whose weights have a scale for each unit. The HAL allows that for convolutions only, so
/// the layer becomes a convolution of 1x1 pixels.
Result<> addPerChannel(OperatorImport& op, const Layer& layer) {
    constexpr std::int32_t kHalPaddingValid = 2;
    constexpr std::int32_t kStride = 1;
    const auto& quant = std::get<SymmPerChannelQuantParams>(op.operand(op.input(1)).extraParams);
    if (quant.channelDim != 0) {
        return invalid("weights with scales along dimension {}: must be 0, that of the units",
                       quant.channelDim);
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t filter, op.ownConstant(1));
    op.operand(filter).dimensions = {layer.units, 1, 1, layer.depth};
    const std::uint32_t image = op.temporaryLike(layer.input, {layer.batches, 1, 1, layer.depth});
    const std::uint32_t convolved =
        op.temporaryLike(layer.result, {layer.batches, 1, 1, layer.units});
    NNBURST_TRY(addReshape(op, layer.input,
                           {orOpen(layer.batches), 1, 1, static_cast<std::int32_t>(layer.depth)},
                           image));
    op.add(OperationType::CONV_2D,
           {image, filter, layer.bias, op.scalar(kHalPaddingValid), op.scalar(kStride),
            op.scalar(kStride), layer.activation},
           {convolved});
    return addReshape(op, convolved,
                      {orOpen(layer.batches), static_cast<std::int32_t>(layer.units)},
                      layer.result);
}

/// A layer with activations of 16 bits.
Result<> add16x8(OperatorImport& op, const Layer& layer) {
    NNBURST_TRY_ASSIGN(std::vector<std::uint32_t> inputs,
                       inputsOfLayer16x8(op, layer.units, 0, layer.activation, false));
    const Dimensions rows{layer.batches, layer.depth};
    if (op.shape(0) != rows) {
        inputs[0] = op.temporaryLike(layer.input, rows);
        NNBURST_TRY(addReshape(op, layer.input,
                               {orOpen(layer.batches), static_cast<std::int32_t>(layer.depth)},
                               inputs[0]));
    }
    op.add(extensionOperation(tflite_operations::Code::FULLY_CONNECTED_16X8), std::move(inputs),
           {layer.result});
    return {};
}

/// [units, depth]
Result<Dimensions> weightsShape(OperatorImport& op) {
    const Dimensions shape = op.shape(1);
    if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0) {
        return invalid("weights of shape {}: must have 2 dimensions", dimensionsText(shape));
    }
    for (const std::uint32_t size : shape) {
        if (size > INT32_MAX) {
            return invalid("weights of shape {}: must fit into 32 bits", dimensionsText(shape));
        }
    }
    return shape;
}

/// [..., depth] to [..., units].
Dimensions keptShape(const Dimensions& input, std::uint32_t units) {
    Dimensions result = input;
    if (!result.empty()) {
        result.back() = units;
    }
    return result;
}

}  // namespace

Result<> convertFullyConnected(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::FullyConnectedOptions>());
    if (options->weights_format() != schema::FullyConnectedWeightsFormat::DEFAULT) {
        return invalid("shuffled weights are not supported");
    }
    NNBURST_TRY(op.dequantizeHybrid(1));
    NNBURST_TRY_ASSIGN(const Dimensions weights, weightsShape(op));
    const std::uint32_t units = weights[0];
    const std::uint32_t depth = weights[1];
    const Dimensions input = op.shape(0);
    const std::uint32_t batches = elementCount(input) / depth;
    const Dimensions flat{batches, units};
    const bool keepsDimensions = options->keep_num_dims() && input.size() != 2;
    op.inferOutputShape(keepsDimensions ? keptShape(input, units) : flat);

    NNBURST_TRY_ASSIGN(const std::uint32_t activation,
                       op.activation(options->fused_activation_function()));
    std::uint32_t bias = 0;
    if (!op.has16Bits(0)) {
        NNBURST_TRY_ASSIGN(bias, biasOf(op, 2, 0, 1, units));
    }
    const Layer layer{.input = op.input(0),
                      .result = keepsDimensions ? op.temporaryLike(op.output(), flat) : op.output(),
                      .bias = bias,
                      .activation = activation,
                      .batches = batches,
                      .depth = depth,
                      .units = units};
    if (op.has16Bits(0)) {
        NNBURST_TRY(add16x8(op, layer));
    } else if (op.type(1) == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL) {
        NNBURST_TRY(addPerChannel(op, layer));
    } else {
        std::uint32_t rows = layer.input;
        if (!input.empty() && (input.size() < kMinimumRank || input.size() > kMaximumRank)) {
            rows = op.temporaryLike(layer.input, {batches, depth});
            NNBURST_TRY(addReshape(op, layer.input,
                                   {orOpen(batches), static_cast<std::int32_t>(depth)}, rows));
        }
        op.add(operation, {rows, op.input(1), bias, activation}, {layer.result});
    }
    if (!keepsDimensions) {
        return {};
    }
    std::vector<std::int32_t> shape;
    for (const std::uint32_t size : keptShape(input, units)) {
        shape.push_back(orOpen(size));
    }
    if (std::count(shape.begin(), shape.end(), -1) > 1 || shape.empty()) {
        return invalid("keep_num_dims with input of shape {}: at most one size may be unknown",
                       dimensionsText(input));
    }
    return addReshape(op, layer.result, shape, op.output());
}

}  // namespace nnburst::tflite
