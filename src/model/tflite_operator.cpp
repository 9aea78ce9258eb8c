// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "model/tflite_operator.h"

#include <algorithm>
#include <array>

#include "model/operand_info.h"

namespace nnburst::tflite {

namespace {

using Code = schema::BuiltinOperator;

constexpr Arity kUnary{.minimumInputs = 1, .maximumInputs = 1, .requiredInputs = 0b1};
constexpr Arity kBinary{.minimumInputs = 2, .maximumInputs = 2, .requiredInputs = 0b11};
/// The bias may be left out.
constexpr Arity kWeighted{.minimumInputs = 2, .maximumInputs = 3, .requiredInputs = 0b11};
/// The shape may be in the options.
constexpr Arity kReshape{.minimumInputs = 1, .maximumInputs = 2, .requiredInputs = 0b1};
/// What belongs to the input gate, the peephole connections, the projection and the normalisation
/// of layers may be left out.
constexpr Arity kLstm{
    .minimumInputs = 20, .maximumInputs = 24, .requiredInputs = 0b1100'1110'0001'1101'1101};
constexpr Arity kRnn{.minimumInputs = 5, .maximumInputs = 5, .requiredInputs = 0b11111};

constexpr std::array kConverters{
    Converter{Code::ABS, kUnary, OperationType::ABS, convertUnary},
    Converter{Code::ADD, kBinary, OperationType::ADD, convertArithmetic},
    Converter{Code::AVERAGE_POOL_2D, kUnary, OperationType::AVERAGE_POOL_2D, convertPool2d},
    Converter{Code::CONV_2D, kWeighted, OperationType::CONV_2D, convertConv2d},
    Converter{Code::DEPTHWISE_CONV_2D, kWeighted, OperationType::DEPTHWISE_CONV_2D,
              convertDepthwiseConv2d},
    Converter{Code::DEQUANTIZE, kUnary, OperationType::DEQUANTIZE, convertUnary},
    Converter{Code::DIV, kBinary, OperationType::DIV, convertArithmetic},
    Converter{Code::EXP, kUnary, OperationType::EXP, convertUnary},
    Converter{Code::FLOOR, kUnary, OperationType::FLOOR, convertUnary},
    Converter{Code::FULLY_CONNECTED, kWeighted, OperationType::FULLY_CONNECTED,
              convertFullyConnected},
    Converter{Code::HARD_SWISH, kUnary, OperationType::HARD_SWISH, convertUnary},
    Converter{Code::L2_POOL_2D, kUnary, OperationType::L2_POOL_2D, convertPool2d},
    Converter{Code::LOG, kUnary, OperationType::LOG, convertUnary},
    Converter{Code::LOGISTIC, kUnary, OperationType::LOGISTIC, convertUnary},
    Converter{Code::LSTM, kLstm, OperationType::LSTM, convertLstm},
    Converter{Code::MAX_POOL_2D, kUnary, OperationType::MAX_POOL_2D, convertPool2d},
    Converter{Code::MUL, kBinary, OperationType::MUL, convertArithmetic},
    Converter{Code::NEG, kUnary, OperationType::NEG, convertUnary},
    Converter{Code::QUANTIZE, kUnary, OperationType::QUANTIZE, convertUnary},
    Converter{Code::RELU, kUnary, OperationType::RELU, convertUnary},
    Converter{Code::RELU6, kUnary, OperationType::RELU6, convertUnary},
    Converter{Code::RELU_N1_TO_1, kUnary, OperationType::RELU1, convertUnary},
    Converter{Code::RESHAPE, kReshape, OperationType::RESHAPE, convertReshape},
    Converter{Code::RNN, kRnn, OperationType::RNN, convertRnn},
    Converter{Code::RSQRT, kUnary, OperationType::RSQRT, convertUnary},
    Converter{Code::SIN, kUnary, OperationType::SIN, convertUnary},
    Converter{Code::SOFTMAX, kUnary, OperationType::SOFTMAX, convertSoftmax},
    Converter{Code::SQRT, kUnary, OperationType::SQRT, convertUnary},
    Converter{Code::SUB, kBinary, OperationType::SUB, convertArithmetic},
    Converter{Code::TANH, kUnary, OperationType::TANH, convertUnary},
};

}  // namespace

const Converter* findConverter(schema::BuiltinOperator code) noexcept {
    const auto* row = std::find_if(kConverters.begin(), kConverters.end(),
                                   [code](const Converter& c) { return c.code == code; });
    return row == kConverters.end() ? nullptr : row;
}

Result<OperatorImport> OperatorImport::resolve(TensorMap& tensors,
                                               const schema::Operator& declaration,
                                               const Arity& arity) {
    OperatorImport result(tensors, declaration);
    const auto* inputs = declaration.inputs();
    const std::uint32_t inputCount = inputs == nullptr ? 0 : inputs->size();
    if (inputCount < arity.minimumInputs || inputCount > arity.maximumInputs) {
        return invalid("{} inputs: must be {} to {}", inputCount, arity.minimumInputs,
                       arity.maximumInputs);
    }
    for (std::uint32_t i = 0; i < inputCount; ++i) {
        if (inputs->Get(i) != -1) {
            NNBURST_TRY_ASSIGN(const std::uint32_t operand, tensors.read(inputs->Get(i)));
            result.inputs_.push_back(operand);
        } else if ((arity.requiredInputs >> i & 1U) != 0) {
            return invalid("input {} is left out: must be there", i);
        } else {
            result.inputs_.push_back(kLeftOut);
        }
    }
    const auto* outputs = declaration.outputs();
    const std::uint32_t outputCount = outputs == nullptr ? 0 : outputs->size();
    if (outputCount != 1) {
        return invalid("{} outputs: must be 1", outputCount);
    }
    NNBURST_TRY_ASSIGN(result.output_, tensors.define(outputs->Get(0)));
    return result;
}

std::uint32_t OperatorImport::optionalInput(std::size_t index, OperandType type) {
    return has(index) ? input(index) : tensors_->builder().addOmitted(type);
}

std::span<const std::byte> OperatorImport::constantBytes(std::size_t index) const {
    return tensors_->constantBytes(
        declaration_->inputs()->Get(static_cast<flatbuffers::uoffset_t>(index)));
}

Result<std::uint32_t> OperatorImport::activation(schema::ActivationFunctionType activation) {
    using enum schema::ActivationFunctionType;
    switch (activation) {
        case NONE:
            return scalar(static_cast<std::int32_t>(FusedActivationFunc::NONE));
        case RELU:
            return scalar(static_cast<std::int32_t>(FusedActivationFunc::RELU));
        case RELU_N1_TO_1:
            return scalar(static_cast<std::int32_t>(FusedActivationFunc::RELU1));
        case RELU6:
            return scalar(static_cast<std::int32_t>(FusedActivationFunc::RELU6));
        default:
            return invalid("fused activation {} is not supported", static_cast<int>(activation));
    }
}

Result<std::uint32_t> OperatorImport::bias(std::size_t index, std::size_t factor,
                                           std::size_t weights, std::uint32_t channels) {
    const Operand& factorOperand = operand(input(factor));
    const Operand& weightsOperand = operand(input(weights));
    const bool isFloat = factorOperand.type == OperandType::TENSOR_FLOAT32;
    // 0 for weights that are quantised per channel, as the HAL wants it.
    const float scale = isFloat ? 0.0F : factorOperand.scale * weightsOperand.scale;
    if (!has(index)) {
        const std::vector<std::byte> zeros(std::size_t{channels} * sizeof(std::int32_t));
        return constant(isFloat ? OperandType::TENSOR_FLOAT32 : OperandType::TENSOR_INT32,
                        {channels}, zeros, scale);
    }
    Operand& bias = operand(input(index));
    if (bias.type == OperandType::TENSOR_INT32 && bias.scale == 0.0F) {
        bias.scale = scale;
    }
    return input(index);
}

Result<std::uint32_t> OperatorImport::nextState(std::size_t index) {
    return tensors_->update(
        declaration_->inputs()->Get(static_cast<flatbuffers::uoffset_t>(index)));
}

void OperatorImport::inferOutputShape(Dimensions dimensions) {
    if (operand(output_).dimensions.empty()) {
        operand(output_).dimensions = std::move(dimensions);
    }
}

Result<> OperatorImport::refuseHybrid(std::size_t weights) {
    if (type(0) == OperandType::TENSOR_FLOAT32 && type(weights) != OperandType::TENSOR_FLOAT32) {
        return invalid("hybrid quantisation, {} weights for {} input, is not supported",
                       toString(type(weights)), toString(type(0)));
    }
    return {};
}

}  // namespace nnburst::tflite
