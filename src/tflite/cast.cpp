// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converters of operators that change the type of a tensor's elements.

#include <array>
#include <cmath>
#include <vector>

#include "model/operand_info.h"
#include "tflite/converters.h"
#include "tflite/extension_types.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

namespace {

bool has8Bits(OperandType type) {
    return type == OperandType::TENSOR_QUANT8_ASYMM ||
           type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
}

bool isSignedNumber(OperandType type) {
    return type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED ||
           type == OperandType::TENSOR_QUANT16_SYMM;
}

/// A tensor of INT8 or INT16 that stands for its stored numbers, with the bytes of `operand` or for
/// them.
std::uint32_t storedNumbers(OperatorImport& op, std::uint32_t operand) {
    const Dimensions shape = op.operand(operand).dimensions;
    const std::uint32_t result = op.temporary(op.operand(operand).type, shape);
    op.operand(result).scale = 1.0F;
    return result;
}

/// A tensor of `shape`, which is known, in which every element is `value`: a constant, or an
/// element that runs repeat if the constant would be large.
template <class T>
Result<std::uint32_t> filled(OperatorImport& op, OperandType type, const Dimensions& shape, T value,
                             float scale) {
    constexpr std::size_t kMaximumConstantBytes = 64 << 10;
    constexpr std::size_t kMaximumTileRank = 4;
    if (elementCount(shape) <= kMaximumConstantBytes / sizeof(T)) {
        return op.repeated(type, shape, value, scale);
    }
    const bool hasManyAxes = shape.size() > kMaximumTileRank;
    const Dimensions tiled = hasManyAxes ? Dimensions{elementCount(shape)} : shape;
    NNBURST_TRY_ASSIGN(const std::uint32_t single,
                       op.repeated(type, Dimensions(tiled.size(), 1U), value, scale));
    NNBURST_TRY_ASSIGN(const std::uint32_t elements, op.broadcast(single, tiled));
    if (!hasManyAxes) {
        return elements;
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t sizes,
                       op.constant(std::vector<std::int32_t>(shape.begin(), shape.end())));
    const std::uint32_t result = op.temporaryLike(elements, shape);
    op.add(OperationType::RESHAPE, {elements, sizes}, {result});
    return result;
}

/// 1 where the condition holds, else 0: the HAL's CAST does not take BOOL tensors.
Result<> selectOneOrZero(OperatorImport& op) {
    const Dimensions shape = op.shape(0);
    const OperandType type = op.operand(op.output()).type;
    if (!isKnown(shape)) {
        return invalid("input of type TENSOR_BOOL8 and shape {}: all sizes must be known",
                       dimensionsText(shape));
    }
    const auto select = [&](auto one, auto zero) -> Result<> {
        const bool hasScale = op.isQuantized(op.output());
        const float scale = hasScale ? 1.0F : 0.0F;
        NNBURST_TRY_ASSIGN(const std::uint32_t ones, filled(op, type, shape, one, scale));
        NNBURST_TRY_ASSIGN(const std::uint32_t zeros, filled(op, type, shape, zero, scale));
        const std::uint32_t result = hasScale ? storedNumbers(op, op.output()) : op.output();
        op.add(OperationType::SELECT, {op.input(0), ones, zeros}, {result});
        if (result != op.output()) {
            op.add(kBitcast, {result}, {op.output()});
        }
        return {};
    };
    switch (type) {
        case OperandType::TENSOR_FLOAT32:
            return select(1.0F, 0.0F);
        case OperandType::TENSOR_INT32:
            return select(std::int32_t{1}, std::int32_t{0});
        case OperandType::TENSOR_QUANT16_SYMM:
            return select(std::int16_t{1}, std::int16_t{0});
        case OperandType::TENSOR_QUANT8_ASYMM:
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
            return select(std::uint8_t{1}, std::uint8_t{0});
        default:
            return invalid("cast of TENSOR_BOOL8 to {} is not supported", toString(type));
    }
}

/// Adds a comparison of the stored numbers with 0.
Result<> compareWithZero(OperatorImport& op) {
    const Operand input = op.operand(op.input(0));
    const bool has32Bits =
        input.type == OperandType::TENSOR_FLOAT32 || input.type == OperandType::TENSOR_INT32;
    if (!has32Bits && !op.isQuantized(op.input(0))) {
        return invalid("cast of {} to TENSOR_BOOL8 is not supported", toString(input.type));
    }
    constexpr std::array<std::byte, sizeof(std::int32_t)> kZeros{};
    NNBURST_TRY_ASSIGN(
        const std::uint32_t zero,
        op.constant(input.type, {1}, std::span(kZeros).first(elementBytes(input.type)), input.scale,
                    input.zeroPoint));
    op.add(OperationType::NOT_EQUAL, {op.input(0), zero}, {op.output()});
    return {};
}

}  // namespace

/// The HAL's CAST does not take INT8 and INT16, but DEQUANTIZE and QUANTIZE of scale 1 do the same
/// for numbers that the new type has. Others become the nearest one, while TFLite takes the lowest
/// bits of integers, as a BITCAST does where both types have 8.
void castSigned(OperatorImport& op, std::uint32_t input, std::uint32_t output) {
    const OperandType from = op.operand(input).type;
    const OperandType to = op.operand(output).type;
    if (has8Bits(from) && has8Bits(to)) {
        op.add(kBitcast, {input}, {output});
        return;
    }
    const Dimensions shape = op.operand(input).dimensions;
    std::uint32_t current = input;
    if (isSignedNumber(from)) {
        const std::uint32_t numbers = storedNumbers(op, current);
        op.add(kBitcast, {current}, {numbers});
        current = to == OperandType::TENSOR_FLOAT32
                      ? output
                      : op.temporary(OperandType::TENSOR_FLOAT32, shape);
        op.add(OperationType::DEQUANTIZE, {numbers}, {current});
    }
    if (isSignedNumber(to)) {
        // Numbers with a fraction are cut off, not rounded.
        const std::uint32_t whole = op.temporary(OperandType::TENSOR_INT32, shape);
        const std::uint32_t real = op.temporary(OperandType::TENSOR_FLOAT32, shape);
        const std::uint32_t numbers = storedNumbers(op, output);
        op.add(OperationType::CAST, {current}, {whole});
        op.add(OperationType::CAST, {whole}, {real});
        op.add(OperationType::QUANTIZE, {real}, {numbers});
        op.add(kBitcast, {numbers}, {output});
    } else if (current != output) {
        op.add(OperationType::CAST, {current}, {output});
    }
}

namespace {

/// Casts known numbers between FLOAT32 and INT32: sizes may be computed in floating point.
Result<bool> foldCast(OperatorImport& op, OperandType to) {
    if (const auto integers = op.knownIntegers(0);
        integers && !integers->empty() && to == OperandType::TENSOR_FLOAT32) {
        NNBURST_TRY(op.forwardReals({integers->begin(), integers->end()}));
        return true;
    }
    const auto reals = op.knownReals(0);
    if (!reals || to != OperandType::TENSOR_INT32) {
        return false;
    }
    std::vector<std::int32_t> result;
    for (const float real : *reals) {
        const double number = std::trunc(static_cast<double>(real));
        if (!(number >= INT32_MIN && number <= INT32_MAX)) {
            return false;
        }
        result.push_back(static_cast<std::int32_t>(number));
    }
    NNBURST_TRY(op.forwardIntegers(result));
    return true;
}

}  // namespace

/// Both TFLite and the HAL cast the stored numbers of quantised tensors, without their scale.
Result<> convertCast(OperatorImport& op, OperationType operation) {
    op.inferShapeOf(0);
    const OperandType from = op.type(0);
    const OperandType to = op.operand(op.output()).type;
    if (const auto values = op.knownIntegers(0); values && to == OperandType::TENSOR_INT32) {
        return op.forwardIntegers(*values);
    }
    NNBURST_TRY_ASSIGN(const bool isFolded, foldCast(op, to));
    if (isFolded) {
        return {};
    }
    if (from == to) {
        return op.forward(op.input(0));
    }
    if (from == OperandType::TENSOR_BOOL8) {
        return selectOneOrZero(op);
    }
    if (to == OperandType::TENSOR_BOOL8) {
        return compareWithZero(op);
    }
    if (isSignedNumber(from) || isSignedNumber(to)) {
        castSigned(op, op.input(0), op.output());
        return {};
    }
    op.add(operation, {op.input(0)}, {op.output()});
    return {};
}

/// From floating point, or from one quantisation to another.
Result<> convertQuantize(OperatorImport& op, OperationType operation) {
    op.inferShapeOf(0);
    const OperandType to = op.operand(op.output()).type;
    if (!op.isQuantized(op.output())) {
        return invalid("output of type {} is not supported: must have 8 or 16 bits", toString(to));
    }
    if (op.isQuantized(op.input(0)) && op.haveSameQuantization(op.input(0), op.output())) {
        return op.forward(op.input(0));
    }
    const bool has16Bits = op.has16Bits(0) || to == OperandType::TENSOR_QUANT16_SYMM;
    const bool isDirect = has16Bits || !op.isQuantized(op.input(0));
    op.add(operation, {isDirect ? op.input(0) : op.floatInput(0)}, {op.output()});
    return {};
}

/// Converts to FLOAT32: from 8 bits with DEQUANTIZE, from float16 with CAST.
Result<> convertDequantize(OperatorImport& op, OperationType operation) {
    const OperandType from = op.type(0);
    const OperandType to = op.operand(op.output()).type;
    if (to != OperandType::TENSOR_FLOAT32) {
        return invalid("output of type {}: must be TENSOR_FLOAT32", toString(to));
    }
    op.inferShapeOf(0);
    if (from == to) {
        return op.forward(op.input(0));
    }
    if (op.isFixed(0)) {
        op.tensors().constants().setFixed(op.output());
    }
    if (from == OperandType::TENSOR_FLOAT16) {
        op.add(OperationType::CAST, {op.input(0)}, {op.output()});
        return {};
    }
    if (!op.isQuantized(op.input(0)) && from != OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL) {
        return invalid("input of type {} is not supported: must be quantised to 8 or 16 bits",
                       toString(from));
    }
    op.add(operation, {op.input(0)}, {op.output()});
    return {};
}

Result<> convertBitcast(OperatorImport& op, OperationType operation) {
    op.inferShapeOf(0);
    op.add(operation, {op.input(0)}, {op.output()});
    return {};
}

Result<> convertDensify(OperatorImport& op, OperationType /*operation*/) {
    op.inferShapeOf(0);
    return op.forward(op.input(0));
}

}  // namespace nnburst::tflite
