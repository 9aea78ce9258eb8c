// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// QUANTIZED_16BIT_LSTM: one time step with 8-bit inputs, weights and outputs and a 16-bit cell
// state.
//
//     input              [batches, inputSize], in units of 1/128 around 128
//     input weights      4 of [units, inputSize]: input, forget, cell, output gate
//     recurrent weights  4 of [units, units], in the same order
//     biases             4 of INT32 [units], in the scale of the products
//     cell state         TENSOR_QUANT16_SYMM [batches, units], in units of 1/2048
//     output before      [batches, units], quantised as the input
//     output             cell state and output after the step; both may be updated in place
//
// All weights have one scale and zero point.

#include <fmt/format.h>

#include <array>

#include "exec/operation/operation_check.h"
#include "exec/reference/definitions.h"
#include "exec/reference/fixed_point.h"
#include "exec/reference/weighted_sum.h"

namespace nnburst::exec {

namespace {
namespace quantized_16bit_lstm {

using enum OperandType;

constexpr std::size_t kInputWeights = 1;
constexpr std::size_t kRecurrentWeights = 5;
constexpr std::size_t kBiases = 9;
constexpr std::size_t kCellState = 13;
constexpr std::size_t kOutputBefore = 14;
constexpr std::size_t kGates = 4;

enum Gate : std::size_t { kInputGate = 0, kForgetGate = 1, kCellGate = 2, kOutputGate = 3 };

constexpr int kGateIntegerBits = 3;
constexpr int kStateIntegerBits = 4;

void checkShapes(OperationCheck& check) {
    constexpr const char* kUnits = "the number of units (of input 1)";
    const OperandCheck input = check.input(0, "input").rank(2);
    const OperandCheck weights = check.input(kInputWeights, "input weights").rank(2).notEmpty(0);
    for (std::size_t gate = 0; gate < kGates; ++gate) {
        check.input(kInputWeights + gate, "input weights")
            .rank(2)
            .size(0, weights[0], kUnits)
            .size(1, input[1], "the size of the input");
        check.input(kRecurrentWeights + gate, "recurrent weights")
            .rank(2)
            .size(0, weights[0], kUnits)
            .size(1, weights[0], kUnits);
        check.input(kBiases + gate, "bias").rank(1).size(0, weights[0], kUnits);
    }
    for (const std::size_t state : {kCellState, kOutputBefore}) {
        check.input(state, state == kCellState ? "cell state in" : "output before")
            .rank(2)
            .size(0, input[0], "the batch size of the input")
            .size(1, weights[0], kUnits);
    }
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(15).outputCount(2);
    const float unit = 1.0F / 128;
    check.input(0, "input").type({TENSOR_QUANT8_ASYMM}).quantization(unit, 128);
    const OperandCheck weights =
        check.input(kInputWeights, "input weights").type({TENSOR_QUANT8_ASYMM});
    for (std::size_t i = kInputWeights; i < kBiases; ++i) {
        check.input(i, "weights").sameTypeAs(weights).sameQuantizationAs(weights);
    }
    for (std::size_t i = kBiases; i < kCellState; ++i) {
        check.input(i, "bias").type({TENSOR_INT32});
    }
    check.input(kCellState, "cell state in")
        .type({TENSOR_QUANT16_SYMM})
        .quantization(1.0F / 2048, 0);
    check.input(kOutputBefore, "output before").type({TENSOR_QUANT8_ASYMM}).quantization(unit, 128);
    check.output(0, "cell state out").type({TENSOR_QUANT16_SYMM}).quantization(1.0F / 2048, 0);
    check.output(1, "output").type({TENSOR_QUANT8_ASYMM}).quantization(unit, 128);
    checkShapes(check);
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkShapes(check);
    NNBURST_TRY(check.result());
    outputs[0] = operation.inputs[kCellState].shape;
    outputs[1] = operation.inputs[kOutputBefore].shape;
    return {};
}

/// For one element of the batch: the cell state and output after the step, and a copy of the input
/// and the output before it.
std::size_t scratchBytes(const OperationView& operation) {
    const std::size_t units = operation.inputs[kInputWeights].shape[0];
    const std::size_t inputSize = operation.inputs[0].shape[1];
    return units * (sizeof(std::int16_t) + 2 * sizeof(std::uint8_t)) + inputSize;
}

Result<> run(const OperationView& operation, std::span<std::byte> scratch) {
    std::array<Shape, 2> shapes;
    NNBURST_TRY(inferShapes(operation, shapes));
    NNBURST_TRY(requireOutputShape(operation, 0, shapes[0]));
    NNBURST_TRY(requireOutputShape(operation, 1, shapes[1]));
    const std::size_t batches = operation.inputs[0].shape[0];
    const std::size_t inputSize = operation.inputs[0].shape[1];
    const std::size_t units = operation.inputs[kInputWeights].shape[0];
    const std::int32_t weightZeroPoint = operation.inputs[kInputWeights].zeroPoint;
    // From the scale of the products to 12 fractional bits.
    const QuantizedMultiplier toGate(4096.0 * operation.inputs[kInputWeights].scale / 128.0);
    auto* const newState = reinterpret_cast<std::int16_t*>(scratch.data());
    auto* const newOutput = reinterpret_cast<std::uint8_t*>(newState + units);
    auto* const elements = newOutput + units;
    for (std::size_t b = 0; b < batches; ++b) {
        std::copy_n(operation.inputs[0].as<const std::uint8_t>() + b * inputSize, inputSize,
                    elements);
        std::copy_n(operation.inputs[kOutputBefore].as<const std::uint8_t>() + b * units, units,
                    elements + inputSize);
        const auto* state = operation.inputs[kCellState].as<const std::int16_t>() + b * units;
        const auto gate = [&](std::size_t index, std::size_t unit) {
            const auto sumOf = [&](const std::uint8_t* first, std::size_t weightsInput,
                                   std::size_t count) {
                const auto* weights =
                    operation.inputs[weightsInput].as<const std::uint8_t>() + unit * count;
                return sumOfTerms<std::uint32_t>(count, [&](std::size_t i) {
                    return static_cast<std::uint32_t>((first[i] - 128) *
                                                      (weights[i] - weightZeroPoint));
                });
            };
            const std::uint32_t sum =
                operation.inputs[kBiases + index].as<const std::uint32_t>()[unit] +
                sumOf(elements, kRecurrentWeights + index, units) +
                sumOf(elements + units, kInputWeights + index, inputSize);
            return fixed16::saturate(toGate(static_cast<std::int32_t>(sum)));
        };
        for (std::size_t u = 0; u < units; ++u) {
            const std::int16_t in = fixed16::logistic(gate(kInputGate, u), kGateIntegerBits);
            const std::int16_t forget = fixed16::logistic(gate(kForgetGate, u), kGateIntegerBits);
            const std::int16_t cell = fixed16::tanh(gate(kCellGate, u), kGateIntegerBits);
            const std::int16_t out = fixed16::logistic(gate(kOutputGate, u), kGateIntegerBits);
            const std::int16_t added =
                fixed16::shiftRight(fixed16::multiply(in, cell), kStateIntegerBits);
            const std::int16_t kept = fixed16::multiply(forget, state[u]);
            newState[u] = fixed16::saturate(std::int64_t{added} + kept);
            const std::int16_t result =
                fixed16::multiply(out, fixed16::tanh(newState[u], kStateIntegerBits));
            newOutput[u] = static_cast<std::uint8_t>(
                128 + std::clamp<std::int32_t>(fixed16::shiftRight(result, 8), -128, 127));
            if (operation.isOutOfTime(4 * (inputSize + units))) {
                return {};
            }
        }
        std::copy_n(newState, units, operation.outputs[0].as<std::int16_t>() + b * units);
        std::copy_n(newOutput, units, operation.outputs[1].as<std::uint8_t>() + b * units);
    }
    return {};
}

}  // namespace quantized_16bit_lstm
}  // namespace

constinit const OperationDefinition kQuantized16bitLstm{
    .type = OperationType::QUANTIZED_16BIT_LSTM,
    .since = HalVersion::V1_2,
    .check = quantized_16bit_lstm::check,
    .inferShapes = quantized_16bit_lstm::inferShapes,
    .scratchBytes = quantized_16bit_lstm::scratchBytes,
    .run = quantized_16bit_lstm::run,
};

}  // namespace nnburst::exec
