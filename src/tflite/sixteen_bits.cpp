// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/sixteen_bits.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/invalid.h"
#include "tflite/extension_types.h"
#include "tflite/hal_limits.h"
#include "tflite/operator_import.h"
#include "tflite/tensors.h"

namespace nnburst::tflite {

namespace {

using enum OperationType;
using ExtensionCode = tflite_operations::Code;

constexpr auto kSixteenBits = OperandType::TENSOR_QUANT16_SYMM;

/// What an operation of the extension requires of the scales.
enum class Scales : std::uint8_t {
    ANY,
    SAME,  ///< those of the tensors are the same
    UNIT   ///< that of the output is 2^-15
};

/// An operation of the HAL, and that of the extension with the same inputs.
struct Counterpart {
    OperationType type;
    ExtensionCode code;
    Scales scales;
};

constexpr std::array kCounterparts{
    Counterpart{QUANTIZE, ExtensionCode::RESCALE_16, Scales::ANY},
    Counterpart{DEQUANTIZE, ExtensionCode::RESCALE_16, Scales::ANY},
    Counterpart{ADD, ExtensionCode::ADD_16, Scales::ANY},
    Counterpart{SUB, ExtensionCode::SUB_16, Scales::ANY},
    Counterpart{MUL, ExtensionCode::MUL_16, Scales::ANY},
    Counterpart{MAXIMUM, ExtensionCode::MAXIMUM_16, Scales::SAME},
    Counterpart{MINIMUM, ExtensionCode::MINIMUM_16, Scales::SAME},
    Counterpart{SOFTMAX, ExtensionCode::SOFTMAX_16, Scales::UNIT},
    Counterpart{RELU, ExtensionCode::CLAMP_16, Scales::ANY},
    Counterpart{RELU1, ExtensionCode::CLAMP_16, Scales::ANY},
    Counterpart{RELU6, ExtensionCode::CLAMP_16, Scales::ANY},
    Counterpart{AVERAGE_POOL_2D, ExtensionCode::AVERAGE_POOL_2D_16, Scales::SAME},
    Counterpart{MAX_POOL_2D, ExtensionCode::MAX_POOL_2D_16, Scales::SAME},
};

bool haveScales(TensorMap& tensors, const PlannedOperation& planned, Scales scales) {
    const float output = tensors.builder().operand(planned.outputs[0]).scale;
    if (scales != Scales::SAME) {
        return scales == Scales::ANY || output == 0x1p-15F;
    }
    return std::all_of(planned.inputs.begin(), planned.inputs.end(), [&](std::uint32_t input) {
        const Operand& operand = tensors.builder().operand(input);
        return operand.type != kSixteenBits || operand.scale == output;
    });
}

}  // namespace

bool have16Bits(TensorMap& tensors, const std::vector<std::uint32_t>& operands) {
    return std::any_of(operands.begin(), operands.end(), [&](std::uint32_t operand) {
        return tensors.builder().operand(operand).type == kSixteenBits;
    });
}

bool planIn16Bits(TensorMap& tensors, PlannedOperation& planned) {
    const auto* row = std::find_if(
        kCounterparts.begin(), kCounterparts.end(),
        [&](const Counterpart& counterpart) { return counterpart.type == planned.type; });
    const bool isConversion = planned.type == QUANTIZE || planned.type == DEQUANTIZE;
    if (row == kCounterparts.end() || !haveScales(tensors, planned, row->scales) ||
        (!isConversion && !have16Bits(tensors, {planned.inputs[0]}))) {
        return false;
    }
    if (row->code == ExtensionCode::CLAMP_16) {
        const FusedActivationFunc activation = planned.type == RELU    ? FusedActivationFunc::RELU
                                               : planned.type == RELU1 ? FusedActivationFunc::RELU1
                                                                       : FusedActivationFunc::RELU6;
        planned.inputs.push_back(
            tensors.constants().addScalar(static_cast<std::int32_t>(activation)));
    }
    planned.type = extensionOperation(row->code);
    return true;
}

Result<std::vector<std::uint32_t>> inputsOfLayer16x8(OperatorImport& op, std::uint32_t channels,
                                                     std::uint32_t channelAxis,
                                                     std::uint32_t activation, bool hasWideSums,
                                                     LayerInputs layer) {
    const Operand weights = op.operand(op.input(layer.weights));
    const auto* perChannel = std::get_if<SymmPerChannelQuantParams>(&weights.extraParams);
    std::vector<float> scales =
        perChannel == nullptr ? std::vector{weights.scale} : perChannel->scales;
    for (const std::uint32_t channel :
         op.tensors().constants().channelsOfScaleZero(op.input(layer.weights))) {
        scales[channel] = 0.0F;  // the results are 0 whatever the bias
    }
    if (perChannel != nullptr && perChannel->channelDim != channelAxis) {
        return invalid("weights with scales along dimension {}: must be {}, that of the channels",
                       perChannel->channelDim, channelAxis);
    }
    const bool isSigned = weights.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
    if (perChannel == nullptr && (!isSigned || weights.zeroPoint != 0)) {
        return invalid("weights of type {} with zero point {}: must be INT8 with zero point 0",
                       toString(weights.type), weights.zeroPoint);
    }
    NNBURST_TRY_ASSIGN(
        const std::uint32_t factors,
        op.constant(OperandType::TENSOR_FLOAT32, {static_cast<std::uint32_t>(scales.size())},
                    std::as_bytes(std::span(scales))));
    std::uint32_t bias = 0;
    if (op.has(layer.bias)) {
        bias = op.input(layer.bias);
    } else {
        NNBURST_TRY_ASSIGN(bias,
                           op.repeated(OperandType::TENSOR_INT32, {channels}, std::int32_t{0}));
    }
    return std::vector<std::uint32_t>{op.input(layer.tensor),
                                      op.input(layer.weights),
                                      factors,
                                      bias,
                                      op.scalar(hasWideSums),
                                      activation};
}

}  // namespace nnburst::tflite
