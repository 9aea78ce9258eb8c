// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Microkernels::meanOfPixels in plain C++: the source of each instruction set includes it, so that
/// the compiler makes vectors of its loops with the instructions of that set. All functions are
/// static, because those of one set must not be linked into the code of another.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "exec/dot8/microkernel.h"

namespace nnburst::exec::dot8 {

/// What makes a mean of a sum. A copy: outputs are bytes, which could be those of a PixelMean.
struct MeanOfSum {
    std::int32_t offset;  ///< in each sum
    std::uint32_t half;
    std::uint32_t multiplier;
    std::int32_t minimum;
    std::int32_t maximum;
};

static inline std::uint8_t finishMean(const MeanOfSum& to, std::uint32_t sum) noexcept {
    const std::int32_t signedSum = static_cast<std::int32_t>(sum) - to.offset;
    const std::uint32_t absolute =
        static_cast<std::uint32_t>(signedSum < 0 ? -signedSum : signedSum) + to.half;
    const auto quotient = static_cast<std::int32_t>(
        static_cast<std::uint32_t>(std::uint64_t{absolute} * to.multiplier >> 31));
    std::int32_t rounded = signedSum < 0 ? -quotient : quotient;
    rounded = rounded < to.minimum ? to.minimum : rounded;
    rounded = rounded > to.maximum ? to.maximum : rounded;
    return static_cast<std::uint8_t>(rounded);
}

/// Channels `first` to first + kCount - 1.
template <class Sum, std::size_t kCount>
static inline void meanOfChannels(const PixelMean& mean, std::size_t first) noexcept {
    const auto taps = static_cast<std::uint32_t>(mean.rows * mean.columns);
    const MeanOfSum to{.offset = mean.isSigned ? static_cast<std::int32_t>(128 * taps) : 0,
                       .half = taps / 2,
                       .multiplier = mean.multiplier,
                       .minimum = mean.minimum,
                       .maximum = mean.maximum};
    alignas(64) Sum sums[kCount] = {};
    const auto flip = static_cast<std::uint8_t>(mean.isSigned ? 0x80 : 0);
    for (std::size_t row = 0; row < mean.rows; ++row) {
        const std::uint8_t* pixel = mean.pixels + row * mean.rowStride + first;
        for (std::size_t column = 0; column < mean.columns; ++column) {
            for (std::size_t i = 0; i < kCount; ++i) {
                sums[i] = static_cast<Sum>(sums[i] + static_cast<std::uint8_t>(pixel[i] ^ flip));
            }
            pixel += mean.pixelStride;
        }
    }
    alignas(64) std::uint8_t means[kCount];
    for (std::size_t i = 0; i < kCount; ++i) {
        means[i] = finishMean(to, sums[i]);
    }
    std::memcpy(mean.output + first, means, kCount);
}

template <class Sum>
static inline void meanOfPixelsWith(const PixelMean& mean) noexcept {
    constexpr std::size_t kLarge = 64;
    constexpr std::size_t kSmall = 16;
    std::size_t channel = 0;
    for (; channel + kLarge <= mean.channels; channel += kLarge) {
        meanOfChannels<Sum, kLarge>(mean, channel);
    }
    for (; channel + kSmall <= mean.channels; channel += kSmall) {
        meanOfChannels<Sum, kSmall>(mean, channel);
    }
    if (channel < mean.channels && mean.channels >= kSmall) {
        // Some channels are computed again.
        meanOfChannels<Sum, kSmall>(mean, mean.channels - kSmall);
        return;
    }
    for (; channel < mean.channels; ++channel) {
        meanOfChannels<Sum, 1>(mean, channel);
    }
}

static void meanOfPixels(const PixelMean& mean) {
    constexpr std::size_t kMaximumTapsOf16Bits = 257;  // 257 * 255 < 2^16
    if (mean.rows * mean.columns <= kMaximumTapsOf16Bits) {
        meanOfPixelsWith<std::uint16_t>(mean);
    } else {
        meanOfPixelsWith<std::uint32_t>(mean);
    }
}

}  // namespace nnburst::exec::dot8
