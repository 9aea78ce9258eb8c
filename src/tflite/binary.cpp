// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converters of operators that compute element by element from two or more tensors and repeat axes
/// of size 1.

#include <algorithm>

#include "model/operand_info.h"
#include "tflite/converters.h"
#include "tflite/extension_types.h"
#include "tflite/folding.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

namespace {

constexpr auto kNoActivation = static_cast<std::int32_t>(FusedActivationFunc::NONE);

Result<schema::ActivationFunctionType> arithmeticActivation(const OperatorImport& op,
                                                            OperationType operation) {
    const auto activation = [](const auto& options) -> Result<schema::ActivationFunctionType> {
        NNBURST_TRY(options);
        return (*options)->fused_activation_function();
    };
    switch (operation) {
        case OperationType::SUB:
            return activation(op.options<schema::SubOptions>());
        case OperationType::MUL:
            return activation(op.options<schema::MulOptions>());
        case OperationType::DIV:
            return activation(op.options<schema::DivOptions>());
        default:
            return activation(op.options<schema::AddOptions>());
    }
}

/// The broadcast shape of inputs `a` and `b`.
Dimensions sharedShape(OperatorImport& op, std::size_t a = 0, std::size_t b = 1) {
    return broadcastShape(op.shape(a), op.shape(b));
}

/// Computes with constants, such as shapes, at import: operators may need the values.
Result<bool> fold(OperatorImport& op, OperationType operation) {
    switch (operation) {
        case OperationType::ADD:
            return foldIntegers(op, [](std::int64_t a, std::int64_t b) { return a + b; });
        case OperationType::SUB:
            return foldIntegers(op, [](std::int64_t a, std::int64_t b) { return a - b; });
        case OperationType::MUL:
            return foldIntegers(op, [](std::int64_t a, std::int64_t b) { return a * b; });
        case OperationType::MAXIMUM:
            return foldIntegers(op, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
        case OperationType::MINIMUM:
            return foldIntegers(op, [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
        case OperationType::DIV:
            // Rounds down; the quotient by 0 is a number that does not fit into 32 bits.
            return foldIntegers(op, [](std::int64_t a, std::int64_t b) {
                return b == 0 ? INT64_MAX : a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
            });
        default:
            return false;
    }
}

/// The same for ADD, SUB, MUL and DIV, also of FLOAT32: sizes may be multiplied by such numbers.
/// TFLite's DIV of integers does not round down.
Result<bool> foldArithmetic(OperatorImport& op, OperationType operation) {
    if (op.type(0) != OperandType::TENSOR_FLOAT32) {
        return operation == OperationType::DIV ? Result<bool>(false) : fold(op, operation);
    }
    switch (operation) {
        case OperationType::ADD:
            return foldReals(op, [](float a, float b) { return a + b; });
        case OperationType::SUB:
            return foldReals(op, [](float a, float b) { return a - b; });
        case OperationType::MUL:
            return foldReals(op, [](float a, float b) { return a * b; });
        default:
            return foldReals(op, [](float a, float b) { return a / b; });
    }
}

/// Adds MAXIMUM and MINIMUM for an activation of integers, which the HAL does not fuse.
Result<> clampIntegers(OperatorImport& op, std::uint32_t integers,
                       schema::ActivationFunctionType activation) {
    using enum schema::ActivationFunctionType;
    if (activation != RELU && activation != RELU6 && activation != RELU_N1_TO_1) {
        return invalid("fused activation {} is not supported", static_cast<int>(activation));
    }
    const auto limit = [&](std::int32_t value) {
        return op.repeated(OperandType::TENSOR_INT32, {1}, value);
    };
    NNBURST_TRY_ASSIGN(const std::uint32_t lowest, limit(activation == RELU_N1_TO_1 ? -1 : 0));
    if (activation == RELU) {
        op.add(OperationType::MAXIMUM, {integers, lowest}, {op.output()});
        return {};
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t highest, limit(activation == RELU6 ? 6 : 1));
    const Dimensions shape = op.operand(integers).dimensions;
    const std::uint32_t raised = op.temporary(OperandType::TENSOR_INT32, shape);
    op.add(OperationType::MAXIMUM, {integers, lowest}, {raised});
    op.add(OperationType::MINIMUM, {raised, highest}, {op.output()});
    return {};
}

/// Integers: the HAL's DIV rounds down, TFLite's towards 0.
Result<> addIntegers(OperatorImport& op, OperationType operation,
                     schema::ActivationFunctionType activation) {
    const bool isClamped = activation != schema::ActivationFunctionType::NONE;
    const std::uint32_t result =
        isClamped ? op.temporary(OperandType::TENSOR_INT32, sharedShape(op)) : op.output();
    if (operation == OperationType::DIV) {
        op.add(extensionOperation(tflite_operations::Code::TRUNCATED_DIV),
               {op.input(0), op.input(1)}, {result});
    } else {
        op.add(operation, {op.input(0), op.input(1), op.scalar(kNoActivation)}, {result});
    }
    return isClamped ? clampIntegers(op, result, activation) : Result<>();
}

}  // namespace

void inferBroadcast(OperatorImport& op, std::size_t a, std::size_t b) {
    if (op.isScalar(a) && op.isScalar(b)) {
        op.inferScalarOutput();
    } else {
        op.inferOutputShape(sharedShape(op, a, b));
    }
}

Result<> convertArithmetic(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto fused, arithmeticActivation(op, operation));
    inferBroadcast(op);
    if (fused == schema::ActivationFunctionType::NONE) {
        NNBURST_TRY_ASSIGN(const bool isFolded, foldArithmetic(op, operation));
        if (isFolded) {
            return {};
        }
    }
    if (op.type(0) == OperandType::TENSOR_INT32) {
        return addIntegers(op, operation, fused);
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t activation, op.activation(fused));
    // The HAL has no division of quantised numbers.
    const bool isFloat = operation == OperationType::DIV && op.isQuantized(op.input(0));
    const std::uint32_t a = isFloat ? op.floatInput(0) : op.input(0);
    const std::uint32_t b = isFloat ? op.floatInput(1) : op.input(1);
    const std::uint32_t result = isFloat ? op.floatOutput() : op.output();
    op.add(operation, {a, b, activation}, {result});
    op.finishFloat(result);
    return {};
}

Result<> convertBinary(OperatorImport& op, OperationType operation) {
    inferBroadcast(op);
    NNBURST_TRY_ASSIGN(const bool isFolded, fold(op, operation));
    if (isFolded) {
        return {};
    }
    op.add(operation, {op.input(0), op.input(1)}, {op.output()});
    return {};
}

Result<> convertPow(OperatorImport& op, OperationType operation) {
    inferBroadcast(op);
    if (op.type(0) == OperandType::TENSOR_INT32) {
        op.add(extensionOperation(tflite_operations::Code::INTEGER_POW), {op.input(0), op.input(1)},
               {op.output()});
        return {};
    }
    const std::uint32_t base = op.floatInput(0);
    const std::uint32_t exponent = op.floatInput(1);
    const std::uint32_t result = op.floatOutput();
    op.add(operation, {base, exponent}, {result});
    op.finishFloat(result);
    return {};
}

/// (a - b) * (a - b); quantised numbers in floating point, as the difference has no scale.
Result<> convertSquaredDifference(OperatorImport& op, OperationType /*operation*/) {
    inferBroadcast(op);
    const std::uint32_t a = op.isQuantized(op.input(0)) ? op.floatInput(0) : op.input(0);
    const std::uint32_t b = op.isQuantized(op.input(1)) ? op.floatInput(1) : op.input(1);
    const std::uint32_t result = op.floatOutput();
    const std::uint32_t difference = op.temporaryLike(a, sharedShape(op));
    op.add(OperationType::SUB, {a, b, op.scalar(kNoActivation)}, {difference});
    op.add(OperationType::MUL, {difference, difference, op.scalar(kNoActivation)}, {result});
    op.finishFloat(result);
    return {};
}

/// The HAL divides integers as FLOOR_DIV does. A FLOOR follows the division of other types.
Result<> convertFloorDiv(OperatorImport& op, OperationType operation) {
    inferBroadcast(op);
    NNBURST_TRY_ASSIGN(const bool isFolded, fold(op, operation));
    if (isFolded) {
        return {};
    }
    if (op.type(0) == OperandType::TENSOR_INT32) {
        op.add(operation, {op.input(0), op.input(1), op.scalar(kNoActivation)}, {op.output()});
        return {};
    }
    if (op.isQuantized(op.input(0))) {
        return invalid("input of type {} is not supported", toString(op.type(0)));
    }
    const std::uint32_t quotient = op.temporaryLike(op.input(0), sharedShape(op));
    op.add(operation, {op.input(0), op.input(1), op.scalar(kNoActivation)}, {quotient});
    op.add(OperationType::FLOOR, {quotient}, {op.output()});
    return {};
}

/// a - floor(a / b) * b, which is exact for integers only.
Result<> convertFloorMod(OperatorImport& op, OperationType operation) {
    if (op.type(0) != OperandType::TENSOR_INT32) {
        return convertFloatBinary(op, operation);
    }
    inferBroadcast(op);
    NNBURST_TRY_ASSIGN(const bool isFolded, foldIntegers(op, [](std::int64_t a, std::int64_t b) {
                           return b == 0 ? INT64_MAX : (a % b + b) % b;
                       }));
    if (isFolded) {
        return {};
    }
    const Dimensions shape = sharedShape(op);
    const std::uint32_t quotient = op.temporaryLike(op.input(0), shape);
    const std::uint32_t product = op.temporaryLike(op.input(0), shape);
    op.add(OperationType::DIV, {op.input(0), op.input(1), op.scalar(kNoActivation)}, {quotient});
    op.add(OperationType::MUL, {quotient, op.input(1), op.scalar(kNoActivation)}, {product});
    op.add(OperationType::SUB, {op.input(0), product, op.scalar(kNoActivation)}, {op.output()});
    return {};
}

Result<> convertAddN(OperatorImport& op, OperationType operation) {
    op.inferShapeOf(0);
    if (op.inputCount() == 1) {
        return op.forward(op.input(0));
    }
    const Dimensions shape = op.shape(0);
    std::uint32_t sum = op.input(0);
    for (std::size_t i = 1; i < op.inputCount(); ++i) {
        const std::uint32_t next =
            i + 1 == op.inputCount() ? op.output() : op.temporaryLike(op.output(), shape);
        op.add(operation, {sum, op.input(i), op.scalar(kNoActivation)}, {next});
        sum = next;
    }
    return {};
}

Result<> convertSelect(OperatorImport& op, OperationType operation) {
    // A vector of conditions runs along the first axis, unlike in SELECT_V2.
    const Dimensions condition = op.shape(0);
    const Dimensions shape = op.shape(1);
    if (condition.size() != 1 || op.isScalar(0) || shape.size() < 2) {
        return convertSelectV2(op, operation);
    }
    if (!isKnown(shape) || op.shape(2) != shape || condition[0] != shape[0]) {
        return invalid(
            "condition of shape {} for {} and {}: must have the same shape, or that of "
            "the first axis",
            dimensionsText(condition), dimensionsText(shape), dimensionsText(op.shape(2)));
    }
    std::vector<std::int32_t> sizes(shape.size(), 1);
    sizes[0] = static_cast<std::int32_t>(condition[0]);
    NNBURST_TRY_ASSIGN(const std::uint32_t column, op.constant(sizes));
    const std::uint32_t conditions =
        op.temporaryLike(op.input(0), Dimensions(sizes.begin(), sizes.end()));
    op.add(OperationType::RESHAPE, {op.input(0), column}, {conditions});
    NNBURST_TRY_ASSIGN(const std::uint32_t repeated, op.broadcast(conditions, shape));
    op.inferOutputShape(shape);
    op.add(operation, {repeated, op.input(1), op.input(2)}, {op.output()});
    return {};
}

/// The HAL requires three operands of one shape.
Result<> convertSelectV2(OperatorImport& op, OperationType operation) {
    const Dimensions shape = broadcastShape(sharedShape(op, 1, 2), op.shape(0));
    if (op.isScalar(0) && op.isScalar(1) && op.isScalar(2)) {
        op.inferScalarOutput();
    } else {
        op.inferOutputShape(shape);
    }
    std::vector<std::uint32_t> inputs{op.input(0), op.input(1), op.input(2)};
    for (std::uint32_t& input : inputs) {
        if (isKnown(shape)) {
            NNBURST_TRY_ASSIGN(input, op.broadcast(input, shape));
        }
    }
    op.add(operation, std::move(inputs), {op.output()});
    return {};
}

}  // namespace nnburst::tflite
