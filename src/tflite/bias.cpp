// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/bias.h"

#include <cstring>
#include <span>
#include <vector>

#include "model/invalid.h"
#include "model/operand_info.h"
#include "nnburst/type_queries.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

namespace {

/// A copy of input `index`, a bias that other operators may read, with one dimension and this
/// scale. The elements `zeros` become 0.
Result<std::uint32_t> copyOfBias(OperatorImport& op, std::size_t index, float scale,
                                 std::span<const std::uint32_t> zeros) {
    const Operand given = op.operand(op.input(index));
    const std::uint32_t count = elementCount(given.dimensions);
    if (op.isConstant(index)) {
        const auto bytes = op.constantBytes(index);
        NNBURST_TRY(op.tensors().file().takeConstantBytes(bytes.size()));
        std::vector<std::byte> elements(bytes.begin(), bytes.end());
        const std::size_t sizeBytes = elementBytes(given.type);
        for (const std::uint32_t channel : zeros) {
            if (channel < count) {
                std::memset(elements.data() + channel * sizeBytes, 0, sizeBytes);
            }
        }
        return op.tensors().builder().addConstant(given.type, {count}, elements, scale,
                                                  given.zeroPoint);
    }
    if (!zeros.empty()) {
        return invalid(
            "input {} (bias): must be constant, as channel {} of the weights has scale 0", index,
            zeros[0]);
    }
    const auto size = static_cast<std::int32_t>(count);
    NNBURST_TRY_ASSIGN(const std::uint32_t shape, op.constant(std::span(&size, 1)));
    const std::uint32_t result = op.temporaryLike(op.input(index), {count});
    op.operand(result).scale = scale;
    op.add(OperationType::RESHAPE, {op.input(index), shape}, {result});
    return result;
}

}  // namespace

Result<std::uint32_t> biasOf(OperatorImport& op, std::size_t index, std::size_t factor,
                             std::size_t weights, std::uint32_t channels) {
    const Operand& factorOperand = op.operand(op.input(factor));
    const Operand& weightsOperand = op.operand(op.input(weights));
    const bool isFloat = factorOperand.type == OperandType::TENSOR_FLOAT32;
    // The HAL requires 0 for weights that are quantised per channel.
    const float scale = isFloat ? 0.0F : factorOperand.scale * weightsOperand.scale;
    // TFLite's kernels multiply a bias by the scale of the weights.
    const auto unscaled = op.tensors().constants().channelsOfScaleZero(op.input(weights));
    const bool isPerChannel = weightsOperand.type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL;
    if (!op.has(index) || (!isFloat && !isPerChannel && !unscaled.empty())) {
        return op.repeated(isFloat ? OperandType::TENSOR_FLOAT32 : OperandType::TENSOR_INT32,
                           {channels}, std::int32_t{0}, scale);
    }
    const Operand given = op.operand(op.input(index));
    const bool isShapeKnown = channels != 0 && isKnown(given.dimensions);
    if (isShapeKnown && elementCount(given.dimensions) != channels) {
        return invalid("input {} (bias) of shape {}: must have {} elements, one for each channel",
                       index, dimensionsText(given.dimensions), channels);
    }
    const bool isVector = !isShapeKnown || given.dimensions.size() == 1;
    if (isFloat) {
        if (isVector) {
            return op.floatInput(index);
        }
        NNBURST_TRY_ASSIGN(const std::uint32_t vector, copyOfBias(op, index, given.scale, {}));
        return op.tensors().constants().toFloat(vector);
    }
    const bool isInteger = given.type == OperandType::TENSOR_INT32;
    const bool isOfOtherScale = isInteger && given.scale != 0.0F && given.scale != scale;
    if (isOfOtherScale && !op.isConstant(index)) {
        return invalid("input {} (bias): scale {}: must be {}, that of the products", index,
                       given.scale, scale);
    }
    // TFLite's kernels ignore the scale of the bias.
    if (!isVector || isOfOtherScale || !unscaled.empty()) {
        return copyOfBias(op, index, scale, unscaled);
    }
    if (isInteger) {
        op.operand(op.input(index)).scale = scale;
    }
    return op.input(index);
}

}  // namespace nnburst::tflite
