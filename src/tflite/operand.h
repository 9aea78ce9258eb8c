// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The type of a tensor of a TFLite file as a type of the HAL. Pure functions.

#include <tflite_generated.h>

#include <cstdint>
#include <string>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::tflite {

/// Type, scale, zero point and extra parameters of a tensor with these dimensions. INT64 becomes
/// TENSOR_INT32: the caller checks that the values fit. INT4 becomes INT8. 8 and 16 bits that are
/// not quantised get scale 1 and zero point 0. Scales of 0, which the HAL does not have, become
/// others: the caller checks the elements (channelsOfScaleZero). The error does not name the
/// tensor.
[[nodiscard]] Result<Operand> typeOf(const schema::Tensor& tensor, Dimensions dimensions);

/// The channels that have scale 0 in the file, of tensors of 8 bits or less; channel 0 if there is
/// one scale for all. TFLite computes with 0 for all their elements.
[[nodiscard]] std::vector<std::uint32_t> channelsOfScaleZero(const schema::Tensor& tensor);

/// The name of a type; its code if it has none.
[[nodiscard]] std::string typeText(schema::TensorType type);

}  // namespace nnburst::tflite
