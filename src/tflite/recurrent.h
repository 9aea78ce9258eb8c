// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What converters of recurrent operators have in common.

#include "tflite/operator_import.h"

namespace nnburst::tflite {

/// Inputs of LSTM, the same in TFLite and in the HAL up to the states (HAL 1.0 types.hal, LSTM).
inline constexpr std::size_t kInputToInputWeights = 1;
inline constexpr std::size_t kOutputState = 18;
inline constexpr std::size_t kCellState = 19;
inline constexpr std::size_t kFirstLayerNormWeights = 20;  // in TFLite
inline constexpr std::size_t kLayerNormWeights = 4;

/// The inputs from `begin` up to `end`, in TENSOR_FLOAT32, because the HAL's kernels compute with
/// weights of the input's type. Inputs that are left out stay so. Input 0 must not be quantised.
[[nodiscard]] Result<std::vector<std::uint32_t>> floatInputs(OperatorImport& recurrent,
                                                             std::size_t begin, std::size_t end);

/// The inputs of the HAL's QUANTIZED_LSTM, which computes one step with activations of INT8 and
/// cells of INT16. Those that the operator has come first, with the same indices.
[[nodiscard]] Result<std::vector<std::uint32_t>> quantizedLstmInputs(
    OperatorImport& lstm, schema::ActivationFunctionType activation, float cellClip,
    float projectionClip);

/// A scalar operand with the HAL's code of `activation`: recurrent operations take TANH, too.
[[nodiscard]] Result<std::uint32_t> recurrentActivation(OperatorImport& recurrent,
                                                        schema::ActivationFunctionType activation);

/// Converts an LSTM with the basic kernel (basic_lstm.cpp).
Result<> convertBasicLstm(OperatorImport& op);

/// Adds the weights of layer normalisation, if there are any.
Result<> addLayerNorm(OperatorImport& lstm, std::vector<std::uint32_t>& inputs);

}  // namespace nnburst::tflite
