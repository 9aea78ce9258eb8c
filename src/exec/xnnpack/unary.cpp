// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Operations on each element by itself. ABS, ELU, FLOOR, HARD_SWISH, NEG, SQRT: float32. LOGISTIC:
// float32, unsigned and signed 8 bits. TANH: unsigned and signed 8 bits. RELU, RELU1, RELU6:
// float32, unsigned and signed 8 bits in the input's scale. PRELU: float32 with a constant factor a
// channel or one for all.

#include <algorithm>
#include <utility>

#include "exec/operation/operation_check.h"
#include "exec/xnnpack/families.h"

namespace nnburst::exec::xnnpack {

namespace {

/// A step of an operator on each element; null if there is none.
StepResult makeElementwise(CreatedOperator made, const OperationView& operation,
                           const StepContext& context) {
    const auto elements = static_cast<double>(operation.inputs[0].shape.elementCount());
    return makeOperatorStep(std::move(made), effortOf(context, elements, Speed::ELEMENTWISE));
}

StepResult makeFunction(const OperationView& operation, const StepContext& context) {
    const OperandView& input = operation.inputs[0];
    const float alpha =
        operation.type == OperationType::ELU ? operation.inputs[1].scalar<float>() : 0.0F;
    return makeElementwise(
        createUnary(operation.type, Elements::of(input), Elements::of(operation.outputs[0]), alpha,
                    input.shape.elementCount(), operation.inputs.size()),
        operation, context);
}

FusedActivationFunc activationOf(OperationType type) noexcept {
    switch (type) {
        case OperationType::RELU:
            return FusedActivationFunc::RELU;
        case OperationType::RELU1:
            return FusedActivationFunc::RELU1;
        case OperationType::RELU6:
            return FusedActivationFunc::RELU6;
        default:
            otherFamily(type);
    }
}

bool isClamp(OperationType type) noexcept {
    return type == OperationType::RELU || type == OperationType::RELU1 ||
           type == OperationType::RELU6;
}

StepResult makeRelu(const OperationView& operation, const StepContext& context,
                    const FloatRange& range) {
    const OperandView& input = operation.inputs[0];
    return makeElementwise(
        createClamp(input.type, range, input.shape.elementCount(), operation.inputs.size()),
        operation, context);
}

StepResult makeQuantizedUnary(const OperationView& operation, const StepContext& context) {
    const OperandView& input = operation.inputs[0];
    const OperandView& output = operation.outputs[0];
    if (isClamp(operation.type)) {
        const QuantizedRange range = activationRange(activationOf(operation.type), output);
        return input.scale == output.scale && input.zeroPoint == output.zeroPoint && isRange(range)
                   ? makeRelu(operation, context, rangeOf(range))
                   : nullptr;
    }
    // The output scale of these is prescribed by the HAL.
    const bool isCurve =
        operation.type == OperationType::LOGISTIC || operation.type == OperationType::TANH;
    return isCurve && isNormalScale(input.scale) ? makeFunction(operation, context) : nullptr;
}

}  // namespace

StepResult makeUnary(const OperationView& operation, const StepContext& context) {
    switch (operation.inputs[0].type) {
        case OperandType::TENSOR_FLOAT32:
            if (isClamp(operation.type)) {
                return makeRelu(operation, context, activationRange(activationOf(operation.type)));
            }
            // XNNPACK of 2022 has none for float32.
            return operation.type == OperationType::TANH ? nullptr
                                                         : makeFunction(operation, context);
        case OperandType::TENSOR_QUANT8_ASYMM:
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
            return makeQuantizedUnary(operation, context);
        default:
            return nullptr;
    }
}

StepResult makePrelu(const OperationView& operation, const StepContext& context) {
    const OperandView& input = operation.inputs[0];
    const OperandView& alpha = operation.inputs[1];
    const std::size_t channels = input.shape[input.shape.rank() - 1];
    const std::size_t factors = alpha.shape.elementCount();
    const bool isOneAChannel = alpha.shape.rank() > 0 && factors == channels &&
                               alpha.shape[alpha.shape.rank() - 1] == channels;
    if (input.type != OperandType::TENSOR_FLOAT32 || !alpha.isConstant || alpha.data == nullptr ||
        (!isOneAChannel && factors != 1) || alpha.shape.rank() > input.shape.rank()) {
        return nullptr;
    }
    return makeElementwise(createPrelu(input.shape.elementCount() / channels, channels,
                                       {alpha.as<const float>(), factors}, operation.inputs.size()),
                           operation, context);
}

}  // namespace nnburst::exec::xnnpack
