// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// AVERAGE_POOL_2D and MAX_POOL_2D of NHWC images. Covered: float32; averages of unsigned 8 bits
// without padding (with it XNNPACK counts the padding too), and of signed 8 bits over the whole
// image; maxima of both. Not covered: windows of 1x1, which XNNPACK refuses.
//
//     input [batches, height, width, channels]
//     output [batches, outputHeight, outputWidth, channels]

#include <tuple>
#include <utility>

#include "exec/operation/spatial.h"
#include "exec/xnnpack/families.h"

namespace nnburst::exec::xnnpack {

namespace {

/// XNNPACK divides by the window's size with a factor of 24 bits.
constexpr std::uint64_t kMaximumWindowElements = (1 << 23) - 1;

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
    [[nodiscard]] bool isPadded() const noexcept {
        return window.height.paddingBefore != 0 || window.height.paddingAfter != 0 ||
               window.width.paddingBefore != 0 || window.width.paddingAfter != 0;
    }
    [[nodiscard]] bool isGlobal() const noexcept {
        return !isPadded() && window.height.size == window.height.inputSize &&
               window.width.size == window.width.inputSize;
    }

    /// Calls a creation function: padding, window, strides, `dilations` if it has them, channels
    /// and their strides, then `rest`.
    template <class Create, class... Dilations, class... Rest>
    [[nodiscard]] Result<SharedOperator> create(Create function,
                                                const std::tuple<Dilations...>& dilations,
                                                const Rest&... rest) const {
        const SlidingWindow& height = window.height;
        const SlidingWindow& width = window.width;
        xnn_operator_t created = nullptr;
        const xnn_status status = std::apply(
            [&](auto... dilation) {
                return function(height.paddingBefore, width.paddingAfter, height.paddingAfter,
                                width.paddingBefore, height.size, width.size, height.stride,
                                width.stride, dilation..., channels(), channels(), channels(),
                                rest..., 0, &created);
            },
            dilations);
        return takeOperator(status, created);
    }
    template <class Create, class... Rest>
    [[nodiscard]] Result<SharedOperator> createAverage(Create function, const Rest&... rest) const {
        return create(function, std::tuple<>(), rest...);
    }
    template <class Create, class... Rest>
    [[nodiscard]] Result<SharedOperator> createMaximum(Create function, const Rest&... rest) const {
        return create(function, std::tuple(1U, 1U), rest...);
    }
    template <class Create, class... Rest>
    [[nodiscard]] Result<SharedOperator> createGlobal(Create function, const Rest&... rest) const {
        xnn_operator_t created = nullptr;
        const xnn_status status =
            function(channels(), channels(), channels(), rest..., 0, &created);
        return takeOperator(status, created);
    }

    template <class T, class Function>
    [[nodiscard]] SetUp setUp(Function function) const {
        return
            [=, batches = input.shape[0], height = input.shape[1], width = input.shape[2],
             index = outputIndex](xnn_operator_t handle, Operands operands, pthreadpool_t threads) {
                return function(handle, batches, height, width, operandAs<const T>(operands, 0),
                                operandAs<T>(operands, index), threads);
            };
    }
    template <class T, class Function>
    [[nodiscard]] SetUp setUpGlobal(Function function) const {
        return [=, batches = input.shape[0], elements = windowElements(), index = outputIndex](
                   xnn_operator_t handle, Operands operands, pthreadpool_t threads) {
            return function(handle, batches, elements, operandAs<const T>(operands, 0),
                            operandAs<T>(operands, index), threads);
        };
    }

    /// A step of a created operator; null if `created` is.
    [[nodiscard]] StepResult step(Result<SharedOperator> created, SetUp setUp,
                                  pthreadpool_t threads) const {
        if (!created) {
            return tl::unexpected<Error>(std::move(created.error()));
        }
        if (!*created) {
            return nullptr;
        }
        return makeOperatorStep(std::move(*created), std::move(setUp), threads, false);
    }
};

Result<Pooling> readPooling(const OperationView& operation) {
    Pooling pooling{.input = operation.inputs[0],
                    .output = operation.outputs[0],
                    .outputIndex = operation.inputs.size(),
                    .arguments = {},
                    .window = {}};
    NNBURST_TRY_ASSIGN(pooling.arguments, readSpatialArguments(operation, SpatialForm::POOLING));
    const SpatialArguments& arguments = pooling.arguments;
    NNBURST_TRY_ASSIGN(
        pooling.window,
        slideWindow(operation, arguments, pooling.input.shape[arguments.heightAxis()],
                    pooling.input.shape[arguments.widthAxis()], arguments.height.window,
                    arguments.width.window));
    return pooling;
}

bool isCovered(const Pooling& pooling) noexcept {
    return !pooling.arguments.isNchw && pooling.windowElements() > 1 &&
           pooling.windowElements() <= kMaximumWindowElements && pooling.taps() <= kMaximumTaps;
}

/// The HAL requires equal scales, XNNPACK does not.
bool hasSameScale(const Pooling& pooling) noexcept {
    return isNormalScale(pooling.input.scale) && pooling.input.scale == pooling.output.scale &&
           pooling.input.zeroPoint == pooling.output.zeroPoint;
}

template <class T>
struct QuantizedBounds {
    QuantizedBounds(const Pooling& pooling, QuantizedRange range) noexcept
        : zeroPoint(static_cast<T>(pooling.input.zeroPoint)),
          minimum(static_cast<T>(range.minimum)),
          maximum(static_cast<T>(range.maximum)) {}

    T zeroPoint;
    T minimum;
    T maximum;
};

}  // namespace

StepResult makeAveragePool2d(const OperationView& operation, const StepContext& context) {
    NNBURST_TRY_ASSIGN(const Pooling pooling, readPooling(operation));
    if (!isCovered(pooling)) {
        return nullptr;
    }
    const pthreadpool_t threads = threadsFor(context, pooling.work(), Speed::ELEMENTWISE);
    const FusedActivationFunc activation = pooling.arguments.activation;
    if (pooling.input.type == OperandType::TENSOR_FLOAT32) {
        const FloatRange range = activationRange(activation);
        if (pooling.isGlobal()) {
            return pooling.step(
                pooling.createGlobal(xnn_create_global_average_pooling_nwc_f32, range.minimum,
                                     range.maximum),
                pooling.setUpGlobal<float>(xnn_setup_global_average_pooling_nwc_f32), nullptr);
        }
        return pooling.step(pooling.createAverage(xnn_create_average_pooling2d_nhwc_f32,
                                                  range.minimum, range.maximum),
                            pooling.setUp<float>(xnn_setup_average_pooling2d_nhwc_f32), threads);
    }
    const QuantizedRange range = activationRange(activation, pooling.output);
    if (!hasSameScale(pooling) || !isRange(range) || pooling.isPadded()) {
        return nullptr;
    }
    const float scale = pooling.input.scale;
    if (pooling.input.type == OperandType::TENSOR_QUANT8_ASYMM) {
        const QuantizedBounds<std::uint8_t> bounds(pooling, range);
        if (pooling.isGlobal()) {
            return pooling.step(
                pooling.createGlobal(xnn_create_global_average_pooling_nwc_qu8, bounds.zeroPoint,
                                     scale, bounds.zeroPoint, scale, bounds.minimum,
                                     bounds.maximum),
                pooling.setUpGlobal<std::uint8_t>(xnn_setup_global_average_pooling_nwc_qu8),
                nullptr);
        }
        return pooling.step(
            pooling.createAverage(xnn_create_average_pooling2d_nhwc_qu8, bounds.zeroPoint, scale,
                                  bounds.zeroPoint, scale, bounds.minimum, bounds.maximum),
            pooling.setUp<std::uint8_t>(xnn_setup_average_pooling2d_nhwc_qu8), threads);
    }
    if (pooling.input.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED && pooling.isGlobal()) {
        const QuantizedBounds<std::int8_t> bounds(pooling, range);
        return pooling.step(
            pooling.createGlobal(xnn_create_global_average_pooling_nwc_qs8, bounds.zeroPoint, scale,
                                 bounds.zeroPoint, scale, bounds.minimum, bounds.maximum),
            pooling.setUpGlobal<std::int8_t>(xnn_setup_global_average_pooling_nwc_qs8), nullptr);
    }
    return nullptr;
}

StepResult makeMaxPool2d(const OperationView& operation, const StepContext& context) {
    NNBURST_TRY_ASSIGN(const Pooling pooling, readPooling(operation));
    if (!isCovered(pooling)) {
        return nullptr;
    }
    const pthreadpool_t threads = threadsFor(context, pooling.work(), Speed::ELEMENTWISE);
    const FusedActivationFunc activation = pooling.arguments.activation;
    if (pooling.input.type == OperandType::TENSOR_FLOAT32) {
        const FloatRange range = activationRange(activation);
        return pooling.step(
            pooling.createMaximum(xnn_create_max_pooling2d_nhwc_f32, range.minimum, range.maximum),
            pooling.setUp<float>(xnn_setup_max_pooling2d_nhwc_f32), threads);
    }
    const QuantizedRange range = activationRange(activation, pooling.output);
    if (!hasSameScale(pooling) || !isRange(range)) {
        return nullptr;
    }
    if (pooling.input.type == OperandType::TENSOR_QUANT8_ASYMM) {
        const QuantizedBounds<std::uint8_t> bounds(pooling, range);
        return pooling.step(
            pooling.createMaximum(xnn_create_max_pooling2d_nhwc_u8, bounds.minimum, bounds.maximum),
            pooling.setUp<std::uint8_t>(xnn_setup_max_pooling2d_nhwc_u8), threads);
    }
    if (pooling.input.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED) {
        const QuantizedBounds<std::int8_t> bounds(pooling, range);
        return pooling.step(
            pooling.createMaximum(xnn_create_max_pooling2d_nhwc_s8, bounds.minimum, bounds.maximum),
            pooling.setUp<std::int8_t>(xnn_setup_max_pooling2d_nhwc_s8), threads);
    }
    return nullptr;
}

}  // namespace nnburst::exec::xnnpack
