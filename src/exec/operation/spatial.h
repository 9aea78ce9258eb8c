// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Windows that slide over images, common to convolutions and poolings. Reads the arguments that
/// the HAL gives them (explicit or implicit padding, strides, dilations, layout) and computes from
/// them where each window lies and how large the output is. Shape inference, the reference kernels
/// and the XNNPACK backend all use this one computation.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "exec/operation/operation.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// Implicit padding (HAL 1.0 NeuralNetworks PaddingCode). SAME gives ceil(input / stride) outputs,
/// with the odd element of padding after the input; VALID does not pad. The HAL's NONE (0) means
/// the same as VALID and is read as it.
enum class PaddingScheme : std::int32_t { SAME = 1, VALID = 2 };

/// Which arguments an operation has, in the order of the HAL: padding (4 explicit or 1 implicit),
/// stride width and height, filter width and height of poolings, depth multiplier or number of
/// groups, activation; then the optional layout (BOOL) and, unless there are groups, dilation width
/// and height.
enum class SpatialForm : std::uint8_t {
    CONVOLUTION,
    DEPTHWISE_CONVOLUTION,
    GROUPED_CONVOLUTION,
    POOLING
};

/// The arguments along one axis.
struct AxisArguments {
    std::uint32_t window = 0;  ///< of poolings; a convolution's comes from its filter
    std::uint32_t stride = 1;
    std::uint32_t dilation = 1;
    std::uint32_t paddingBefore = 0;  ///< explicit only
    std::uint32_t paddingAfter = 0;   ///< explicit only
};

/// The arguments of a convolution or pooling. All are within their ranges.
struct SpatialArguments {
    std::optional<PaddingScheme> implicitPadding;
    AxisArguments height;
    AxisArguments width;
    std::uint32_t depthMultiplier = 1;  ///< of a depthwise convolution
    std::uint32_t groups = 1;           ///< of a grouped convolution
    FusedActivationFunc activation = FusedActivationFunc::NONE;
    bool isNchw = false;  ///< layout of input and output; filters have one layout only

    /// Axes of an image [batches, height, width, channels] or [batches, channels, height, width].
    [[nodiscard]] std::size_t heightAxis() const noexcept { return isNchw ? 2 : 1; }
    [[nodiscard]] std::size_t widthAxis() const noexcept { return isNchw ? 3 : 2; }
    [[nodiscard]] std::size_t channelAxis() const noexcept { return isNchw ? 1 : 3; }
};

/// Checks number, types and values of the arguments that follow the tensors, and reads them. They
/// must be constants. INVALID_ARGUMENT names the argument, its value and the rule.
[[nodiscard]] Result<SpatialArguments> readSpatialArguments(const OperationView& operation,
                                                            SpatialForm form);

/// With implicit padding, the number of inputs of TRANSPOSE_CONV_2D, and the one that is the shape
/// of its output.
inline constexpr std::size_t kTransposeImplicitInputs = 9;
inline constexpr std::size_t kTransposeOutputShape = 3;

/// The arguments of TRANSPOSE_CONV_2D, and where its windows lie: turned around, since each input
/// goes to a window of outputs.
struct TransposeConvolution {
    SpatialArguments arguments;  ///< without strides and explicit padding: see `height` and `width`
    /// Input `i` goes to the outputs i * stride - paddingBefore + t, for t in [0, filterSize), as
    /// far as they exist.
    struct Axis {
        std::uint32_t inputSize = 0;
        std::uint32_t filterSize = 0;
        std::uint32_t stride = 1;
        std::int64_t paddingBefore = 0;
        std::int64_t paddingAfter = 0;  ///< below 0 if the output goes on after the last window
        std::uint32_t outputSize = 0;
    };
    Axis height;
    Axis width;
};

/// Checks and reads the arguments that follow the tensors, and places the windows: shapes are
/// known, and so is the output's shape that implicit padding comes with.
[[nodiscard]] Result<TransposeConvolution> resolveTransposeConvolution(
    const OperationView& operation);

/// Window positions in one image above which an operation is left to the reference kernels,
/// whatever other kernels there are.
inline constexpr double kMaximumTaps = 1 << 27;

/// Elements of the windows over one image.
[[nodiscard]] double tapCount(const TransposeConvolution& convolution) noexcept;

/// Checks and reads the arguments of TRANSPOSE_CONV_2D without its shapes. The axes have their
/// strides and explicit padding, and nothing else yet.
[[nodiscard]] Result<TransposeConvolution> readTransposeArguments(const OperationView& operation);

/// A window along one axis. Output `o` covers the inputs `o * stride - paddingBefore + t *
/// dilation` for t in [0, size), of which those outside [0, inputSize) are padding. No sum of these
/// overflows 64 bits, and every window begins before the padded input ends.
struct SlidingWindow {
    std::uint32_t inputSize = 0;
    std::uint32_t size = 0;
    std::uint32_t stride = 1;
    std::uint32_t dilation = 1;
    std::uint32_t paddingBefore = 0;
    std::uint32_t paddingAfter = 0;
    std::uint32_t outputSize = 0;

    /// The input under tap 0 of output `o`; negative in the padding.
    [[nodiscard]] std::int64_t begin(std::uint32_t o) const noexcept {
        return static_cast<std::int64_t>(o) * stride - paddingBefore;
    }
};

/// A window over an image.
struct SpatialWindow {
    SlidingWindow height;
    SlidingWindow width;
};

/// Elements of the windows over one image.
[[nodiscard]] double tapCount(const SpatialWindow& window) noexcept;

/// Lays the windows of `operation`, of which `arguments` were read, over its input: those of the
/// arguments of a pooling, or of the filter [outputs, height, width, inputs] of a convolution.
/// Their sizes and that of the image are known and not 0. INVALID_ARGUMENT if not even one window
/// fits into the padded image, or if a pooling's window could lie in padding alone.
[[nodiscard]] Result<SpatialWindow> slideWindow(const OperationView& operation,
                                                const SpatialArguments& arguments);

}  // namespace nnburst::exec
