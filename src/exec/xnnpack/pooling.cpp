// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// AVERAGE_POOL_2D and MAX_POOL_2D of NHWC images; MEAN of float32 over axes that follow each other
// and are not the last ones. Covered: float32; averages of unsigned 8 bits without padding (with it
// XNNPACK counts the padding too), and of signed 8 bits over the whole image; maxima of both. Not
// covered: windows of 1x1, which XNNPACK refuses; float32 averages of more than 16,384 elements.
//
//     input [batches, height, width, channels]
//     output [batches, outputHeight, outputWidth, channels]

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "exec/operation/reduced_axes.h"
#include "exec/operation/spatial.h"
#include "exec/xnnpack/clamped_step.h"
#include "exec/xnnpack/families.h"

namespace nnburst::exec::xnnpack {

namespace {

/// XNNPACK divides by the window's size with a factor of 24 bits.
constexpr std::uint64_t kMaximumWindowElements = (1 << 23) - 1;
/// XNNPACK adds up float32 in chains of a seventh of the window, one for each channel. Means of
/// elements of about 5 leave the tolerance of VTS when windows are larger than this. The reference
/// kernel adds in double precision.
constexpr std::uint64_t kMaximumFloatMeanElements = 1 << 14;

struct Pooling {
    const OperandView& input;
    const OperandView& output;
    std::size_t outputIndex;
    SpatialArguments arguments;
    SpatialWindow window;

    [[nodiscard]] std::uint64_t windowElements() const noexcept {
        return std::uint64_t{window.height.size} * window.width.size;
    }
    [[nodiscard]] std::uint32_t channels() const noexcept { return input.shape[3]; }
    [[nodiscard]] double taps() const noexcept {
        return static_cast<double>(windowElements()) * window.height.outputSize *
               window.width.outputSize;
    }
    [[nodiscard]] double work() const noexcept { return taps() * input.shape[0] * channels(); }
    /// Of the operator's table: windows beside each other share the columns that both have.
    [[nodiscard]] double addresses() const noexcept {
        const SlidingWindow& width = window.width;
        const double columns =
            (width.outputSize - 1.0) * std::min(width.stride, width.size) + width.size;
        return static_cast<double>(window.height.outputSize) * window.height.size * columns;
    }
    [[nodiscard]] bool isPadded() const noexcept {
        return window.height.paddingBefore != 0 || window.height.paddingAfter != 0 ||
               window.width.paddingBefore != 0 || window.width.paddingAfter != 0;
    }
    [[nodiscard]] bool isGlobal() const noexcept {
        return !isPadded() && window.height.size == window.height.inputSize &&
               window.width.size == window.width.inputSize;
    }

    template <class Create>
    [[nodiscard]] StepResult step(Create create, const FloatRange& range,
                                  const Effort& effort) const {
        return makeOperatorStep(
            create(Elements::of(input), window, input.shape[0], channels(), range, outputIndex),
            effort);
    }
    [[nodiscard]] StepResult globalStep(const FloatRange& range) const {
        const ImageSizes images{input.shape[0], input.shape[1], input.shape[2]};
        return makeClampedStep(
            createGlobalAverage(Elements::of(input), images, channels(), range, outputIndex), range,
            output, outputIndex, effortAlone(work(), Speed::ELEMENTWISE));
    }
};

Result<Pooling> readPooling(const OperationView& operation) {
    Pooling pooling{.input = operation.inputs[0],
                    .output = operation.outputs[0],
                    .outputIndex = operation.inputs.size(),
                    .arguments = {},
                    .window = {}};
    NNBURST_TRY_ASSIGN(pooling.arguments, readSpatialArguments(operation, SpatialForm::POOLING));
    NNBURST_TRY_ASSIGN(pooling.window, slideWindow(operation, pooling.arguments));
    return pooling;
}

bool isCovered(const Pooling& pooling) noexcept {
    return !pooling.arguments.isNchw && pooling.windowElements() > 1 &&
           pooling.windowElements() <= kMaximumWindowElements &&
           pooling.addresses() <= kMaximumAddresses &&
           !isTooLong(pooling.work(), Speed::ELEMENTWISE);
}

/// The HAL requires equal scales, XNNPACK does not.
bool hasSameScale(const Pooling& pooling) noexcept {
    return isNormalScale(pooling.input.scale) && pooling.input.scale == pooling.output.scale &&
           pooling.input.zeroPoint == pooling.output.zeroPoint;
}

}  // namespace

StepResult makeAveragePool2d(const OperationView& operation, const StepContext& context) {
    NNBURST_TRY_ASSIGN(const Pooling pooling, readPooling(operation));
    if (!isCovered(pooling) || !hasStackFor(pooling.channels())) {
        return nullptr;
    }
    const Effort effort = effortOf(context, pooling.work(), Speed::ELEMENTWISE);
    const FusedActivationFunc activation = pooling.arguments.activation;
    if (pooling.input.type == OperandType::TENSOR_FLOAT32) {
        if (pooling.windowElements() > kMaximumFloatMeanElements) {
            return nullptr;
        }
        const FloatRange range = activationRange(activation);
        return pooling.isGlobal() ? pooling.globalStep(range)
                                  : pooling.step(createAveragePool, range, effort);
    }
    const QuantizedRange range = activationRange(activation, pooling.output);
    if (!kHasRightAverages || !hasSameScale(pooling) || !isRange(range) || pooling.isPadded()) {
        return nullptr;
    }
    switch (pooling.input.type) {
        case OperandType::TENSOR_QUANT8_ASYMM:
            return pooling.isGlobal() ? pooling.globalStep(rangeOf(range))
                                      : pooling.step(createAveragePool, rangeOf(range), effort);
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
            return pooling.isGlobal() ? pooling.globalStep(rangeOf(range)) : nullptr;
        default:
            return nullptr;
    }
}

StepResult makeMaxPool2d(const OperationView& operation, const StepContext& context) {
    NNBURST_TRY_ASSIGN(const Pooling pooling, readPooling(operation));
    if (!isCovered(pooling)) {
        return nullptr;
    }
    const Effort effort = effortOf(context, pooling.work(), Speed::ELEMENTWISE);
    const FusedActivationFunc activation = pooling.arguments.activation;
    if (pooling.input.type == OperandType::TENSOR_FLOAT32) {
        return pooling.step(createMaxPool, activationRange(activation), effort);
    }
    const QuantizedRange range = activationRange(activation, pooling.output);
    const bool isQuantized = pooling.input.type == OperandType::TENSOR_QUANT8_ASYMM ||
                             pooling.input.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
    if (!isQuantized || !hasSameScale(pooling) || !isRange(range)) {
        return nullptr;
    }
    return pooling.step(createMaxPool, rangeOf(range), effort);
}

StepResult makeMean(const OperationView& operation, const StepContext& /*context*/) {
    const OperandView& input = operation.inputs[0];
    const OperandView& output = operation.outputs[0];
    if (input.type != OperandType::TENSOR_FLOAT32) {
        return nullptr;
    }
    NNBURST_TRY_ASSIGN(const std::optional<ReducedAxes> axes, readReducedAxes(operation));
    constexpr std::uint64_t kMaximumSize = std::numeric_limits<std::uint32_t>::max();
    // With fewer channels the reference kernel is as fast.
    constexpr std::uint64_t kMinimumChannels = 4;
    if (!axes || axes->outer > kMaximumSize || axes->reduced > kMaximumFloatMeanElements ||
        axes->inner > kMaximumSize || axes->inner < kMinimumChannels || !hasStackFor(axes->inner)) {
        return nullptr;
    }
    const ImageSizes images{static_cast<std::uint32_t>(axes->outer),
                            static_cast<std::uint32_t>(axes->reduced), 1};
    const FloatRange range = wholeRange(input.type);
    return makeClampedStep(
        createGlobalAverage(Elements::of(input), images, static_cast<std::uint32_t>(axes->inner),
                            range, operation.inputs.size()),
        range, output, operation.inputs.size(),
        effortAlone(static_cast<double>(input.shape.elementCount()), Speed::ELEMENTWISE));
}

}  // namespace nnburst::exec::xnnpack
