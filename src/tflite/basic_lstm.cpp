// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converter of the LSTM operator's basic kernel, which has one matrix of weights for all gates:
///
///     weights [4 * cells, depth + cells], rows: input, cell, forget and output gate,
///                                         columns: for the input, then for the last output
///     bias    [4 * cells]

#include <array>
#include <cstring>

#include "model/operand_info.h"
#include "tflite/recurrent.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

namespace {

constexpr std::size_t kInput = 0;
constexpr std::size_t kLastOutput = 1;
constexpr std::size_t kWeights = 2;
constexpr std::size_t kGateBias = 3;
constexpr std::size_t kLastCells = 4;
constexpr std::size_t kInputs = 5;
/// Outputs.
constexpr std::size_t kResult = 0;
constexpr std::size_t kCells = 1;
constexpr std::size_t kOutputs = 4;  // the last two are scratch memory

/// The HAL's gates (input, forget, cell, output) as block numbers of TFLite's weights.
constexpr std::array<std::uint32_t, 4> kHalGates{0, 2, 1, 3};

/// Part of a constant matrix.
struct Block {
    std::uint32_t row;
    std::uint32_t rows;
    std::uint32_t column;
    std::uint32_t columns;
};

/// A constant with one block of input `index`, a matrix with rows of `stride` elements.
Result<std::uint32_t> blockOf(OperatorImport& op, std::size_t index, std::uint32_t stride,
                              const Block& block, Dimensions dimensions) {
    const Operand matrix = op.operand(op.input(index));
    const auto bytes = op.constantBytes(index);
    const std::size_t element = elementBytes(matrix.type);
    const std::size_t rowBytes = block.columns * element;
    std::vector<std::byte> contents(block.rows * rowBytes);
    for (std::size_t row = 0; row < block.rows; ++row) {
        const std::size_t begin = ((block.row + row) * stride + block.column) * element;
        std::memcpy(contents.data() + row * rowBytes, bytes.data() + begin, rowBytes);
    }
    return op.constant(matrix.type, std::move(dimensions), contents, matrix.scale,
                       matrix.zeroPoint);
}

/// The number of cells, after a check of the shapes.
Result<std::uint32_t> cellsOf(OperatorImport& op) {
    const Dimensions& weights = op.shape(kWeights);
    const Dimensions& bias = op.shape(kGateBias);
    if (!op.isConstant(kWeights) || !op.isConstant(kGateBias)) {
        return invalid("weights and bias: must be constant");
    }
    if (weights.size() != 2 || weights[0] % 4 != 0 || weights[1] <= weights[0] / 4 ||
        bias != Dimensions{weights[0]}) {
        return invalid(
            "weights of shape {}, bias of {}: must have 4 rows for each cell, and a column for "
            "each cell and each input",
            dimensionsText(weights), dimensionsText(bias));
    }
    return weights[0] / 4;
}

}  // namespace

Result<> convertBasicLstm(OperatorImport& op) {
    if (op.inputCount() != kInputs || op.outputCount() != kOutputs || !op.has(kLastOutput)) {
        return invalid("{} inputs and {} outputs of the basic kernel: must be {} and {}",
                       op.inputCount(), op.outputCount(), kInputs, kOutputs);
    }
    const OperandType type = op.type(kInput);
    const bool isFloat = type == OperandType::TENSOR_FLOAT32;
    const OperandType biasType = isFloat ? type : OperandType::TENSOR_INT32;
    if ((!isFloat && type != OperandType::TENSOR_QUANT8_ASYMM) || op.type(kWeights) != type ||
        op.type(kGateBias) != biasType) {
        return invalid("input of type {}, weights of {}, bias of {} are not supported",
                       toString(type), toString(op.type(kWeights)), toString(op.type(kGateBias)));
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t cells, cellsOf(op));
    const std::uint32_t stride = op.shape(kWeights)[1];
    const std::uint32_t depth = stride - cells;

    // QUANTIZED_16BIT_LSTM joins its matrices as [recurrent weights, input weights], but multiplies
    // them by [input, last output]. So its recurrent weights are the first columns.
    const Block ofInput{.column = isFloat ? 0 : cells, .columns = depth};
    const Block ofLastOutput{.column = isFloat ? depth : 0, .columns = cells};
    std::vector<std::uint32_t> weights;
    for (const Block columns : {ofInput, ofLastOutput}) {
        for (const std::uint32_t gate : kHalGates) {
            const Block block{gate * cells, cells, columns.column, columns.columns};
            NNBURST_TRY_ASSIGN(const std::uint32_t part,
                               blockOf(op, kWeights, stride, block, {cells, columns.columns}));
            weights.push_back(part);
        }
    }
    std::vector<std::uint32_t> biases;
    for (const std::uint32_t gate : kHalGates) {
        NNBURST_TRY_ASSIGN(const std::uint32_t part,
                           blockOf(op, kGateBias, 1, {gate * cells, cells, 0, 1}, {cells}));
        biases.push_back(part);
    }

    const std::uint32_t batches = sizeAt(op.shape(kInput), 0);
    op.inferOutputShape({batches, cells}, kResult);
    op.inferOutputShape({batches, cells}, kCells);
    std::vector<std::uint32_t> inputs{op.input(kInput)};
    inputs.insert(inputs.end(), weights.begin(), weights.end());
    if (isFloat) {
        constexpr std::size_t kPeepholes = 3;
        constexpr std::size_t kProjections = 2;
        constexpr std::int32_t kHalTanh = 4;
        constexpr float kNoClip = 0.0F;
        for (std::size_t i = 0; i < kPeepholes; ++i) {
            inputs.push_back(op.omitted(type));
        }
        inputs.insert(inputs.end(), biases.begin(), biases.end());
        for (std::size_t i = 0; i < kProjections; ++i) {
            inputs.push_back(op.omitted(type));
        }
        inputs.insert(inputs.end(), {op.input(kLastOutput), op.input(kLastCells),
                                     op.scalar(kHalTanh), op.scalar(kNoClip), op.scalar(kNoClip)});
        const std::uint32_t scratch = op.temporary(type, {batches, 4 * cells});
        const std::uint32_t state = op.temporary(type, {batches, cells});
        op.add(OperationType::LSTM, std::move(inputs),
               {scratch, state, op.output(kCells), op.output(kResult)});
    } else {
        inputs.insert(inputs.end(), biases.begin(), biases.end());
        inputs.insert(inputs.end(), {op.input(kLastCells), op.input(kLastOutput)});
        op.add(OperationType::QUANTIZED_16BIT_LSTM, std::move(inputs),
               {op.output(kCells), op.output(kResult)});
    }
    for (std::size_t scratch = kCells + 1; scratch < kOutputs; ++scratch) {
        op.leaveOut(scratch);
    }
    op.setNextState(kLastOutput, op.output(kResult));
    op.setNextState(kLastCells, op.output(kCells));
    return {};
}

}  // namespace nnburst::tflite
