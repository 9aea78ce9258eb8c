// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Standard architectures with seeded random weights, for benchmarks and demos that need no file.
/// The same arguments give the same model, bit for bit, on every machine.

#include <cstdint>

#include "nnburst/export.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

enum class BuiltinPrecision : std::uint8_t { FLOAT32, QUANT8 };

/// MobileNet v1 (arXiv 1704.04861): a convolution, 13 pairs of depthwise and pointwise
/// convolutions, global average pooling, 1001 classes, softmax.
struct MobileNetV1Options {
    /// Multiplier of the channels, in (0, 4]; channels round down to at least 8.
    float width = 0.25F;
    std::uint32_t resolution = 128;  ///< height and width of the input, a multiple of 32
    BuiltinPrecision precision = BuiltinPrecision::FLOAT32;
    std::uint32_t seed = 1;
};

/// One input [1, resolution, resolution, 3], one output [1, 1001]. QUANT8 is the same network as
/// FLOAT32: its input has scale 1/128 and zero point 128, its output scale 1/256 and zero point 0.
/// INVALID_ARGUMENT for options out of their range.
[[nodiscard]] NNBURST_EXPORT Result<Model> makeMobileNetV1(const MobileNetV1Options& options = {});

/// MobileNet v2 (arXiv 1801.04381): a convolution, 17 inverted residual blocks, a convolution,
/// global average pooling, 1001 classes, softmax.
struct MobileNetV2Options {
    /// Multiplier of the channels, in (0, 4]; channels round down to at least 8.
    float width = 0.25F;
    std::uint32_t resolution = 128;  ///< height and width of the input, a multiple of 32
    BuiltinPrecision precision = BuiltinPrecision::FLOAT32;
    std::uint32_t seed = 1;
};

/// Inputs, outputs and errors as makeMobileNetV1.
[[nodiscard]] NNBURST_EXPORT Result<Model> makeMobileNetV2(const MobileNetV2Options& options = {});

/// One step of a small recurrent network: a fully connected layer, an LSTM, a fully connected
/// layer.
struct StreamingLstmOptions {
    std::uint32_t features = 64;  ///< of input and output, 1 to kMaximumStreamingLstmSize
    std::uint32_t cells = 128;    ///< of the LSTM, 1 to kMaximumStreamingLstmSize
    std::uint32_t seed = 1;
};

/// With this limit the largest model, which has 8 matrices of this size squared, stays below 600
/// MB.
inline constexpr std::uint32_t kMaximumStreamingLstmSize = 4096;

/// Inputs: features [1, features], output state [1, cells], cell state [1, cells]. Outputs:
/// features [1, features], and the two states to be fed back. FLOAT32.
/// INVALID_ARGUMENT for options out of their range.
[[nodiscard]] NNBURST_EXPORT Result<Model> makeStreamingLstm(
    const StreamingLstmOptions& options = {});

}  // namespace nnburst
