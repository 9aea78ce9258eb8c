// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Operations on each element by itself. ABS, ELU, FLOOR, HARD_SWISH, NEG, SQRT: float32. LOGISTIC:
// float32, unsigned and signed 8 bits. TANH: unsigned and signed 8 bits. RELU, RELU1, RELU6:
// float32, unsigned and signed 8 bits in the input's scale. PRELU: float32 with a constant factor a
// channel.

#include <algorithm>
#include <utility>

#include "exec/operation/operation_check.h"
#include "exec/xnnpack/families.h"

namespace nnburst::exec::xnnpack {

namespace {

template <class T>
using UnarySetUp = xnn_status (*)(xnn_operator_t, std::size_t, const T*, T*, pthreadpool_t);

/// A step of an operator on rows of `channels`; null if there is no operator.
template <class T>
StepResult makeUnaryStep(xnn_status status, xnn_operator_t created, UnarySetUp<T> function,
                         const OperationView& operation, const StepContext& context,
                         std::size_t channels = 1) {
    NNBURST_TRY_ASSIGN(SharedOperator shared, takeOperator(status, created));
    if (!shared) {
        return nullptr;
    }
    const std::size_t elements = operation.inputs[0].shape.elementCount();
    SetUp setUp = [function, rows = elements / channels, output = operation.inputs.size()](
                      xnn_operator_t handle, Operands operands, pthreadpool_t threads) {
        return function(handle, rows, operandAs<const T>(operands, 0),
                        operandAs<T>(operands, output), threads);
    };
    return makeOperatorStep(std::move(shared), std::move(setUp),
                            threadsFor(context, static_cast<double>(elements), Speed::ELEMENTWISE),
                            channels > 1);
}

/// A step with one channel a row: XNNPACK joins rows that follow each other.
template <class T, class Create, class... Rest>
StepResult makeUnary(Create create, UnarySetUp<T> setUp, const OperationView& operation,
                     const StepContext& context, Rest... rest) {
    xnn_operator_t created = nullptr;
    const xnn_status status = create(1, 1, 1, rest..., 0, &created);
    return makeUnaryStep<T>(status, created, setUp, operation, context);
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

template <class T, class Create>
StepResult makeQuantizedClamp(Create create, UnarySetUp<T> setUp, const OperationView& operation,
                              const StepContext& context) {
    const OperandView& output = operation.outputs[0];
    const QuantizedRange range = activationRange(activationOf(operation.type), output);
    if (operation.inputs[0].scale != output.scale ||
        operation.inputs[0].zeroPoint != output.zeroPoint || !isRange(range)) {
        return nullptr;
    }
    return makeUnary<T>(create, setUp, operation, context, static_cast<T>(range.minimum),
                        static_cast<T>(range.maximum));
}

/// LOGISTIC and TANH, whose output scale the HAL prescribes.
template <class T, class Create>
StepResult makeQuantizedCurve(Create create, UnarySetUp<T> setUp, const OperationView& operation,
                              const StepContext& context) {
    const OperandView& input = operation.inputs[0];
    const OperandView& output = operation.outputs[0];
    if (!isNormalScale(input.scale)) {
        return nullptr;
    }
    const QuantizedRange limits = quantizedLimits(output.type);
    return makeUnary<T>(create, setUp, operation, context, static_cast<T>(input.zeroPoint),
                        input.scale, static_cast<T>(output.zeroPoint), output.scale,
                        static_cast<T>(limits.minimum), static_cast<T>(limits.maximum));
}

StepResult makeFloat(const OperationView& operation, const StepContext& context) {
    switch (operation.type) {
        case OperationType::ABS:
            return makeUnary<float>(xnn_create_abs_nc_f32, xnn_setup_abs_nc_f32, operation,
                                    context);
        case OperationType::ELU: {
            const float alpha = operation.inputs[1].scalar<float>();
            return makeUnary<float>(xnn_create_elu_nc_f32, xnn_setup_elu_nc_f32, operation, context,
                                    alpha);
        }
        case OperationType::FLOOR:
            return makeUnary<float>(xnn_create_floor_nc_f32, xnn_setup_floor_nc_f32, operation,
                                    context);
        case OperationType::HARD_SWISH:
            return makeUnary<float>(xnn_create_hardswish_nc_f32, xnn_setup_hardswish_nc_f32,
                                    operation, context);
        case OperationType::LOGISTIC:
            return makeUnary<float>(xnn_create_sigmoid_nc_f32, xnn_setup_sigmoid_nc_f32, operation,
                                    context);
        case OperationType::NEG:
            return makeUnary<float>(xnn_create_negate_nc_f32, xnn_setup_negate_nc_f32, operation,
                                    context);
        case OperationType::SQRT:
            return makeUnary<float>(xnn_create_square_root_nc_f32, xnn_setup_square_root_nc_f32,
                                    operation, context);
        case OperationType::RELU:
        case OperationType::RELU1:
        case OperationType::RELU6: {
            const FloatRange range = activationRange(activationOf(operation.type));
            return makeUnary<float>(xnn_create_clamp_nc_f32, xnn_setup_clamp_nc_f32, operation,
                                    context, range.minimum, range.maximum);
        }
        default:
            return nullptr;
    }
}

}  // namespace

StepResult makeUnary(const OperationView& operation, const StepContext& context) {
    const OperandType type = operation.inputs[0].type;
    const bool isUnsigned = type == OperandType::TENSOR_QUANT8_ASYMM;
    if (type == OperandType::TENSOR_FLOAT32) {
        return makeFloat(operation, context);
    }
    if (!isUnsigned && type != OperandType::TENSOR_QUANT8_ASYMM_SIGNED) {
        return nullptr;
    }
    switch (operation.type) {
        case OperationType::LOGISTIC:
            return isUnsigned ? makeQuantizedCurve<std::uint8_t>(xnn_create_sigmoid_nc_qu8,
                                                                 xnn_setup_sigmoid_nc_qu8,
                                                                 operation, context)
                              : makeQuantizedCurve<std::int8_t>(xnn_create_sigmoid_nc_qs8,
                                                                xnn_setup_sigmoid_nc_qs8, operation,
                                                                context);
        case OperationType::TANH:
            return isUnsigned
                       ? makeQuantizedCurve<std::uint8_t>(xnn_create_tanh_nc_qu8,
                                                          xnn_setup_tanh_nc_qu8, operation, context)
                       : makeQuantizedCurve<std::int8_t>(xnn_create_tanh_nc_qs8,
                                                         xnn_setup_tanh_nc_qs8, operation, context);
        case OperationType::RELU:
        case OperationType::RELU1:
        case OperationType::RELU6:
            return isUnsigned
                       ? makeQuantizedClamp<std::uint8_t>(xnn_create_clamp_nc_u8,
                                                          xnn_setup_clamp_nc_u8, operation, context)
                       : makeQuantizedClamp<std::int8_t>(xnn_create_clamp_nc_s8,
                                                         xnn_setup_clamp_nc_s8, operation, context);
        default:
            return nullptr;
    }
}

StepResult makePrelu(const OperationView& operation, const StepContext& context) {
    const OperandView& input = operation.inputs[0];
    const OperandView& alpha = operation.inputs[1];
    const std::size_t channels = input.shape[input.shape.rank() - 1];
    const bool isOneAChannel = alpha.shape.rank() > 0 && alpha.shape.elementCount() == channels &&
                               alpha.shape[alpha.shape.rank() - 1] == channels;
    if (input.type != OperandType::TENSOR_FLOAT32 || !alpha.isConstant || alpha.data == nullptr ||
        !isOneAChannel || alpha.shape.rank() > input.shape.rank()) {
        return nullptr;
    }
    xnn_operator_t created = nullptr;
    const xnn_status status =
        xnn_create_prelu_nc_f32(channels, channels, channels, alpha.as<const float>(), 0, &created);
    return makeUnaryStep<float>(status, created, xnn_setup_prelu_nc_f32, operation, context,
                                channels);
}

}  // namespace nnburst::exec::xnnpack
