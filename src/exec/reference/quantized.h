// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Fixed-point arithmetic of quantised kernels. It rounds exactly as gemmlowp does, because
/// networks of the first TFLite releases, and AOSP's expected results, were made with gemmlowp.
/// Every function is defined for every argument.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "exec/operation/activation.h"

namespace nnburst::exec {

/// The upper half of 2 * a * b, rounded to the nearest, ties upwards; the one overflow (both are
/// the smallest number) saturates.
[[nodiscard]] inline std::int32_t saturatingRoundingDoublingHighMultiply(std::int32_t a,
                                                                         std::int32_t b) noexcept {
    constexpr auto kLowest = std::numeric_limits<std::int32_t>::min();
    if (a == kLowest && b == kLowest) {
        return std::numeric_limits<std::int32_t>::max();
    }
    const std::int64_t product = std::int64_t{a} * b;
    const std::int64_t nudge = product >= 0 ? std::int64_t{1} << 30 : 1 - (std::int64_t{1} << 30);
    // The division truncates towards zero, the nudge makes it round; ties go upwards.
    return static_cast<std::int32_t>((product + nudge) / (std::int64_t{1} << 31));
}

/// value / 2^exponent, rounded to the nearest, ties away from zero. Requires 0 <= exponent <= 31.
[[nodiscard]] inline std::int32_t roundingDivideByPowerOfTwo(std::int32_t value,
                                                             int exponent) noexcept {
    const std::int64_t half = std::int64_t{1} << exponent >> 1;
    const std::int64_t nudge = value < 0 && half != 0 ? half - 1 : half;
    return static_cast<std::int32_t>((value + nudge) >> exponent);
}

/// A factor of at least 0 as a fraction of 31 bits and a power of two.
class QuantizedMultiplier {
  public:
    QuantizedMultiplier() noexcept = default;

    /// The factor nearest to `real` (at least 0): 0 if that is too small to matter to 32 bits, and
    /// the largest there is if it is 2^31 or more.
    explicit QuantizedMultiplier(double real) noexcept {
        if (real >= 0x1p31) {
            fraction_ = std::numeric_limits<std::int32_t>::max();
            exponent_ = 31;
            return;
        }
        int exponent = 0;
        const double fraction = std::frexp(real, &exponent);
        if (exponent < -31 || !(real > 0.0)) {
            return;
        }
        const std::int64_t rounded = std::llround(fraction * 0x1p31);
        const bool carries = rounded == std::int64_t{1} << 31;
        fraction_ = static_cast<std::int32_t>(carries ? rounded / 2 : rounded);
        exponent_ = exponent + (carries ? 1 : 0);
    }

    /// The factor 1 / sqrt(number), with the bits of gemmlowp's approximation (Newton's method with
    /// 28 fractional bits). Requires a number of at least 1.
    [[nodiscard]] static QuantizedMultiplier inverseSquareRoot(std::int32_t number) noexcept {
        QuantizedMultiplier result;
        if (number <= 1) {
            result.fraction_ = std::numeric_limits<std::int32_t>::max();
            return result;
        }
        int rightShift = 11;
        for (; number >= 1 << 29; number /= 4) {
            ++rightShift;
        }
        const int pairs = (std::countl_zero(static_cast<std::uint32_t>(number)) - 1) / 2 - 1;
        rightShift -= pairs;
        number <<= 2 * pairs;
        const auto multiply = saturatingRoundingDoublingHighMultiply;
        const auto shiftLeft = [](std::int64_t value, int bits) {
            return static_cast<std::int32_t>(std::clamp<std::int64_t>(
                value * (std::int64_t{1} << bits), std::numeric_limits<std::int32_t>::min(),
                std::numeric_limits<std::int32_t>::max()));
        };
        constexpr std::int32_t kThreeHalves = (1 << 28) + (1 << 27);
        constexpr std::int32_t kHalfRootOfTwo = 1518500250;
        const std::int32_t half = roundingDivideByPowerOfTwo(number >> 1, 1);
        std::int32_t x = 1 << 28;
        for (int i = 0; i < 5; ++i) {
            const std::int32_t cube = shiftLeft(multiply(multiply(x, x), x), 6);
            x = shiftLeft(std::int64_t{multiply(kThreeHalves, x)} - multiply(half, cube), 3);
        }
        x = multiply(x, kHalfRootOfTwo);
        result.fraction_ = rightShift < 0 ? shiftLeft(x, -rightShift) : x;
        result.exponent_ = -std::max(rightShift, 0);
        return result;
    }

    /// value * factor, saturated to 32 bits.
    [[nodiscard]] std::int32_t operator()(std::int32_t value) const noexcept {
        if (exponent_ <= 0) {
            return roundingDivideByPowerOfTwo(
                saturatingRoundingDoublingHighMultiply(value, fraction_), -exponent_);
        }
        const std::int64_t shifted = std::int64_t{value} * (std::int64_t{1} << exponent_);
        const auto saturated = static_cast<std::int32_t>(
            std::clamp<std::int64_t>(shifted, std::numeric_limits<std::int32_t>::min(),
                                     std::numeric_limits<std::int32_t>::max()));
        return saturatingRoundingDoublingHighMultiply(saturated, fraction_);
    }

    [[nodiscard]] std::int32_t fraction() const noexcept { return fraction_; }
    [[nodiscard]] int exponent() const noexcept { return exponent_; }

  private:
    std::int32_t fraction_ = 0;  ///< the factor / 2^exponent, in units of 2^-31
    int exponent_ = 0;           ///< from -31 to 31
};

/// Turns sums of products into elements of a quantised output: scaled, moved to its zero point,
/// clamped to its activation.
class Requantizer {
  public:
    Requantizer() noexcept = default;

    /// `real` is the scale of the sums over that of the output.
    Requantizer(double real, std::int32_t zeroPoint, QuantizedRange range) noexcept
        : multiplier_(real), zeroPoint_(zeroPoint), range_(range) {}

    [[nodiscard]] std::int32_t operator()(std::int32_t sum) const noexcept {
        // Clamped before the zero point is added, which therefore cannot overflow.
        return std::clamp(multiplier_(sum), range_.minimum - zeroPoint_,
                          range_.maximum - zeroPoint_) +
               zeroPoint_;
    }

  private:
    QuantizedMultiplier multiplier_;
    std::int32_t zeroPoint_ = 0;
    QuantizedRange range_{0, 0};
};

}  // namespace nnburst::exec
