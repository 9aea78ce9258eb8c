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

#include <algorithm>
#include <array>

#include "exec/operation/operation_check.h"
#include "exec/reference/definitions.h"
#include "exec/reference/elements.h"
#include "exec/reference/fixed_point.h"
#include "exec/reference/matrix_sums.h"
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
    const OperandCheck input =
        check.input(0, "input").type({TENSOR_QUANT8_ASYMM}).quantization(unit, 128);
    const OperandCheck weights =
        check.input(kInputWeights, "input weights").type({TENSOR_QUANT8_ASYMM});
    for (std::size_t i = kInputWeights; i < kBiases; ++i) {
        check.input(i, "weights").sameTypeAs(weights).sameQuantizationAs(weights);
    }
    for (std::size_t i = kBiases; i < kCellState; ++i) {
        OperandCheck bias = check.input(i, "bias").type({TENSOR_INT32});
        checkBiasScale(bias, input.view().scale, weights.view().scale);
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

/// For one element of the batch: the sums of products of a gate with the input and with the state,
/// four gates, the cell state and output after the step, and a copy of the input and the output
/// before it.
std::size_t scratchBytes(const OperationView& operation) {
    const std::size_t units = operation.inputs[kInputWeights].shape[0];
    const std::size_t inputSize = operation.inputs[0].shape[1];
    return units * (2 * sizeof(std::int32_t) + (kGates + 1) * sizeof(std::int16_t) +
                    2 * sizeof(std::uint8_t)) +
           inputSize;
}

class Cell {
  public:
    Cell(const OperationView& operation, std::span<std::byte> scratch) noexcept
        : operation_(operation),
          inputSize_(operation.inputs[0].shape[1]),
          units_(operation.inputs[kInputWeights].shape[0]),
          toGate_(4096.0 * operation.inputs[kInputWeights].scale / 128.0) {
        sums_ = reinterpret_cast<std::int32_t*>(scratch.data());
        auto* next = reinterpret_cast<std::int16_t*>(sums_ + 2 * units_);
        for (std::int16_t*& gate : gates_) {
            gate = next;
            next += units_;
        }
        newState_ = next;
        newOutput_ = reinterpret_cast<std::uint8_t*>(newState_ + units_);
        elements_ = newOutput_ + units_;
    }

    /// False if the run is out of time.
    [[nodiscard]] bool step(std::size_t batch) noexcept {
        std::copy_n(operation_.inputs[0].as<const std::uint8_t>() + batch * inputSize_, inputSize_,
                    elements_);
        std::copy_n(operation_.inputs[kOutputBefore].as<const std::uint8_t>() + batch * units_,
                    units_, elements_ + inputSize_);
        const auto* state = operation_.inputs[kCellState].as<const std::int16_t>() + batch * units_;
        for (std::size_t gate = 0; gate < kGates; ++gate) {
            if (!computeGate(gate)) {
                return false;
            }
        }
        forEachElement(operation_, units_, [&](std::size_t u) {
            const std::int16_t added = fixed16::shiftRight(
                fixed16::multiply(gates_[kInputGate][u], gates_[kCellGate][u]), kStateIntegerBits);
            const std::int16_t kept = fixed16::multiply(gates_[kForgetGate][u], state[u]);
            newState_[u] = fixed16::saturate(std::int64_t{added} + kept);
            const std::int16_t result = fixed16::multiply(
                gates_[kOutputGate][u], fixed16::tanh(newState_[u], kStateIntegerBits));
            newOutput_[u] = static_cast<std::uint8_t>(
                128 + std::clamp<std::int32_t>(fixed16::shiftRight(result, 8), -128, 127));
        });
        std::copy_n(newState_, units_, operation_.outputs[0].as<std::int16_t>() + batch * units_);
        std::copy_n(newOutput_, units_, operation_.outputs[1].as<std::uint8_t>() + batch * units_);
        return !operation_.isOutOfTime(units_);
    }

  private:
    [[nodiscard]] bool computeGate(std::size_t gate) noexcept {
        constexpr std::int32_t kZeroPoint = 128;
        std::int32_t* const inputSums = sums_ + units_;
        if (!sumProducts(operation_, kRecurrentWeights + gate, elements_, kZeroPoint, sums_) ||
            !sumProducts(operation_, kInputWeights + gate, elements_ + units_, kZeroPoint,
                         inputSums)) {
            return false;
        }
        const auto* const bias = operation_.inputs[kBiases + gate].as<const std::uint32_t>();
        forEachElement(operation_, units_, [&](std::size_t u) {
            const std::uint32_t sum = bias[u] + static_cast<std::uint32_t>(sums_[u]) +
                                      static_cast<std::uint32_t>(inputSums[u]);
            const std::int16_t value = fixed16::saturate(toGate_(static_cast<std::int32_t>(sum)));
            gates_[gate][u] = gate == kCellGate ? fixed16::tanh(value, kGateIntegerBits)
                                                : fixed16::logistic(value, kGateIntegerBits);
        });
        return !operation_.isOutOfTime(0);
    }

    const OperationView& operation_;
    std::size_t inputSize_;
    std::size_t units_;
    QuantizedMultiplier toGate_;  ///< from the scale of the products to 12 fractional bits
    std::int32_t* sums_;          ///< of the recurrent weights, then of the input weights
    std::array<std::int16_t*, kGates> gates_{};
    std::int16_t* newState_;
    std::uint8_t* newOutput_;
    std::uint8_t* elements_;  ///< the input, then the output before the step
};

Result<> run(const OperationView& operation, std::span<std::byte> scratch) {
    std::array<Shape, 2> shapes;
    NNBURST_TRY(inferShapes(operation, shapes));
    NNBURST_TRY(requireOutputShape(operation, 0, shapes[0]));
    NNBURST_TRY(requireOutputShape(operation, 1, shapes[1]));
    Cell cell(operation, scratch);
    for (std::size_t batch = 0; batch < operation.inputs[0].shape[0]; ++batch) {
        if (!cell.step(batch)) {
            return {};
        }
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
