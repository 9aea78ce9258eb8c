// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The capabilities that a calibration measured, in a JSON file for later starts of the driver.

#include <string>

#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::device {

/// The operand types of HAL 1.3 that have values: each has a performance value.
inline constexpr OperandType kFirstOperandType = OperandType::FLOAT32;
inline constexpr OperandType kLastOperandType = OperandType::TENSOR_QUANT8_ASYMM_SIGNED;

/// Capabilities with 1.0 everywhere: what a driver without calibration reports.
[[nodiscard]] Capabilities uncalibrated();

/// GENERAL_FAILURE if no file can be made where `file` will be: to be asked before measuring.
[[nodiscard]] Result<> checkWritable(const std::string& file);

/// GENERAL_FAILURE if the file cannot be written.
[[nodiscard]] Result<> writeCapabilities(const Capabilities& capabilities, const std::string& file);

/// INVALID_ARGUMENT names the file and what is missing or wrong in it: every performance value must
/// be given and more than 0.
[[nodiscard]] Result<Capabilities> readCapabilities(const std::string& file);

}  // namespace nnburst::device
