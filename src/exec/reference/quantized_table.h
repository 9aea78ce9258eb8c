// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Functions of one 8-bit element as tables of their 256 results.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "exec/operation/activation.h"
#include "exec/operation/operation.h"

namespace nnburst::exec {

/// The element of a quantised `output` nearest to `real`, ties away from zero.
[[nodiscard]] inline std::int32_t quantize(float real, const OperandView& output) noexcept {
    const QuantizedRange limits = quantizedLimits(output.type);
    const float steps = std::round(real / output.scale) + static_cast<float>(output.zeroPoint);
    // Compared as floats: NaN and what 32 bits cannot hold must not be converted.
    if (!(steps > static_cast<float>(limits.minimum))) {
        return limits.minimum;
    }
    return steps >= static_cast<float>(limits.maximum) ? limits.maximum
                                                       : static_cast<std::int32_t>(steps);
}

[[nodiscard]] inline float dequantize(std::int32_t element, const OperandView& input) noexcept {
    return static_cast<float>(element - input.zeroPoint) * input.scale;
}

/// A function of elements `T` (std::uint8_t or std::int8_t).
template <class T>
class QuantizedTable {
  public:
    /// `function` maps real numbers, from the scale of `input` to that of `output`.
    template <class Function>
    QuantizedTable(const OperandView& input, const OperandView& output,
                   Function&& function) noexcept {
        for (std::int32_t index = 0; index < 256; ++index) {
            const auto element = static_cast<T>(index);
            results_[static_cast<std::size_t>(index)] =
                static_cast<T>(quantize(function(dequantize(element, input)), output));
        }
    }

    [[nodiscard]] T operator()(T element) const noexcept {
        return results_[static_cast<std::uint8_t>(element)];
    }

  private:
    std::array<T, 256> results_;
};

}  // namespace nnburst::exec
