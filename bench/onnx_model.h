// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Networks of the HAL in the form that ONNX Runtime reads, so that both compute the same.

#include <string>

#include "nnburst/types.h"

namespace nnburst::bench {

/// `model`, a MobileNet as makeMobileNetV1 and makeMobileNetV2 give it, as an ONNX file: layout
/// NCHW, operators of float32 or QLinear ones of 8 bits. Ends the program with a message for other
/// models.
[[nodiscard]] std::string toOnnx(const Model& model);

/// `model`, one of 8 bits, with signed filters that have a scale for each channel. The values of
/// the filters are rounded.
[[nodiscard]] Model withSignedFilters(Model model);

}  // namespace nnburst::bench
