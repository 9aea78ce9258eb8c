// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The logistic function and the hyperbolic tangent of 16-bit fixed-point numbers. Integer LSTMs
/// are trained with the rounding of gemmlowp's 16-bit arithmetic, and their state amplifies each
/// difference, so these functions give the same bits as gemmlowp's. A number with `n` integer bits
/// is raw / 2^(15 - n).

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "exec/reference/quantized.h"

namespace nnburst::exec::fixed16 {

/// The largest number below 1, which stands for 1.
inline constexpr std::int16_t kOne = std::numeric_limits<std::int16_t>::max();

[[nodiscard]] inline std::int16_t wrap(std::int32_t value) noexcept {
    return static_cast<std::int16_t>(value);
}

[[nodiscard]] inline std::int16_t saturate(std::int64_t value) noexcept {
    return static_cast<std::int16_t>(std::clamp<std::int64_t>(
        value, std::numeric_limits<std::int16_t>::min(), std::numeric_limits<std::int16_t>::max()));
}

/// The product; its integer bits are those of both factors together.
[[nodiscard]] inline std::int16_t multiply(std::int16_t a, std::int16_t b) noexcept {
    if (a == b && a == std::numeric_limits<std::int16_t>::min()) {
        return kOne;
    }
    const std::int32_t product = std::int32_t{a} * b;
    const std::int32_t nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
    return static_cast<std::int16_t>((product + nudge) / (1 << 15));
}

/// value * 2^exponent, saturated.
[[nodiscard]] inline std::int16_t shiftLeft(std::int16_t value, int exponent) noexcept {
    return saturate(std::int64_t{value} * (std::int64_t{1} << exponent));
}

/// value / 2^exponent, rounded to the nearest, ties away from zero.
[[nodiscard]] inline std::int16_t shiftRight(std::int16_t value, int exponent) noexcept {
    return static_cast<std::int16_t>(roundingDivideByPowerOfTwo(value, exponent));
}

/// e^a for a in [-1/4, 0), without integer bits: a Taylor series around -1/8.
[[nodiscard]] inline std::int16_t expOfLastQuarter(std::int16_t a) noexcept {
    constexpr std::int16_t kExpOfMinusEighth = 28918;
    constexpr std::int16_t kThird = 10923;
    const std::int16_t x = wrap(a + (1 << 12));
    const std::int16_t x2 = multiply(x, x);
    const std::int16_t x3 = multiply(x2, x);
    const std::int16_t x4 = multiply(x2, x2);
    const std::int16_t higher =
        shiftRight(wrap(multiply(wrap(shiftRight(x4, 2) + x3), kThird) + x2), 1);
    return saturate(kExpOfMinusEighth + multiply(kExpOfMinusEighth, wrap(x + higher)));
}

/// e^a for a at most 0 with `integerBits` integer bits, 0 to 7; the result has none.
[[nodiscard]] inline std::int16_t expOfNegative(std::int16_t a, int integerBits) noexcept {
    const int fractionalBits = 15 - integerBits;
    const std::int32_t quarter = 1 << (fractionalBits - 2);
    const std::int32_t rest = (a & (quarter - 1)) - quarter;  // in [-1/4, 0)
    std::int16_t result = expOfLastQuarter(shiftLeft(wrap(rest), integerBits));
    const std::int32_t quarters = rest - a;
    // Factors of the other powers of two that a is made of: e^-(1/4), e^-(1/2), ... e^-16.
    constexpr std::array<std::int16_t, 7> kFactors{25520, 19875, 12055, 4435, 600, 11, 0};
    for (int i = 0; i < 7; ++i) {
        const int exponent = i - 2;
        if (integerBits > exponent && (quarters & (1 << (fractionalBits + exponent))) != 0) {
            result = multiply(result, kFactors[static_cast<std::size_t>(i)]);
        }
    }
    if (integerBits > 5 && a < -(32 << fractionalBits)) {
        return 0;
    }
    return a == 0 ? kOne : result;
}

/// Twice the reciprocal of 1 + x, for x in [0, 1] without integer bits; the result has 2 of them.
/// Newton's method.
[[nodiscard]] inline std::int16_t twoOverOnePlus(std::int16_t x) noexcept {
    constexpr std::int16_t k48Over17 = 23130;
    constexpr std::int16_t kMinus32Over17 = -15420;
    constexpr std::int16_t kOneOfTwoBits = 1 << 13;
    const std::int32_t sum = std::int32_t{x} + kOne;
    const std::int16_t halfDenominator = wrap((sum + (sum >= 0 ? 1 : -1)) / 2);
    std::int16_t result = wrap(k48Over17 + multiply(halfDenominator, kMinus32Over17));
    for (int i = 0; i < 3; ++i) {
        const std::int16_t product = multiply(halfDenominator, result);
        const std::int16_t difference = wrap(kOneOfTwoBits - product);
        result = wrap(result + shiftLeft(multiply(result, difference), 2));
    }
    return result;
}

/// 1 / (1 + e^-a), for a with `integerBits` integer bits; the result has none.
[[nodiscard]] inline std::int16_t logistic(std::int16_t a, int integerBits) noexcept {
    if (a == 0) {
        return 1 << 14;
    }
    const std::int16_t negative = a > 0 ? wrap(-std::int32_t{a}) : a;
    const std::int16_t positiveResult =
        shiftLeft(twoOverOnePlus(expOfNegative(negative, integerBits)), 1);
    return a > 0 ? positiveResult : wrap(kOne - positiveResult);
}

/// The hyperbolic tangent of a with `integerBits` integer bits; the result has none.
[[nodiscard]] inline std::int16_t tanh(std::int16_t a, int integerBits) noexcept {
    if (a == 0) {
        return 0;
    }
    const std::int16_t negative = a > 0 ? wrap(-std::int32_t{a}) : a;
    // Read with one more integer bit, the same bits stand for twice the number.
    const std::int16_t exponential = expOfNegative(negative, integerBits + 1);
    const std::int16_t result = shiftLeft(wrap(twoOverOnePlus(exponential) - (1 << 13)), 2);
    return a > 0 ? result : wrap(-std::int32_t{result});
}

}  // namespace nnburst::exec::fixed16
