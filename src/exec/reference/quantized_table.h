// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Functions of one 8-bit element as tables of their 256 results.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "exec/operation/activation.h"
#include "exec/operation/operation.h"

namespace nnburst::exec {

/// Gives the element of a quantised output that is nearest to a real number, ties away from zero;
/// NaN gives the lowest one. Without branches and calls, so that the compiler makes vectors of a
/// loop of it.
class Quantizer {
  public:
    explicit Quantizer(const OperandView& output) noexcept
        : scale_(output.scale),
          zeroPoint_(output.zeroPoint),
          limits_(quantizedLimits(output.type)) {}

    [[nodiscard]] std::int32_t operator()(float real) const noexcept {
        // Compared as integers: loops with comparisons of floats, which may trap, stay scalar.
        constexpr auto kInfinity = std::bit_cast<std::int32_t>(HUGE_VALF);
        // From here on every zero point leaves the result at an end of its range.
        constexpr auto kLimit = std::bit_cast<std::int32_t>(1024.0F);
        const auto twice = std::bit_cast<std::int32_t>(2.0F * (real / scale_));
        const std::int32_t magnitude = twice & INT32_MAX;
        const bool isNegative = twice < 0 || magnitude > kInfinity;
        const auto halves =
            static_cast<std::int32_t>(std::bit_cast<float>(std::min(magnitude, kLimit)));
        const std::int32_t steps = (halves + 1) / 2;
        return std::clamp(zeroPoint_ + (isNegative ? -steps : steps), limits_.minimum,
                          limits_.maximum);
    }

  private:
    float scale_;
    std::int32_t zeroPoint_;
    QuantizedRange limits_;
};

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
        const Quantizer quantize(output);
        for (std::int32_t index = 0; index < 256; ++index) {
            const auto element = static_cast<T>(index);
            results_[static_cast<std::size_t>(index)] =
                static_cast<T>(quantize(function(dequantize(element, input))));
        }
    }

    [[nodiscard]] T operator()(T element) const noexcept {
        return results_[static_cast<std::uint8_t>(element)];
    }

  private:
    std::array<T, 256> results_;
};

}  // namespace nnburst::exec
