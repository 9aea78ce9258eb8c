// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The fixed-point arithmetic of TFLite's quantised kernels, to the bit. A factor is
/// value * 2^(shift - 31).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "nnburst/types.h"
#include "tflite_operations/operation.h"

namespace nnburst::tflite_operations {

struct Multiplier {
    std::int32_t value = 0;
    std::int32_t shift = 0;
};

/// Factors too small for a shift are 0; those too large are as large as can be.
[[nodiscard]] inline Multiplier multiplierOf(double factor) noexcept {
    constexpr int kSmallestShift = -31;
    constexpr int kLargestShift = 30;
    if (factor == 0.0 || !std::isfinite(factor)) {
        return {};
    }
    int shift = 0;
    auto value = static_cast<std::int64_t>(std::round(std::frexp(factor, &shift) * 0x1p31));
    if (value == std::int64_t{1} << 31) {
        value /= 2;
        ++shift;
    }
    if (shift < kSmallestShift) {
        return {};
    }
    return {.value = static_cast<std::int32_t>(value), .shift = std::min(shift, kLargestShift)};
}

/// x * 2^-exponent, halves away from 0.
[[nodiscard]] inline std::int32_t dividedByPowerOfTwo(std::int32_t x, int exponent) noexcept {
    const auto mask = static_cast<std::int32_t>((std::int64_t{1} << exponent) - 1);
    const std::int32_t remainder = x & mask;
    const std::int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
    return (x >> exponent) + (remainder > threshold ? 1 : 0);
}

/// x * y * 2^-31, rounded to nearest.
[[nodiscard]] inline std::int32_t highProduct(std::int32_t x, std::int32_t y) noexcept {
    constexpr auto kLowest = std::numeric_limits<std::int32_t>::min();
    if (x == kLowest && y == kLowest) {
        return std::numeric_limits<std::int32_t>::max();
    }
    const std::int64_t product = std::int64_t{x} * y;
    const std::int64_t nudge = product >= 0 ? std::int64_t{1} << 30 : 1 - (std::int64_t{1} << 30);
    return static_cast<std::int32_t>((product + nudge) / (std::int64_t{1} << 31));
}

/// Sums of 32 bits. Those that a shift to the left makes too large wrap around.
[[nodiscard]] inline std::int32_t multiply(std::int32_t x, Multiplier factor) noexcept {
    const int left = std::max(factor.shift, 0);
    const auto shifted = static_cast<std::int32_t>(static_cast<std::uint32_t>(x) << left);
    return dividedByPowerOfTwo(highProduct(shifted, factor.value), std::max(-factor.shift, 0));
}

/// Sums of 64 bits, below 2^47: the factor has 16 bits.
[[nodiscard]] inline std::int32_t multiplyWide(std::int64_t x, Multiplier factor) noexcept {
    constexpr int kLargestShift = 7;
    constexpr std::int32_t kLargestValue = 0x7FFF0000;
    const std::int32_t reduced =
        factor.value < kLargestValue ? (factor.value + (1 << 15)) >> 16 : 0x7FFF;
    const int shift = 15 - std::min(factor.shift, kLargestShift);
    // Unsigned, as what a client's sums make too large wraps around.
    const std::uint64_t product =
        static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(std::int64_t{reduced});
    const auto rounded = static_cast<std::int64_t>(product + (std::uint64_t{1} << (shift - 1)));
    return static_cast<std::int32_t>(rounded >> shift);
}

/// The least and the greatest element of 16 bits that a fused activation leaves.
struct Range16 {
    std::int32_t lowest = std::numeric_limits<std::int16_t>::min();
    std::int32_t highest = std::numeric_limits<std::int16_t>::max();

    [[nodiscard]] std::int16_t clamp(std::int32_t x) const noexcept {
        return static_cast<std::int16_t>(std::min(std::max(x, lowest), highest));
    }
};

[[nodiscard]] inline Range16 rangeOf(FusedActivationFunc activation, float scale) noexcept {
    Range16 range;
    const auto steps = [&](float value) {
        const float rounded = std::round(value / scale);
        return static_cast<std::int32_t>(std::clamp(rounded, -32768.0F, 32767.0F));
    };
    switch (activation) {
        case FusedActivationFunc::RELU:
            range.lowest = 0;
            break;
        case FusedActivationFunc::RELU1:
            range = {.lowest = steps(-1.0F), .highest = steps(1.0F)};
            break;
        case FusedActivationFunc::RELU6:
            range = {.lowest = 0, .highest = steps(6.0F)};
            break;
        case FusedActivationFunc::NONE:
            break;
    }
    return range;
}

/// The range that scalar `activation`, which checkActivation accepts, gives elements of `output`.
[[nodiscard]] inline Range16 rangeOf(const ExtensionOperand& activation,
                                     const ExtensionOperand& output) noexcept {
    return rangeOf(static_cast<FusedActivationFunc>(scalarOf<std::int32_t>(activation)),
                   output.scale);
}

}  // namespace nnburst::tflite_operations
