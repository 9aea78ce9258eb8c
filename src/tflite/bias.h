// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The bias of convolutions and fully connected layers, in the shape and scale that the HAL
/// requires.

#include <cstddef>
#include <cstdint>

#include "nnburst/result.h"
#include "tflite/operator_import.h"

namespace nnburst::tflite {

/// The bias that is input `index`, or zeros if it is left out, for sums of products of elements of
/// inputs `factor` and `weights`. It has one dimension, one element for each of `channels` and the
/// scale of the products. Of channels whose weights have scale 0 in the file, the bias is 0 if it
/// is quantised: TFLite's kernels multiply it by that scale.
[[nodiscard]] Result<std::uint32_t> biasOf(OperatorImport& op, std::size_t index,
                                           std::size_t factor, std::size_t weights,
                                           std::uint32_t channels);

}  // namespace nnburst::tflite
