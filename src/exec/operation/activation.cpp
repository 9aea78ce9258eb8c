// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/operation/activation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "exec/operation/operation_check.h"

namespace nnburst::exec {

QuantizedRange quantizedLimits(OperandType type) noexcept {
    switch (type) {
        case OperandType::TENSOR_QUANT8_ASYMM:
            return {0, 255};
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
        case OperandType::TENSOR_QUANT8_SYMM:
        case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
            return {-128, 127};
        case OperandType::TENSOR_QUANT16_SYMM:
            return {-32768, 32767};
        case OperandType::TENSOR_QUANT16_ASYMM:
            return {0, 65535};
        default:
            return {0, 0};
    }
}

FloatRange activationRange(FusedActivationFunc activation) noexcept {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    switch (activation) {
        case FusedActivationFunc::RELU:
            return {0.0F, kInfinity};
        case FusedActivationFunc::RELU1:
            return {-1.0F, 1.0F};
        case FusedActivationFunc::RELU6:
            return {0.0F, 6.0F};
        case FusedActivationFunc::NONE:
            break;
    }
    return {-kInfinity, kInfinity};
}

QuantizedRange activationRange(FusedActivationFunc activation, const OperandView& output) noexcept {
    const QuantizedRange limits = quantizedLimits(output.type);
    const FloatRange range = activationRange(activation);
    // The quotient is a float, as in AOSP and TensorFlow Lite: in double precision one near a half
    // could be rounded to another step. It may be infinite, so the sum is a double.
    const auto quantize = [&](float value) {
        const double steps =
            static_cast<double>(std::round(value / output.scale)) + output.zeroPoint;
        return static_cast<std::int32_t>(std::clamp(steps, static_cast<double>(limits.minimum),
                                                    static_cast<double>(limits.maximum)));
    };
    return {quantize(range.minimum), quantize(range.maximum)};
}

Result<std::int32_t> readConstantInt32(const OperationView& operation, std::size_t index,
                                       const char* name, std::int32_t minimum) {
    const auto refused = [&](const std::string& why) {
        return failure(ErrorStatus::INVALID_ARGUMENT, std::string(toString(operation.type)) +
                                                          " input " + std::to_string(index) + " (" +
                                                          name + "): " + why);
    };
    if (!operation.has(index)) {
        return refused("missing");
    }
    const OperandView& operand = operation.inputs[index];
    if (operand.type != OperandType::INT32) {
        return refused(std::string("type ") + toString(operand.type) + "; must be INT32");
    }
    if (operand.data == nullptr) {
        return unknownValue(operation, index, name);
    }
    const auto value = operand.scalar<std::int32_t>();
    if (value < minimum) {
        return refused("value " + std::to_string(value) + "; must be at least " +
                       std::to_string(minimum));
    }
    return value;
}

Result<std::int32_t> readOptionalInt32(const OperationView& operation, std::size_t index,
                                       const char* name, std::int32_t minimum,
                                       std::int32_t defaultValue) {
    if (operation.has(index)) {
        return readConstantInt32(operation, index, name, minimum);
    }
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    check.optionalInput(index, name).type({OperandType::INT32});
    NNBURST_TRY(check.result());
    return defaultValue;
}

Result<FusedActivationFunc> readActivation(const OperationView& operation, std::size_t index) {
    NNBURST_TRY_ASSIGN(const std::int32_t value,
                       readConstantInt32(operation, index, "activation", 0));
    if (value > static_cast<std::int32_t>(FusedActivationFunc::RELU6)) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       std::string(toString(operation.type)) + " input " + std::to_string(index) +
                           " (activation): value " + std::to_string(value) +
                           "; must be 0 (NONE), 1 (RELU), 2 (RELU1) or 3 (RELU6)");
    }
    return static_cast<FusedActivationFunc>(value);
}

}  // namespace nnburst::exec
