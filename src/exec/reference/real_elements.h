// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Elements of any float or quantised type as real numbers, for kernels that compute with few of
/// them: regions of interest, boxes, interpolation.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "exec/operation/activation.h"
#include "exec/operation/operation.h"
#include "exec/reference/dispatch.h"

namespace nnburst::exec {

/// Calls `function` with the element type of a float or quantised tensor.
template <class Function>
void dispatchReal(OperandType type, Function&& function) {
    dispatchFloat(type, function);
    dispatchQuantized8(type, function);
    if (type == OperandType::TENSOR_QUANT16_ASYMM) {
        function.template operator()<std::uint16_t>();
    }
}

/// Reads elements `T` of an operand.
template <class T>
class RealReader {
  public:
    explicit RealReader(const OperandView& operand) noexcept
        : data_(operand.as<const T>()), scale_(operand.scale), zeroPoint_(operand.zeroPoint) {}

    [[nodiscard]] float operator[](std::size_t index) const noexcept {
        if constexpr (std::is_integral_v<T>) {
            return static_cast<float>(data_[index] - zeroPoint_) * scale_;
        } else {
            return static_cast<float>(data_[index]);
        }
    }

  private:
    const T* data_;
    float scale_;
    std::int32_t zeroPoint_;
};

/// Writes real numbers as elements `T` of an operand: rounded to the nearest, clamped to the limits
/// of `T`.
template <class T>
class RealWriter {
  public:
    explicit RealWriter(const OperandView& operand) noexcept
        : data_(operand.as<T>()),
          scale_(operand.scale),
          zeroPoint_(static_cast<float>(operand.zeroPoint)) {}

    void set(std::size_t index, float real) const noexcept {
        if constexpr (std::is_integral_v<T>) {
            constexpr auto kLowest = static_cast<float>(std::numeric_limits<T>::min());
            constexpr auto kHighest = static_cast<float>(std::numeric_limits<T>::max());
            const float steps = std::round(real / scale_) + zeroPoint_;
            // NaN becomes the minimum.
            data_[index] = static_cast<T>(steps > kLowest ? std::min(steps, kHighest) : kLowest);
        } else {
            data_[index] = static_cast<T>(real);
        }
    }

  private:
    T* data_;
    float scale_;
    float zeroPoint_;
};

}  // namespace nnburst::exec
