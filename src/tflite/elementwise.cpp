// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converters of operators that compute element by element from one tensor.

#include <cmath>

#include "model/operand_info.h"
#include "tflite/converters.h"
#include "tflite/extension_types.h"
#include "tflite/folding.h"

namespace nnburst::tflite {

Result<> convertUnary(OperatorImport& op, OperationType operation) {
    op.inferShapeOf(0);
    op.add(operation, {op.input(0)}, {op.output()});
    return {};
}

Result<> convertFloatUnary(OperatorImport& op, OperationType operation) {
    op.inferShapeOf(0);
    const std::uint32_t input = op.isQuantized(op.input(0)) ? op.floatInput(0) : op.input(0);
    const std::uint32_t result = op.floatOutput();
    op.add(operation, {input}, {result});
    op.finishFloat(result);
    return {};
}

Result<> convertClamp(OperatorImport& op, OperationType operation) {
    return op.has16Bits(0) || op.haveSameQuantization(op.input(0), op.output())
               ? convertUnary(op, operation)
               : convertFloatUnary(op, operation);
}

/// The HAL fixes the scale of quantised results. TFLite allows any.
Result<> convertSigmoid(OperatorImport& op, OperationType operation) {
    const Operand& output = op.operand(op.output());
    const bool isSigned = output.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
    if (!isSigned && output.type != OperandType::TENSOR_QUANT8_ASYMM) {
        return convertUnary(op, operation);
    }
    const bool isTanh = operation == OperationType::TANH;
    const float scale = isTanh ? 0x1p-7F : 0x1p-8F;
    const std::int32_t zeroPoint = (isTanh ? 128 : 0) - (isSigned ? 128 : 0);
    return output.scale == scale && output.zeroPoint == zeroPoint
               ? convertUnary(op, operation)
               : convertFloatUnary(op, operation);
}

Result<> convertElu(OperatorImport& op, OperationType operation) {
    constexpr float kAlpha = 1.0F;
    op.inferShapeOf(0);
    NNBURST_TRY_ASSIGN(const std::uint32_t alpha, op.realScalar(kAlpha, 0));
    const std::uint32_t input = op.floatInput(0);
    const std::uint32_t result = op.floatOutput();
    op.add(operation, {input, alpha}, {result});
    op.finishFloat(result);
    return {};
}

/// Folds known numbers at import: sizes may be computed in floating point.
Result<> convertFloor(OperatorImport& op, OperationType operation) {
    op.inferShapeOf(0);
    NNBURST_TRY_ASSIGN(const bool isFolded, foldReals(op, [](float x) { return std::floor(x); }));
    return isFolded ? Result<>() : convertUnary(op, operation);
}

/// ceil(x) = -floor(-x)
Result<> convertCeil(OperatorImport& op, OperationType /*operation*/) {
    op.inferShapeOf(0);
    NNBURST_TRY_ASSIGN(const bool isFolded, foldReals(op, [](float x) { return std::ceil(x); }));
    if (isFolded) {
        return {};
    }
    const Dimensions shape = op.shape(0);
    const std::uint32_t negative = op.temporaryLike(op.input(0), shape);
    const std::uint32_t floor = op.temporaryLike(op.input(0), shape);
    op.add(OperationType::NEG, {op.input(0)}, {negative});
    op.add(OperationType::FLOOR, {negative}, {floor});
    op.add(OperationType::NEG, {floor}, {op.output()});
    return {};
}

/// RELU after a clamp to [-1, 1].
Result<> convertRelu0To1(OperatorImport& op, OperationType /*operation*/) {
    op.inferShapeOf(0);
    const bool isDirect = op.haveSameQuantization(op.input(0), op.output());
    const std::uint32_t input = isDirect ? op.input(0) : op.floatInput(0);
    const std::uint32_t result = isDirect ? op.output() : op.floatOutput();
    const Dimensions shape = op.shape(0);
    const std::uint32_t clamped = op.temporaryLike(input, shape);
    op.add(OperationType::RELU1, {input}, {clamped});
    op.add(OperationType::RELU, {clamped}, {result});
    op.finishFloat(result);
    return {};
}

/// PRELU with one slope for all channels. If the input is quantised, so is the slope: exactly, as
/// its scale can be chosen.
Result<> convertLeakyRelu(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::LeakyReluOptions>());
    const float alpha = options->alpha();
    if (!std::isfinite(alpha)) {
        return invalid("alpha {}: must be finite", alpha);
    }
    op.inferShapeOf(0);
    if (op.has16Bits(0)) {
        op.add(extensionOperation(tflite_operations::Code::LEAKY_RELU_16),
               {op.input(0), op.scalar(alpha)}, {op.output()});
        return {};
    }
    std::uint32_t slope = 0;
    const OperandType type = op.type(0);
    if (op.isQuantized(op.input(0))) {
        const int sign = alpha < 0.0F ? -1 : (alpha > 0.0F ? 1 : 0);
        const auto value =
            static_cast<std::uint8_t>(type == OperandType::TENSOR_QUANT8_ASYMM ? 1 + sign : sign);
        const std::int32_t zeroPoint = type == OperandType::TENSOR_QUANT8_ASYMM ? 1 : 0;
        const float scale = sign == 0 ? 1.0F : std::fabs(alpha);
        NNBURST_TRY_ASSIGN(
            slope, op.constant(type, {1}, std::as_bytes(std::span(&value, 1)), scale, zeroPoint));
    } else if (type == OperandType::TENSOR_FLOAT32) {
        NNBURST_TRY_ASSIGN(slope, op.constant(type, {1}, std::as_bytes(std::span(&alpha, 1))));
    } else {
        return invalid("input of type {} is not supported", toString(type));
    }
    op.add(operation, {op.input(0), slope}, {op.output()});
    return {};
}

Result<> convertSquare(OperatorImport& op, OperationType operation) {
    op.inferShapeOf(0);
    const std::uint32_t none = op.scalar(static_cast<std::int32_t>(FusedActivationFunc::NONE));
    op.add(operation, {op.input(0), op.input(0), none}, {op.output()});
    return {};
}

}  // namespace nnburst::tflite
