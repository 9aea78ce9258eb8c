// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Computes outputs from constant inputs at import. Each function makes output 0, whose shape is
/// known, a constant if the inputs allow it, and returns whether it did so.

#include <cstdint>

#include "nnburst/result.h"
#include "tflite/operator_import.h"

namespace nnburst::tflite {

/// If inputs 0 and 1 are constants of integers of the same shape, or one is a single element, and
/// all results of `combine` are numbers of 32 bits.
[[nodiscard]] Result<bool> foldIntegers(OperatorImport& op,
                                        std::int64_t (*combine)(std::int64_t, std::int64_t));
/// The same of FLOAT32.
[[nodiscard]] Result<bool> foldReals(OperatorImport& op, float (*combine)(float, float));
/// If input 0 is a constant of FLOAT32.
[[nodiscard]] Result<bool> foldReals(OperatorImport& op, float (*function)(float));

}  // namespace nnburst::tflite
