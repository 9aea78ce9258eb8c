// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// CONV_2D, GROUPED_CONV_2D and DEPTHWISE_CONV_2D. Covered: NHWC with constant filter and bias;
// float32; unsigned 8 bits; signed 8 bits with a filter of zero point 0 or per channel.
//
//     input  [batches, height, width, groups * groupInputs]
//     filter [outputs, kernelHeight, kernelWidth, groupInputs],
//            depthwise [1, kernelHeight, kernelWidth, outputs]
//     output [batches, outputHeight, outputWidth, groups * groupOutputs]

#include <algorithm>
#include <utility>

#include "exec/operation/spatial.h"
#include "exec/xnnpack/families.h"

namespace nnburst::exec::xnnpack {

namespace {

struct Convolution {
    SpatialArguments arguments;
    SpatialWindow window;
    std::uint32_t batches = 0;
    std::uint32_t groups = 0;
    std::uint32_t groupInputs = 0;
    std::uint32_t groupOutputs = 0;
    std::uint32_t flags = 0;

    [[nodiscard]] double taps() const noexcept {
        return static_cast<double>(window.height.size) * window.width.size *
               window.height.outputSize * window.width.outputSize;
    }
    [[nodiscard]] double work() const noexcept {
        return taps() * batches * groups * groupInputs * groupOutputs;
    }
    /// A matrix multiplication: no table of addresses.
    [[nodiscard]] bool isPointwise() const noexcept {
        return isPointwise(window.height) && isPointwise(window.width);
    }
    [[nodiscard]] static bool isPointwise(const SlidingWindow& axis) noexcept {
        return axis.size == 1 && axis.stride == 1 && axis.paddingBefore == 0 &&
               axis.paddingAfter == 0;
    }

    /// Calls a creation function with the arguments that all of them begin with, then `rest`.
    template <class Create, class... Rest>
    [[nodiscard]] Result<SharedOperator> create(Create function, const Rest&... rest) const {
        const SlidingWindow& height = window.height;
        const SlidingWindow& width = window.width;
        xnn_operator_t created = nullptr;
        const xnn_status status = function(
            height.paddingBefore, width.paddingAfter, height.paddingAfter, width.paddingBefore,
            height.size, width.size, height.stride, width.stride, height.dilation, width.dilation,
            groups, groupInputs, groupOutputs, std::size_t{groups} * groupInputs,
            std::size_t{groups} * groupOutputs, rest..., flags, &created);
        return takeOperator(status, created);
    }
};

Result<SharedOperator> createFloat(const OperationView& operation, const Convolution& convolution) {
    const FloatRange range = activationRange(convolution.arguments.activation);
    return convolution.create(xnn_create_convolution2d_nhwc_f32, operation.inputs[1].as<float>(),
                              operation.inputs[2].as<float>(), range.minimum, range.maximum);
}

/// The quantised kinds, of unsigned or signed elements `T`.
template <class T>
struct Quantized {
    const OperandView& input;
    const OperandView& filter;
    const OperandView& output;
    const T* weights;
    const std::int32_t* bias;
    T inputZeroPoint;
    T outputZeroPoint;
    T minimum;
    T maximum;

    Quantized(const OperationView& operation, QuantizedRange range) noexcept
        : input(operation.inputs[0]),
          filter(operation.inputs[1]),
          output(operation.outputs[0]),
          weights(filter.as<T>()),
          bias(operation.inputs[2].as<std::int32_t>()),
          inputZeroPoint(static_cast<T>(input.zeroPoint)),
          outputZeroPoint(static_cast<T>(output.zeroPoint)),
          minimum(static_cast<T>(range.minimum)),
          maximum(static_cast<T>(range.maximum)) {}
};

Result<SharedOperator> createQuantized(const OperationView& operation,
                                       const Convolution& convolution) {
    const OperandView& input = operation.inputs[0];
    const OperandView& filter = operation.inputs[1];
    const OperandView& output = operation.outputs[0];
    const QuantizedRange range = activationRange(convolution.arguments.activation, output);
    if (!isNormalScale(input.scale) || !isNormalScale(output.scale) || !isRange(range)) {
        return nullptr;
    }
    if (filter.channelQuant != nullptr) {
        const std::vector<float>& scales = filter.channelQuant->scales;
        const bool isCovered = input.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED &&
                               std::all_of(scales.begin(), scales.end(), [&](float scale) {
                                   return isNormalScale(scale) &&
                                          isRequantizationScale(input.scale * scale / output.scale);
                               });
        if (!isCovered) {
            return nullptr;
        }
        const Quantized<std::int8_t> given(operation, range);
        return convolution.create(xnn_create_convolution2d_nhwc_qc8, given.inputZeroPoint,
                                  input.scale, scales.data(), given.weights, given.bias,
                                  given.outputZeroPoint, output.scale, given.minimum,
                                  given.maximum);
    }
    if (!isNormalScale(filter.scale) ||
        !isRequantizationScale(input.scale * filter.scale / output.scale)) {
        return nullptr;
    }
    if (input.type == OperandType::TENSOR_QUANT8_ASYMM) {
        const Quantized<std::uint8_t> given(operation, range);
        return convolution.create(xnn_create_convolution2d_nhwc_qu8, given.inputZeroPoint,
                                  input.scale, static_cast<std::uint8_t>(filter.zeroPoint),
                                  filter.scale, given.weights, given.bias, given.outputZeroPoint,
                                  output.scale, given.minimum, given.maximum);
    }
    if (filter.zeroPoint != 0) {
        return nullptr;
    }
    const Quantized<std::int8_t> given(operation, range);
    return convolution.create(xnn_create_convolution2d_nhwc_qs8, given.inputZeroPoint, input.scale,
                              filter.scale, given.weights, given.bias, given.outputZeroPoint,
                              output.scale, given.minimum, given.maximum);
}

template <class T, class Function>
SetUp imageSetUp(Function function, const OperationView& operation) {
    const Shape& input = operation.inputs[0].shape;
    const std::size_t output = operation.inputs.size();
    return [=, batches = input[0], height = input[1], width = input[2]](
               xnn_operator_t handle, Operands operands, pthreadpool_t threads) {
        return function(handle, batches, height, width, operandAs<const T>(operands, 0),
                        operandAs<T>(operands, output), threads);
    };
}

SetUp setUpOf(const OperationView& operation) {
    switch (operation.inputs[0].type) {
        case OperandType::TENSOR_FLOAT32:
            return imageSetUp<float>(xnn_setup_convolution2d_nhwc_f32, operation);
        case OperandType::TENSOR_QUANT8_ASYMM:
            return imageSetUp<std::uint8_t>(xnn_setup_convolution2d_nhwc_qu8, operation);
        default:
            return operation.inputs[1].channelQuant != nullptr
                       ? imageSetUp<std::int8_t>(xnn_setup_convolution2d_nhwc_qc8, operation)
                       : imageSetUp<std::int8_t>(xnn_setup_convolution2d_nhwc_qs8, operation);
    }
}

StepResult makeConvolution(const OperationView& operation, const StepContext& context,
                           const Convolution& convolution) {
    const OperandType type = operation.inputs[0].type;
    const bool isFloat = type == OperandType::TENSOR_FLOAT32;
    const bool isQuantized =
        type == OperandType::TENSOR_QUANT8_ASYMM || type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
    if ((!isFloat && !isQuantized) || convolution.arguments.isNchw ||
        !operation.inputs[1].isConstant || !operation.inputs[2].isConstant ||
        convolution.taps() > kMaximumTaps) {
        return nullptr;
    }
    const Shape& input = operation.inputs[0].shape;
    const OperatorKey key = convolution.isPointwise()
                                ? OperatorKey{context.operation, 0, 0}
                                : OperatorKey{context.operation, input[1], input[2]};
    const bool hasWeights =
        operation.inputs[1].data != nullptr && operation.inputs[2].data != nullptr;
    NNBURST_TRY_ASSIGN(SharedOperator shared, shareOperator(context, key, hasWeights, [&] {
                           return isFloat ? createFloat(operation, convolution)
                                          : createQuantized(operation, convolution);
                       }));
    if (!shared) {
        return nullptr;
    }
    return makeOperatorStep(std::move(shared), setUpOf(operation),
                            threadsFor(context, convolution.work(),
                                       convolution.groups == 1 ? Speed::DENSE : Speed::ELEMENTWISE),
                            true);
}

Result<Convolution> readConvolution(const OperationView& operation, SpatialForm form) {
    const Shape& input = operation.inputs[0].shape;
    const Shape& filter = operation.inputs[1].shape;
    Convolution convolution;
    NNBURST_TRY_ASSIGN(convolution.arguments, readSpatialArguments(operation, form));
    const SpatialArguments& arguments = convolution.arguments;
    NNBURST_TRY_ASSIGN(convolution.window,
                       slideWindow(operation, arguments, input[arguments.heightAxis()],
                                   input[arguments.widthAxis()], filter[1], filter[2]));
    convolution.batches = input[0];
    return convolution;
}

}  // namespace

StepResult makeConv2d(const OperationView& operation, const StepContext& context) {
    NNBURST_TRY_ASSIGN(Convolution convolution,
                       readConvolution(operation, SpatialForm::CONVOLUTION));
    const Shape& filter = operation.inputs[1].shape;
    convolution.groups = 1;
    convolution.groupInputs = filter[3];
    convolution.groupOutputs = filter[0];
    return makeConvolution(operation, context, convolution);
}

StepResult makeGroupedConv2d(const OperationView& operation, const StepContext& context) {
    NNBURST_TRY_ASSIGN(Convolution convolution,
                       readConvolution(operation, SpatialForm::GROUPED_CONVOLUTION));
    const Shape& filter = operation.inputs[1].shape;
    convolution.groups = convolution.arguments.groups;
    convolution.groupInputs = filter[3];
    convolution.groupOutputs = filter[0] / convolution.groups;
    return makeConvolution(operation, context, convolution);
}

StepResult makeDepthwiseConv2d(const OperationView& operation, const StepContext& context) {
    NNBURST_TRY_ASSIGN(Convolution convolution,
                       readConvolution(operation, SpatialForm::DEPTHWISE_CONVOLUTION));
    const Shape& input = operation.inputs[0].shape;
    convolution.groups = input[convolution.arguments.channelAxis()];
    convolution.groupInputs = 1;
    convolution.groupOutputs = convolution.arguments.depthMultiplier;
    convolution.flags = XNN_FLAG_DEPTHWISE_CONVOLUTION;
    return makeConvolution(operation, context, convolution);
}

}  // namespace nnburst::exec::xnnpack
