// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Capabilities as a driver keeps them from the calibration to every later start: a JSON file.

#include <string>

#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::device {

/// The operand types of HAL 1.3 that values have: each has a figure.
inline constexpr OperandType kFirstOperandType = OperandType::FLOAT32;
inline constexpr OperandType kLastOperandType = OperandType::TENSOR_QUANT8_ASYMM_SIGNED;

/// 1.0 everywhere: what a driver reports that was not calibrated.
[[nodiscard]] Capabilities uncalibrated();

/// GENERAL_FAILURE if the file cannot be written.
[[nodiscard]] Result<> writeCapabilities(const Capabilities& capabilities, const std::string& file);

/// INVALID_ARGUMENT names the file and what is missing in it or wrong: every figure must be there
/// and more than 0.
[[nodiscard]] Result<Capabilities> readCapabilities(const std::string& file);

}  // namespace nnburst::device
