// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converters of recurrent operators. Their states, variable tensors in TFLite, are inputs and
/// outputs of the HAL's operations.

#include "memory/checked_math.h"
#include "model/tflite_operator.h"

namespace nnburst::tflite {

namespace {

/// Inputs of LSTM, the same in TFLite and in the HAL up to the states (HAL 1.0 types.hal, LSTM).
constexpr std::size_t kInputToInputWeights = 1;
constexpr std::size_t kOutputState = 18;
constexpr std::size_t kCellState = 19;
constexpr std::size_t kFirstLayerNormWeights = 20;  // TFLite; in the HAL after the clips
constexpr std::size_t kLayerNormWeights = 4;

/// The kernels of the HAL compute in floating point alone.
Result<> requireFloat(OperatorImport& recurrent, std::size_t inputs) {
    for (std::size_t i = 0; i < inputs; ++i) {
        if (recurrent.has(i) && recurrent.type(i) != OperandType::TENSOR_FLOAT32) {
            return invalid("input {} of type {} is not supported: must be TENSOR_FLOAT32", i,
                           toString(recurrent.type(i)));
        }
    }
    return {};
}

/// The size of axis `axis`; 0 if it is unknown.
std::uint32_t sizeAt(const Dimensions& dimensions, std::size_t axis) {
    return axis < dimensions.size() ? dimensions[axis] : 0;
}

/// The HAL's LSTM takes more activations than other operations, with codes of its own.
Result<std::uint32_t> lstmActivation(OperatorImport& lstm,
                                     schema::ActivationFunctionType activation) {
    constexpr std::int32_t kHalTanh = 4;
    return activation == schema::ActivationFunctionType::TANH ? lstm.scalar(kHalTanh)
                                                              : lstm.activation(activation);
}

}  // namespace

Result<> convertLstm(OperatorImport& lstm, OperationType operation) {
    constexpr OperandType kFloat = OperandType::TENSOR_FLOAT32;
    NNBURST_TRY_ASSIGN(const auto* options, lstm.options<schema::LSTMOptions>());
    if (options->kernel_type() != schema::LSTMKernelType::FULL) {
        return invalid("the BASIC kernel is not supported");
    }
    NNBURST_TRY(requireFloat(lstm, kFirstLayerNormWeights + kLayerNormWeights));
    const std::uint32_t batches = sizeAt(lstm.shape(0), 0);
    const std::uint32_t cells = sizeAt(lstm.shape(kCellState), 1);
    const std::uint32_t outputSize = sizeAt(lstm.shape(kOutputState), 1);
    // An input gate that is coupled to the forget gate has no values of its own.
    const std::uint32_t gates = lstm.has(kInputToInputWeights) ? 4 : 3;
    lstm.inferOutputShape({batches, outputSize});

    std::vector<std::uint32_t> inputs;
    for (std::size_t i = 0; i <= kCellState; ++i) {
        inputs.push_back(lstm.optionalInput(i, kFloat));
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t activation,
                       lstmActivation(lstm, options->fused_activation_function()));
    inputs.push_back(activation);
    inputs.push_back(lstm.scalar(options->cell_clip()));
    inputs.push_back(lstm.scalar(options->proj_clip()));
    bool isNormalized = false;
    for (std::size_t i = 0; i < kLayerNormWeights; ++i) {
        isNormalized = isNormalized || lstm.has(kFirstLayerNormWeights + i);
    }
    for (std::size_t i = 0; isNormalized && i < kLayerNormWeights; ++i) {
        inputs.push_back(lstm.optionalInput(kFirstLayerNormWeights + i, kFloat));
    }

    const auto scratchSize = checkedMultiply(cells, gates);
    if (!scratchSize) {
        return invalid("{} cells: too many", cells);
    }
    const std::uint32_t scratch = lstm.temporary(kFloat, {batches, *scratchSize});
    NNBURST_TRY_ASSIGN(const std::uint32_t outputState, lstm.nextState(kOutputState));
    NNBURST_TRY_ASSIGN(const std::uint32_t cellState, lstm.nextState(kCellState));
    lstm.add(operation, std::move(inputs), {scratch, outputState, cellState, lstm.output()});
    return {};
}

Result<> convertRnn(OperatorImport& rnn, OperationType operation) {
    constexpr std::size_t kHiddenState = 4;
    NNBURST_TRY_ASSIGN(const auto* options, rnn.options<schema::RNNOptions>());
    NNBURST_TRY(requireFloat(rnn, kHiddenState + 1));
    rnn.inferOutputShape({sizeAt(rnn.shape(0), 0), sizeAt(rnn.shape(1), 0)});

    NNBURST_TRY_ASSIGN(const std::uint32_t activation,
                       rnn.activation(options->fused_activation_function()));
    NNBURST_TRY_ASSIGN(const std::uint32_t nextState, rnn.nextState(kHiddenState));
    rnn.add(operation,
            {rnn.input(0), rnn.input(1), rnn.input(2), rnn.input(3), rnn.input(kHiddenState),
             activation},
            {nextState, rnn.output()});
    return {};
}

}  // namespace nnburst::tflite
