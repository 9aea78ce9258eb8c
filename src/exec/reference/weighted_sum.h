// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sums of products of an input with weights, plus a bias: what convolutions and fully connected
/// layers have in common. A kernel is written once, over the arithmetic of its type:
///
///     FloatSums        float32 and float16: input, weights, bias and output of one type
///     QuantizedSums    8-bit input and output, 8-bit weights with one scale or one for each
///     channel,
///                      32-bit bias in the scale of the products
///
/// 32-bit sums wrap around, as they do in every 8-bit kernel. That takes tens of thousands of terms
/// with saturated inputs.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/quantized.h"
#include "exec/reference/sums.h"

namespace nnburst::exec {

/// The sum of a[i] * b[i], numbers of any float type.
template <class A, class B>
[[nodiscard]] float dotProduct(const A* a, const B* b, std::size_t count) noexcept {
    return sumOfTerms<float>(
        count, [&](std::size_t i) { return static_cast<float>(a[i]) * static_cast<float>(b[i]); });
}

/// The arithmetic of float32 and float16.
template <class T>
class FloatSums {
  public:
    using Element = T;
    using Weight = T;
    using Bias = T;
    using Sum = float;

    explicit FloatSums(FusedActivationFunc activation) noexcept
        : range_(activationRange(activation)) {}

    [[nodiscard]] Sum product(Element element, Weight weight) const noexcept {
        return static_cast<float>(element) * static_cast<float>(weight);
    }

    /// Turns a sum into an element of the output. NaN stays NaN.
    class Finisher {
      public:
        Finisher() noexcept = default;
        explicit Finisher(FloatRange range) noexcept : range_(range) {}

        [[nodiscard]] Element operator()(Sum sum) const noexcept {
            return static_cast<Element>(std::min(std::max(sum, range_.minimum), range_.maximum));
        }

      private:
        FloatRange range_{};
    };

    /// The finisher of one output channel.
    [[nodiscard]] Finisher finisher(std::size_t /*channel*/) const noexcept {
        return Finisher(range_);
    }

  private:
    FloatRange range_;
};

/// The arithmetic of 8-bit tensors.
template <class T, class W>
class QuantizedSums {
  public:
    using Element = T;
    using Weight = W;
    using Bias = std::int32_t;
    using Sum = std::uint32_t;

    QuantizedSums(const OperandView& input, const OperandView& weights, const OperandView& output,
                  FusedActivationFunc activation) noexcept
        : inputZeroPoint_(input.zeroPoint),
          weightZeroPoint_(weights.zeroPoint),
          inputScale_(input.scale),
          weightScale_(weights.scale),
          channelScales_(weights.channelQuant != nullptr ? weights.channelQuant->scales.data()
                                                         : nullptr),
          outputScale_(output.scale),
          outputZeroPoint_(output.zeroPoint),
          range_(activationRange(activation, output)) {}

    [[nodiscard]] Sum product(Element element, Weight weight) const noexcept {
        return static_cast<Sum>((element - inputZeroPoint_) * (weight - weightZeroPoint_));
    }

    /// Turns a sum into an element of the output.
    class Finisher {
      public:
        Finisher() noexcept = default;
        explicit Finisher(const Requantizer& requantize) noexcept : requantize_(requantize) {}

        [[nodiscard]] Element operator()(Sum sum) const noexcept {
            return static_cast<Element>(requantize_(static_cast<std::int32_t>(sum)));
        }

      private:
        Requantizer requantize_;
    };

    /// The finisher of one output channel, which may have a scale of its own.
    [[nodiscard]] Finisher finisher(std::size_t channel) const noexcept {
        const float weightScale =
            channelScales_ != nullptr ? channelScales_[channel] : weightScale_;
        const double productScale = static_cast<double>(inputScale_) * weightScale;
        return Finisher(Requantizer(productScale / outputScale_, outputZeroPoint_, range_));
    }

  private:
    std::int32_t inputZeroPoint_;
    std::int32_t weightZeroPoint_;
    float inputScale_;
    float weightScale_;
    const float* channelScales_;
    float outputScale_;
    std::int32_t outputZeroPoint_;
    QuantizedRange range_;
};

/// Calls `kernel(sums)` with the arithmetic for input 0, weights 1 and output 0 of `operation`.
template <class Kernel>
void dispatchSums(const OperationView& operation, FusedActivationFunc activation, Kernel&& kernel) {
    const OperandView& input = operation.inputs[0];
    const OperandView& weights = operation.inputs[1];
    dispatchFloat(input.type, [&]<class T>() { kernel(FloatSums<T>(activation)); });
    dispatchQuantized8(input.type, [&]<class T>() {
        // NOLINTNEXTLINE(bugprone-branch-clone): the branches are equal only for one of the types
        if (weights.type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL) {
            kernel(QuantizedSums<T, std::int8_t>(input, weights, operation.outputs[0], activation));
        } else {
            kernel(QuantizedSums<T, T>(input, weights, operation.outputs[0], activation));
        }
    });
}

/// Checks the types and scales of input 0, weights 1 (which errors call `weightsName`), bias 2 and
/// output 0. Weights may have a scale for each index of `channelAxis`, if there is one.
void checkSumTypes(OperationCheck& check, const char* weightsName,
                   std::optional<std::uint32_t> channelAxis);

/// Checks that the scale of a bias is that of the products that it is added to, up to rounding.
void checkBiasScale(OperandCheck& bias, float inputScale, float weightScale);

/// Checks that weights with a scale a channel have one for each of `channels`.
void checkChannelScales(OperandCheck& weights, std::uint32_t channels);

}  // namespace nnburst::exec
