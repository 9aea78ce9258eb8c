// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What depends on the release of XNNPACK: Debian 12 has that of February 2022, Debian 13 that of
/// November 2024. This header gives both one form: an operator is created, is told its sizes
/// (reshape), is told its addresses (set up), and runs. release_2022.cpp or release_2024.cpp, of
/// which the build takes the one that fits the installed header, has the calls.
///
/// Operators with packed weights are created by XNNPACK's own functions, through `createPacked`.
/// Those without are made here, for given sizes.

#include <pthreadpool.h>
#include <xnnpack.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "exec/operation/activation.h"
#include "exec/operation/operation.h"
#include "exec/operation/spatial.h"
#include "log/assert.h"
#include "nnburst/types.h"

namespace nnburst::exec::xnnpack {

/// Addresses as Step::setUp gets them: inputs, then outputs.
using Operands = std::span<std::byte* const>;

template <class T>
[[nodiscard]] T* operandAs(Operands operands, std::size_t index) noexcept {
    NNBURST_ASSERT(index < operands.size(), "operand {} of {}", index, operands.size());
    return reinterpret_cast<T*>(operands[index]);
}

/// Calls an operator's set-up functions with sizes that it has stored.
struct SetUp {
    /// Tells the operator its sizes. Stores the bytes of memory that its runs need beside the
    /// operands, aligned to a cache line. Empty in the release of 2022, which takes sizes and
    /// addresses together.
    std::function<xnn_status(xnn_operator_t, std::size_t& workspaceBytes, pthreadpool_t)> reshape;
    /// Tells the operator its addresses; `workspace` is null if it needs none.
    std::function<xnn_status(xnn_operator_t, Operands, void* workspace, pthreadpool_t)> setUp;
};

// ---- What a release computes wrongly or cannot compute

#if NNBURST_XNNPACK_RELEASE >= 2024
/// Averages of 8 bits are not those of the reference where they lie half-way between two values.
inline constexpr bool kHasRightAverages = false;
/// Sums of signed 8 bits wrap around where they are scaled to below the least 32-bit integer and
/// the zero point is negative.
inline constexpr bool kHasRightLargeSums = false;
inline constexpr bool kTakesChannelsFromStack = false;
#else
inline constexpr bool kHasRightAverages = true;
inline constexpr bool kHasRightLargeSums = true;
/// Averages, and the creation of a convolution with a scale for each output channel, take 4 bytes
/// for each channel from the stack, however many there are.
inline constexpr bool kTakesChannelsFromStack = true;
#endif

/// Whether this release may be given so many channels: some functions of 2022 take 4 bytes of stack
/// for each, and 256 KiB are allowed.
[[nodiscard]] constexpr bool hasStackFor(std::uint64_t channels) noexcept {
    constexpr std::uint64_t kMaximumChannels = 1 << 16;
    return !kTakesChannelsFromStack || channels <= kMaximumChannels;
}

// ---- Operators with packed weights

#if NNBURST_XNNPACK_RELEASE >= 2024
/// Whether operators can leave their packed weights to others (packed_weights.h).
inline constexpr bool kHasWeightsCaches = true;
using WeightsProvider = xnn_weights_cache_provider;
inline constexpr auto createConvolutionPerChannel = xnn_create_convolution2d_nhwc_qs8_qc8w;
#else
inline constexpr bool kHasWeightsCaches = false;
struct WeightsProvider {};
inline constexpr auto createConvolutionPerChannel = xnn_create_convolution2d_nhwc_qc8;
#endif

/// What an operator asks for its packed weights; null if it keeps them itself.
using WeightsCache = WeightsProvider*;

class OperatorWeights;
[[nodiscard]] WeightsProvider providerOf(OperatorWeights& weights) noexcept;

/// Identifies the micro-kernels of this build of XNNPACK. Empty if it does not say.
[[nodiscard]] std::span<const std::uint8_t> buildIdentifier() noexcept;

/// Calls a creation function of XNNPACK with `arguments`, of which flags are the last.
template <class Create, class... Arguments>
[[nodiscard]] xnn_status createPacked(Create function, xnn_operator_t& created,
                                      [[maybe_unused]] WeightsCache weights,
                                      const Arguments&... arguments) {
#if NNBURST_XNNPACK_RELEASE >= 2024
    return function(arguments..., nullptr, weights, &created);  // there is no cache of code
#else
    return function(arguments..., &created);
#endif
}

/// Images that an operator is set up for.
struct ImageSizes {
    std::uint32_t batches;
    std::uint32_t height;
    std::uint32_t width;
};

/// Of operators of elements of `type`: float32, unsigned or signed 8 bits. The input is operand 0,
/// the output is operand `output`.
[[nodiscard]] SetUp setUpConvolution(OperandType type, bool isPerChannel, const ImageSizes& images,
                                     std::size_t output);
[[nodiscard]] SetUp setUpDeconvolution(OperandType type, const ImageSizes& images,
                                       std::size_t output);
[[nodiscard]] SetUp setUpFullyConnected(OperandType type, std::size_t batches, std::size_t output);

// ---- Operators without weights

/// The elements of a tensor: float32 without a scale, or 8 bits.
struct Elements {
    OperandType type = OperandType::TENSOR_FLOAT32;
    float scale = 1.0F;
    std::int32_t zeroPoint = 0;

    [[nodiscard]] static Elements of(const OperandView& operand) noexcept {
        return {operand.type, operand.scale, operand.zeroPoint};
    }
};

/// Entries of a table with one for each value of a byte.
inline constexpr std::size_t kByteValues = 256;

/// An operator as XNNPACK created it, and how it is set up: the inputs are operands 0 and, if there
/// are two, 1; the output is operand `output` of the function that made it.
struct CreatedOperator {
    /// xnn_status_unsupported_parameter if there is no such operator.
    xnn_status status = xnn_status_unsupported_parameter;
    xnn_operator_t created = nullptr;
    SetUp setUp{};
    /// Outputs are within the range that was asked for; else they are to be clamped to it.
    bool isClamped = true;
    /// Of its constants and tables, which XNNPACK has copied or made.
    std::size_t constantBytes = 0;
};

/// A range of quantised elements is that of the values as they are stored.
[[nodiscard]] inline FloatRange rangeOf(const QuantizedRange& range) noexcept {
    return {static_cast<float>(range.minimum), static_cast<float>(range.maximum)};
}

/// The range of all values that elements of `type` can have.
[[nodiscard]] inline FloatRange wholeRange(OperandType type) noexcept {
    return type == OperandType::TENSOR_FLOAT32 ? activationRange(FusedActivationFunc::NONE)
                                               : rangeOf(quantizedLimits(type));
}

/// An operation on each of `count` elements by itself: ABS, ELU with `alpha`, FLOOR, HARD_SWISH,
/// LOGISTIC, NEG, SQRT, TANH.
[[nodiscard]] CreatedOperator createUnary(OperationType type, const Elements& input,
                                          const Elements& output, float alpha, std::size_t count,
                                          std::size_t outputIndex);
/// Clamps `count` elements of `type` to `range`; in place if input and output are one.
[[nodiscard]] CreatedOperator createClamp(OperandType type, const FloatRange& range,
                                          std::size_t count, std::size_t outputIndex);
/// ADD, DIV, MAXIMUM, MINIMUM, MUL, SUB of two tensors, with broadcasting.
[[nodiscard]] CreatedOperator createBinary(OperationType type, const Elements& a, const Elements& b,
                                           const Elements& output, const FloatRange& range,
                                           const Shape& shapeA, const Shape& shapeB,
                                           std::size_t outputIndex);
/// PRELU of float32 with a factor a channel or one for all, which is operand 1 and constant.
[[nodiscard]] CreatedOperator createPrelu(std::size_t rows, std::size_t channels,
                                          std::span<const float> factors, std::size_t outputIndex);
/// Poolings with input and output of the same elements.
[[nodiscard]] CreatedOperator createAveragePool(const Elements& elements,
                                                const SpatialWindow& window, std::uint32_t batches,
                                                std::uint32_t channels, const FloatRange& range,
                                                std::size_t outputIndex);
[[nodiscard]] CreatedOperator createMaxPool(const Elements& elements, const SpatialWindow& window,
                                            std::uint32_t batches, std::uint32_t channels,
                                            const FloatRange& range, std::size_t outputIndex);
/// The average of each channel over a whole image.
[[nodiscard]] CreatedOperator createGlobalAverage(const Elements& elements,
                                                  const ImageSizes& images, std::uint32_t channels,
                                                  const FloatRange& range, std::size_t outputIndex);
/// Of each row: float32, or unsigned 8 bits with an output of scale 1/256 and zero point 0.
[[nodiscard]] CreatedOperator createSoftmax(const Elements& input, std::size_t rows,
                                            std::size_t channels, std::size_t outputIndex);
/// `flags` are XNNPACK's for where pixels lie.
[[nodiscard]] CreatedOperator createResizeBilinear(OperandType type, const ImageSizes& images,
                                                   std::uint32_t channels,
                                                   std::uint32_t outputHeight,
                                                   std::uint32_t outputWidth, std::uint32_t flags,
                                                   std::size_t outputIndex);
/// Converts `count` elements from float16 to float32, or back. The output is operand 1.
[[nodiscard]] CreatedOperator createHalfToFloat(std::size_t count);
[[nodiscard]] CreatedOperator createFloatToHalf(std::size_t count);

}  // namespace nnburst::exec::xnnpack
