// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Describes a model to a reader who only has its file. Pure functions.

#include <string>

#include "nnburst/tflite.h"

namespace nnburst::run {

/// "TENSOR_QUANT8_ASYMM 1x224x224x3, scale 0.0078125, zero point 128".
[[nodiscard]] std::string operandText(const Operand& operand);

/// Inputs, outputs, states, operations by type, parameters and their memory, the largest memory
/// that values between operations take.
[[nodiscard]] std::string summaryOf(const TfliteModel& model);

}  // namespace nnburst::run
