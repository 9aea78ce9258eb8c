// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converters of operators that repeat elements.

#include <algorithm>
#include <cstring>

#include "memory/checked_math.h"
#include "model/operand_info.h"
#include "nnburst/validation.h"
#include "tflite/converters.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

Result<> convertTile(OperatorImport& op, OperationType operation) {
    constexpr std::size_t kMultiples = 1;
    const auto multiples = op.knownIntegers(kMultiples);
    Dimensions shape = op.shape(0);
    if (multiples && !shape.empty()) {
        NNBURST_TRY_ASSIGN(const std::uint32_t rank, op.rank(0));
        if (multiples->size() != rank) {
            return invalid("{} multiples for {} dimensions: must be one for each",
                           multiples->size(), rank);
        }
        for (std::size_t axis = 0; axis < rank; ++axis) {
            const std::int32_t multiple = (*multiples)[axis];
            if (multiple < 1) {
                return invalid("multiple {} of axis {}: must be at least 1", multiple, axis);
            }
            shape[axis] =
                checkedMultiply(shape[axis], static_cast<std::uint32_t>(multiple)).value_or(0);
        }
        op.inferOutputShape(shape);
        if (rank == 0) {
            return op.forward(op.input(0));
        }
    }
    op.add(operation, {op.input(0), op.input(kMultiples)}, {op.output()});
    return {};
}

namespace {

/// Sizes that a constant input lists.
Result<Dimensions> sizes(OperatorImport& op, std::size_t index) {
    NNBURST_TRY_ASSIGN(const std::vector<std::int32_t> values, op.integers(index, "shape"));
    if (values.size() > kMaximumDimensions) {
        return invalid("{} dimensions: must be at most {}", values.size(), kMaximumDimensions);
    }
    Dimensions result;
    for (const std::int32_t value : values) {
        if (value < 1) {
            return invalid("size {}: must be at least 1", value);
        }
        result.push_back(static_cast<std::uint32_t>(value));
    }
    return result;
}

/// Makes the output a tensor of this shape in which every element is the scalar `value`.
Result<> fill(OperatorImport& op, const Dimensions& shape, std::uint32_t value) {
    const std::vector<std::int32_t> signedShape(shape.begin(), shape.end());
    op.inferOutputShape(shape);
    NNBURST_TRY_ASSIGN(const std::uint32_t dimensions, op.constant(signedShape));
    op.add(OperationType::FILL, {dimensions, value}, {op.output()});
    return {};
}

}  // namespace

Result<> convertBroadcastTo(OperatorImport& op, OperationType /*operation*/) {
    NNBURST_TRY_ASSIGN(const Dimensions shape, sizes(op, 1));
    op.inferOutputShape(shape);
    NNBURST_TRY_ASSIGN(const std::uint32_t full, op.broadcast(op.input(0), shape));
    return op.forward(full);
}

/// The HAL takes the value as a scalar, so it must be constant.
Result<> convertFill(OperatorImport& op, OperationType /*operation*/) {
    constexpr std::size_t kValue = 1;
    NNBURST_TRY_ASSIGN(Dimensions shape, sizes(op, 0));
    if (shape.empty()) {
        op.inferScalarOutput();
        return op.forward(op.input(kValue));
    }
    const auto integer = op.knownIntegers(kValue);
    const auto bytes = op.constantBytes(kValue);
    if (integer && integer->size() == 1) {
        if (shape.size() == 1 && shape[0] <= kMaximumIntegers) {
            op.inferOutputShape(shape);
            return op.forwardIntegers(std::vector<std::int32_t>(shape[0], integer->front()));
        }
        return fill(op, shape, op.scalar(integer->front()));
    }
    if (op.type(kValue) == OperandType::TENSOR_FLOAT32 && bytes.size() == sizeof(float)) {
        float value = 0.0F;
        std::memcpy(&value, bytes.data(), sizeof value);
        return fill(op, shape, op.scalar(value));
    }
    if (op.isConstant(kValue) && bytes.size() == 1) {
        const OperandType type = op.type(kValue);
        NNBURST_TRY_ASSIGN(const std::uint32_t full, op.repeated(type, shape, bytes[0]));
        op.operand(full).scale = op.operand(op.input(kValue)).scale;
        op.operand(full).zeroPoint = op.operand(op.input(kValue)).zeroPoint;
        op.inferOutputShape(shape);
        return op.forward(full);
    }
    if (op.shape(kValue) != Dimensions{1}) {
        return invalid("input {} (value): must have one element", kValue);
    }
    op.inferOutputShape(shape);
    NNBURST_TRY_ASSIGN(const std::uint32_t repeated, op.broadcast(op.input(kValue), shape));
    return op.forward(repeated);
}

Result<> convertZerosLike(OperatorImport& op, OperationType /*operation*/) {
    const Dimensions shape = op.shape(0);
    if (!isKnown(shape) ||
        std::any_of(shape.begin(), shape.end(), [](std::uint32_t s) { return s > INT32_MAX; })) {
        return invalid("input of shape {}: all sizes must be known", dimensionsText(shape));
    }
    switch (op.type(0)) {
        case OperandType::TENSOR_FLOAT32:
            return fill(op, shape, op.scalar(0.0F));
        case OperandType::TENSOR_INT32:
            return fill(op, shape, op.scalar(std::int32_t{0}));
        default:
            return invalid("input of type {} is not supported", toString(op.type(0)));
    }
}

}  // namespace nnburst::tflite
