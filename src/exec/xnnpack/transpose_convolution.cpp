// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// TRANSPOSE_CONV_2D. Covered: NHWC with constant filter and bias; float32; unsigned 8 bits; signed
// 8 bits with a filter of zero point 0.
//
//     input  [batches, height, width, inputs]
//     filter [outputs, kernelHeight, kernelWidth, inputs]
//     output [batches, outputHeight, outputWidth, outputs]

#include <utility>

#include "exec/operation/spatial.h"
#include "exec/xnnpack/families.h"

namespace nnburst::exec::xnnpack {

namespace {

/// Whether every output is in some window: XNNPACK does not write those that are not. And whether
/// there are as many outputs as the stride: with fewer, XNNPACK writes outside its memory.
bool isCovered(const TransposeConvolution::Axis& axis) noexcept {
    return axis.filterSize >= axis.stride && axis.paddingAfter >= 0 &&
           axis.outputSize >= axis.stride;
}

/// Whether each output is in one window, and each element of a window is an output.
bool isTiledByWindows(const TransposeConvolution::Axis& axis) noexcept {
    return axis.paddingBefore == 0 && axis.paddingAfter == 0 && axis.filterSize == axis.stride;
}

/// Addresses of the operator's table, at most: for each phase of a stride the columns are filled up
/// to a multiple of those that are computed at a time. XNNPACK makes no table for strides whose
/// windows touch: it then multiplies matrices, with a few numbers for each phase.
double addressCount(const TransposeConvolution& convolution) noexcept {
    constexpr double kNumbersOfPhase = 10;
    const TransposeConvolution::Axis& height = convolution.height;
    const TransposeConvolution::Axis& width = convolution.width;
    const double phases = static_cast<double>(height.stride) * width.stride;
    if (phases > 1 && isTiledByWindows(height) && isTiledByWindows(width)) {
        return phases * kNumbersOfPhase;
    }
    return static_cast<double>(height.filterSize) * width.filterSize * height.outputSize *
           (width.outputSize + width.stride * kMaximumTileOutputs);
}

/// The arguments of a creation function, without weights.
struct Deconvolution {
    const TransposeConvolution& given;
    std::size_t inputs;
    std::size_t outputs;

    template <class Create, class... Rest>
    [[nodiscard]] Result<SharedOperator> create(Create function, WeightsCache weights,
                                                const Rest&... rest) const {
        const TransposeConvolution::Axis& height = given.height;
        const TransposeConvolution::Axis& width = given.width;
        const auto padding = [](std::int64_t size) { return static_cast<std::uint32_t>(size); };
        xnn_operator_t created = nullptr;
        const xnn_status status = createPacked(
            function, created, weights, padding(height.paddingBefore), padding(width.paddingAfter),
            padding(height.paddingAfter), padding(width.paddingBefore), height.filterSize,
            width.filterSize, height.stride, width.stride, 1, 1, 1, inputs, outputs, inputs,
            outputs, rest..., 0);
        return takeOperator(status, created);
    }
};

Result<SharedOperator> createFloat(const OperationView& operation,
                                   const Deconvolution& deconvolution, WeightsCache weights) {
    const FloatRange range = activationRange(deconvolution.given.arguments.activation);
    return deconvolution.create(xnn_create_deconvolution2d_nhwc_f32, weights,
                                operation.inputs[1].as<float>(), operation.inputs[2].as<float>(),
                                range.minimum, range.maximum);
}

Result<SharedOperator> createQuantized(const OperationView& operation,
                                       const Deconvolution& deconvolution, WeightsCache weights) {
    const OperandView& input = operation.inputs[0];
    const OperandView& filter = operation.inputs[1];
    const OperandView& output = operation.outputs[0];
    const auto* bias = operation.inputs[2].as<std::int32_t>();
    const QuantizedRange range = activationRange(deconvolution.given.arguments.activation, output);
    const float sumScale = input.scale * filter.scale / output.scale;
    const std::size_t products =
        std::size_t{filter.shape[1]} * filter.shape[2] * deconvolution.inputs;
    if (filter.channelQuant != nullptr || !isNormalScale(input.scale) ||
        !isNormalScale(filter.scale) || !isNormalScale(output.scale) ||
        !isRequantizationScale(sumScale) || !areSumsCovered(operation, sumScale, products) ||
        !isRange(range)) {
        return nullptr;
    }
    if (input.type == OperandType::TENSOR_QUANT8_ASYMM) {
        return deconvolution.create(
            xnn_create_deconvolution2d_nhwc_qu8, weights,
            static_cast<std::uint8_t>(input.zeroPoint), input.scale,
            static_cast<std::uint8_t>(filter.zeroPoint), filter.scale, filter.as<std::uint8_t>(),
            bias, static_cast<std::uint8_t>(output.zeroPoint), output.scale,
            static_cast<std::uint8_t>(range.minimum), static_cast<std::uint8_t>(range.maximum));
    }
    if (filter.zeroPoint != 0) {
        return nullptr;
    }
    return deconvolution.create(
        xnn_create_deconvolution2d_nhwc_qs8, weights, static_cast<std::int8_t>(input.zeroPoint),
        input.scale, filter.scale, filter.as<std::int8_t>(), bias,
        static_cast<std::int8_t>(output.zeroPoint), output.scale,
        static_cast<std::int8_t>(range.minimum), static_cast<std::int8_t>(range.maximum));
}

}  // namespace

StepResult makeTransposeConv2d(const OperationView& operation, const StepContext& context) {
    const OperandType type = operation.inputs[0].type;
    const bool isFloat = type == OperandType::TENSOR_FLOAT32;
    const bool isQuantized =
        type == OperandType::TENSOR_QUANT8_ASYMM || type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
    NNBURST_TRY_ASSIGN(const TransposeConvolution convolution,
                       resolveTransposeConvolution(operation));
    const Shape& filter = operation.inputs[1].shape;
    const Deconvolution deconvolution{
        .given = convolution, .inputs = filter[3], .outputs = filter[0]};
    const double work =
        tapCount(convolution) * operation.inputs[0].shape[0] * filter[0] * filter[3];
    if (isTooLong(work, Speed::DENSE)) {
        return nullptr;
    }
    if ((!isFloat && !isQuantized) || convolution.arguments.isNchw ||
        !operation.inputs[1].isConstant || !operation.inputs[2].isConstant ||
        !isCovered(convolution.height) || !isCovered(convolution.width) ||
        addressCount(convolution) > kMaximumAddresses) {
        return nullptr;
    }
    const Shape& input = operation.inputs[0].shape;
    const OperatorKey key{context.operation, input[1], input[2]};
    const bool hasWeights =
        operation.inputs[1].data != nullptr && operation.inputs[2].data != nullptr;
    NNBURST_TRY_ASSIGN(SharedOperator shared,
                       shareOperator(context, key, hasWeights, [&](WeightsCache weights) {
                           return isFloat ? createFloat(operation, deconvolution, weights)
                                          : createQuantized(operation, deconvolution, weights);
                       }));
    if (!shared) {
        return nullptr;
    }
    return makeOperatorStep(
        std::move(shared),
        setUpDeconvolution(type, {input[0], input[1], input[2]}, operation.inputs.size()),
        effortOf(context, work, Speed::DENSE));
}

}  // namespace nnburst::exec::xnnpack
