// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Activations of 16 bits, TENSOR_QUANT16_SYMM, which few operations of the HAL take. Those of our
/// extension compute as TFLite does, with weights of 8 bits. What it does not have is computed in
/// floating point.

#include <cstdint>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::tflite {

class OperatorImport;
class TensorMap;
struct PlannedOperation;

/// Whether any of these operands is a tensor of 16 bits.
[[nodiscard]] bool have16Bits(TensorMap& tensors, const std::vector<std::uint32_t>& operands);

/// Makes `planned`, an operation of the HAL that computes with tensors of 16 bits, an operation of
/// our extension. Returns false if the extension has none.
[[nodiscard]] bool planIn16Bits(TensorMap& tensors, PlannedOperation& planned);

/// The inputs of the operator that a layer has.
struct LayerInputs {
    std::size_t tensor = 0;
    std::size_t weights = 1;
    std::size_t bias = 2;  ///< may be left out
};

/// The inputs of a layer of our extension with weights of 8 bits, of which more may follow. Weights
/// that are quantised per channel have their scales along `channelAxis`. `hasWideSums`: TFLite
/// multiplies sums of 64 bits by factors of 16.
[[nodiscard]] Result<std::vector<std::uint32_t>> inputsOfLayer16x8(
    OperatorImport& op, std::uint32_t channels, std::uint32_t channelAxis, std::uint32_t activation,
    bool hasWideSums, LayerInputs layer = {});

}  // namespace nnburst::tflite
