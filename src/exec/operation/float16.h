// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Half precision (IEEE 754 binary16) as elements of TENSOR_FLOAT16. Kernels compute in float32 and
/// convert at the edges: neither clang 14 nor a processor without AVX-512 FP16 can do more.

#include <bit>
#include <cstdint>

namespace nnburst::exec {

/// A half precision number as it lies in memory. Conversions to float and double are exact, those
/// from float round to the nearest, ties to even.
class Float16 {
  public:
    Float16() noexcept = default;
    explicit Float16(float value) noexcept : bits_(fromFloat(value)) {}

    explicit operator float() const noexcept {
        const std::uint32_t sign = (bits_ & 0x8000U) << 16;
        const std::uint32_t magnitude = bits_ & 0x7FFFU;
        if (magnitude >= kInfinity) {
            return std::bit_cast<float>(sign | 0x7F800000U | (magnitude & 0x03FFU) << 13);
        }
        // The exponent's bias is 112 less than float's; the product also normalises what is not.
        const float value = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
        return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
    }
    explicit operator double() const noexcept { return static_cast<float>(*this); }

  private:
    static constexpr std::uint16_t kInfinity = 0x7C00;
    static constexpr std::uint16_t kQuietNan = 0x7E00;

    static std::uint16_t fromFloat(float value) noexcept {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
        const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
        std::uint32_t half = 0;
        if (magnitude > 0x7F800000U) {
            half = kQuietNan;
        } else if (magnitude >= 0x47800000U) {  // 2^16 and above
            half = kInfinity;
        } else if (magnitude < 0x38800000U) {
            // Below 2^-14 a half is a multiple of 2^-24, which is the last place of floats from 0.5
            // on: adding 0.5 rounds to it.
            half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) -
                   std::bit_cast<std::uint32_t>(0.5F);
        } else {
            // Rebias the exponent, round 13 bits off; a carry into the exponent is as it should be.
            const std::uint32_t isOdd = magnitude >> 13 & 1U;
            half = (magnitude - (112U << 23) + 0x0FFFU + isOdd) >> 13;
        }
        return static_cast<std::uint16_t>(sign | half);
    }

    std::uint16_t bits_ = 0;
};
static_assert(sizeof(Float16) == 2);

}  // namespace nnburst::exec
