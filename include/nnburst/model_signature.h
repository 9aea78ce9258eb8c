// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Names, types and dimensions of a model's inputs and outputs, for a `Session` (session.h). Plain
/// values.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "nnburst/export.h"
#include "nnburst/types.h"

namespace nnburst {

struct TfliteModel;  // tflite.h

/// An input or output of a model.
struct NamedOperand {
    std::string name;
    OperandType type = OperandType::TENSOR_FLOAT32;
    Dimensions dimensions;  ///< 0 is a size that the model leaves unspecified
    float scale = 0.0F;     ///< real value = scale * (value - zeroPoint)
    std::int32_t zeroPoint = 0;

    bool operator==(const NamedOperand&) const = default;
};

/// A value that a recurrent model gives to its next run: output `output` becomes input `input`. At
/// first all its bytes are 0, or the zero point if its type is TENSOR_QUANT8_ASYMM_SIGNED.
struct ModelState {
    std::uint32_t input = 0;
    std::uint32_t output = 0;
};

/// Dimensions of inputs, by name.
using InputDimensions = std::map<std::string, Dimensions, std::less<>>;

/// All inputs and outputs of a model, in the model's order.
struct ModelSignature {
    std::vector<NamedOperand> inputs;
    std::vector<NamedOperand> outputs;
    std::vector<ModelState> states;
};

/// The signature of `model`, which is valid. A model has neither names nor declared states: inputs
/// are named "input0", "input1" and so on, outputs "output0" and so on. The application may change
/// these names and add states.
[[nodiscard]] NNBURST_EXPORT ModelSignature signatureOf(const Model& model);

/// The same with the names and the states of the file.
[[nodiscard]] NNBURST_EXPORT ModelSignature signatureOf(const TfliteModel& model);

/// `TENSOR_FLOAT32 "image" of dimensions 1x128x128x3`, for messages.
[[nodiscard]] NNBURST_EXPORT std::string toString(const NamedOperand& operand);

}  // namespace nnburst
