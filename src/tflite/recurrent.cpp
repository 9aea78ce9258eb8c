// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converters of recurrent operators for one step. Their states, variable tensors in TFLite, are
/// inputs and outputs of the HAL's operations.

#include "tflite/recurrent.h"

#include "memory/checked_math.h"
#include "model/operand_info.h"
#include "tflite/converters.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

namespace {

constexpr OperandType kFloat = OperandType::TENSOR_FLOAT32;

/// INT8 weights as the HAL's QUANTIZED_LSTM requires them; left out if they are in the file.
Result<std::uint32_t> symmetricWeights(OperatorImport& lstm, std::size_t index) {
    if (!lstm.has(index)) {
        return lstm.omitted(OperandType::TENSOR_QUANT8_SYMM);
    }
    const Operand weights = lstm.operand(lstm.input(index));
    if (weights.type != OperandType::TENSOR_QUANT8_ASYMM_SIGNED || weights.zeroPoint != 0 ||
        !lstm.isConstant(index)) {
        return invalid("input {} of type {}, zero point {}: must be a constant of INT8 with 0",
                       index, toString(weights.type), weights.zeroPoint);
    }
    return lstm.constant(OperandType::TENSOR_QUANT8_SYMM, weights.dimensions,
                         lstm.constantBytes(index), weights.scale);
}

/// Scale and zero point of an intermediate result of a quantised LSTM.
Result<Operand> intermediate(OperatorImport& lstm, std::uint32_t index) {
    constexpr std::uint32_t kIntermediates = 5;
    const auto* intermediates = lstm.declaration().intermediates();
    if (sizeOf(intermediates) != kIntermediates) {
        return invalid("{} intermediate tensors: must be {}", sizeOf(intermediates),
                       kIntermediates);
    }
    return lstm.tensors().contents().quantization(intermediates->Get(index));
}

Result<> convertQuantizedLstm(OperatorImport& lstm, const schema::LSTMOptions& options) {
    NNBURST_TRY_ASSIGN(std::vector<std::uint32_t> inputs,
                       quantizedLstmInputs(lstm, options.fused_activation_function(),
                                           options.cell_clip(), options.proj_clip()));
    lstm.inferOutputShape({sizeAt(lstm.shape(0), 0), sizeAt(lstm.shape(kOutputState), 1)});
    NNBURST_TRY_ASSIGN(const std::uint32_t outputState, lstm.nextState(kOutputState));
    NNBURST_TRY_ASSIGN(const std::uint32_t cellState, lstm.nextState(kCellState));
    lstm.add(OperationType::QUANTIZED_LSTM, std::move(inputs),
             {outputState, cellState, lstm.output()});
    return {};
}

}  // namespace

Result<std::vector<std::uint32_t>> floatInputs(OperatorImport& recurrent, std::size_t begin,
                                               std::size_t end) {
    std::vector<std::uint32_t> operands;
    for (std::size_t i = begin; i < end; ++i) {
        if (!recurrent.has(i)) {
            operands.push_back(recurrent.omitted(kFloat));
            continue;
        }
        if (i != 0) {
            NNBURST_TRY(recurrent.readAsSigned(i));
        }
        const std::uint32_t operand = i == 0 ? recurrent.input(i) : recurrent.floatInput(i);
        if (const OperandType type = recurrent.operand(operand).type; type != kFloat) {
            return invalid("input {} of type {} is not supported: must be TENSOR_FLOAT32", i,
                           toString(type));
        }
        operands.push_back(operand);
    }
    return operands;
}

Result<std::uint32_t> recurrentActivation(OperatorImport& recurrent,
                                          schema::ActivationFunctionType activation) {
    constexpr std::int32_t kHalTanh = 4;
    return activation == schema::ActivationFunctionType::TANH ? recurrent.scalar(kHalTanh)
                                                              : recurrent.activation(activation);
}

Result<> addLayerNorm(OperatorImport& lstm, std::vector<std::uint32_t>& inputs) {
    constexpr std::size_t kEnd = kFirstLayerNormWeights + kLayerNormWeights;
    bool isNormalized = false;
    for (std::size_t i = kFirstLayerNormWeights; i < kEnd; ++i) {
        isNormalized = isNormalized || lstm.has(i);
    }
    if (isNormalized) {
        NNBURST_TRY_ASSIGN(const auto weights, floatInputs(lstm, kFirstLayerNormWeights, kEnd));
        inputs.insert(inputs.end(), weights.begin(), weights.end());
    }
    return {};
}

Result<std::vector<std::uint32_t>> quantizedLstmInputs(OperatorImport& lstm,
                                                       schema::ActivationFunctionType activation,
                                                       float cellClip, float projectionClip) {
    constexpr std::size_t kFirstPeephole = 9;
    constexpr std::size_t kFirstBias = 12;
    constexpr std::size_t kProjection = 16;
    constexpr std::size_t kProjectionBias = 17;
    constexpr std::uint32_t kGates = 4;
    if (activation != schema::ActivationFunctionType::TANH) {
        return invalid("fused activation {} of a quantised LSTM: must be TANH",
                       static_cast<int>(activation));
    }
    std::vector<std::uint32_t> inputs{lstm.input(0)};
    for (std::size_t i = kInputToInputWeights; i < kFirstPeephole; ++i) {
        NNBURST_TRY_ASSIGN(const std::uint32_t weights, symmetricWeights(lstm, i));
        inputs.push_back(weights);
    }
    for (std::size_t i = kFirstPeephole; i < kFirstBias; ++i) {
        inputs.push_back(lstm.optionalInput(i, OperandType::TENSOR_QUANT16_SYMM));
    }
    for (std::size_t i = kFirstBias; i < kProjection; ++i) {
        inputs.push_back(lstm.optionalInput(i, OperandType::TENSOR_INT32));
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t projection, symmetricWeights(lstm, kProjection));
    inputs.insert(inputs.end(),
                  {projection, lstm.optionalInput(kProjectionBias, OperandType::TENSOR_INT32),
                   lstm.input(kOutputState), lstm.input(kCellState)});
    bool isNormalized = false;
    for (std::size_t i = 0; i < kLayerNormWeights; ++i) {
        const std::size_t index = kFirstLayerNormWeights + i;
        isNormalized = isNormalized || lstm.has(index);
        inputs.push_back(lstm.optionalInput(index, OperandType::TENSOR_QUANT16_SYMM));
    }
    inputs.push_back(lstm.scalar(cellClip));
    inputs.push_back(lstm.scalar(projectionClip));
    for (std::uint32_t gate = 0; gate < kGates; ++gate) {
        // Without layer normalisation the gates have 12 fractional bits.
        float scale = 0x1p-12F;
        if (isNormalized) {
            NNBURST_TRY_ASSIGN(const Operand gateTensor, intermediate(lstm, gate));
            scale = gateTensor.scale;
        }
        inputs.push_back(lstm.scalar(scale));
    }
    NNBURST_TRY_ASSIGN(const Operand hidden, intermediate(lstm, kGates));
    inputs.push_back(lstm.scalar(hidden.zeroPoint));
    inputs.push_back(lstm.scalar(hidden.scale));
    return inputs;
}

Result<> convertLstm(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::LSTMOptions>());
    if (options->kernel_type() != schema::LSTMKernelType::FULL) {
        return convertBasicLstm(op);
    }
    if (op.inputCount() <= kCellState || op.outputCount() != 1) {
        return invalid("{} inputs and {} outputs of the full kernel: must be {} to {} and 1",
                       op.inputCount(), op.outputCount(), kCellState + 1,
                       kFirstLayerNormWeights + kLayerNormWeights);
    }
    if (op.type(0) == OperandType::TENSOR_QUANT8_ASYMM_SIGNED) {
        return convertQuantizedLstm(op, *options);
    }
    const std::uint32_t batches = sizeAt(op.shape(0), 0);
    const std::uint32_t cells = sizeAt(op.shape(kCellState), 1);
    const std::uint32_t outputSize = sizeAt(op.shape(kOutputState), 1);
    // An input gate that is coupled to the forget gate is not computed.
    const std::uint32_t gates = op.has(kInputToInputWeights) ? 4 : 3;
    op.inferOutputShape({batches, outputSize});

    NNBURST_TRY_ASSIGN(std::vector<std::uint32_t> inputs, floatInputs(op, 0, kCellState + 1));
    NNBURST_TRY_ASSIGN(const std::uint32_t activation,
                       recurrentActivation(op, options->fused_activation_function()));
    inputs.push_back(activation);
    inputs.push_back(op.scalar(options->cell_clip()));
    inputs.push_back(op.scalar(options->proj_clip()));
    NNBURST_TRY(addLayerNorm(op, inputs));

    const auto scratchSize = checkedMultiply(cells, gates);
    if (!scratchSize) {
        return invalid("{} cells of {} gates: must be less than 2^32 gates", cells, gates);
    }
    const std::uint32_t scratch = op.temporary(kFloat, {batches, *scratchSize});
    NNBURST_TRY_ASSIGN(const std::uint32_t outputState, op.nextState(kOutputState));
    NNBURST_TRY_ASSIGN(const std::uint32_t cellState, op.nextState(kCellState));
    op.add(operation, std::move(inputs), {scratch, outputState, cellState, op.output()});
    return {};
}

Result<> convertRnn(OperatorImport& op, OperationType operation) {
    constexpr std::size_t kHiddenState = 4;
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::RNNOptions>());
    op.inferOutputShape({sizeAt(op.shape(0), 0), sizeAt(op.shape(1), 0)});

    NNBURST_TRY_ASSIGN(std::vector<std::uint32_t> inputs, floatInputs(op, 0, kHiddenState + 1));
    NNBURST_TRY_ASSIGN(const std::uint32_t activation,
                       recurrentActivation(op, options->fused_activation_function()));
    inputs.push_back(activation);
    NNBURST_TRY_ASSIGN(const std::uint32_t nextState, op.nextState(kHiddenState));
    op.add(operation, std::move(inputs), {nextState, op.output()});
    return {};
}

Result<> convertSvdf(OperatorImport& op, OperationType operation) {
    constexpr std::size_t kWeightsFeature = 1;
    constexpr std::size_t kState = 4;
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::SVDFOptions>());
    const std::int32_t rank = options->rank();
    if (rank < 1) {
        return invalid("rank {}: must be at least 1", rank);
    }
    const std::uint32_t filters = sizeAt(op.shape(kWeightsFeature), 0);
    op.inferOutputShape({sizeAt(op.shape(0), 0), filters / static_cast<std::uint32_t>(rank)});

    NNBURST_TRY_ASSIGN(std::vector<std::uint32_t> inputs, floatInputs(op, 0, kState + 1));
    NNBURST_TRY_ASSIGN(const std::uint32_t activation,
                       recurrentActivation(op, options->fused_activation_function()));
    inputs.push_back(op.scalar(rank));
    inputs.push_back(activation);
    NNBURST_TRY_ASSIGN(const std::uint32_t nextState, op.nextState(kState));
    op.add(operation, std::move(inputs), {nextState, op.output()});
    return {};
}

}  // namespace nnburst::tflite
