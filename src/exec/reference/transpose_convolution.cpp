// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// TRANSPOSE_CONV_2D.
//
//     input   [batches, height, width, depthIn], or NCHW
//     filter  [depthOut, filterHeight, filterWidth, depthIn]
//     bias    [depthOut]
//     output  [batches, outputHeight, outputWidth, depthOut], in the layout of the input
//
// Each element of the input adds its product with the filter to a window of the output.

#include "exec/operation/shape_arguments.h"
#include "exec/operation/spatial.h"
#include "exec/reference/definitions.h"
#include "exec/reference/elements.h"
#include "exec/reference/image.h"
#include "exec/reference/weighted_sum.h"

namespace nnburst::exec {

namespace {
namespace transpose_convolution {

/// Checks the ranks, and the type of the output's shape, which comes with implicit padding.
void checkRanks(OperationCheck& check, bool isImplicit) {
    check.input(0, "input").rank(4);
    check.input(1, "filter").rank(4);
    check.input(2, "bias").rank(1);
    if (isImplicit) {
        check.input(kTransposeOutputShape, "output shape")
            .type({OperandType::TENSOR_INT32})
            .rank(1)
            .size(0, 4, "the rank of the output");
    }
}

void checkShapes(OperationCheck& check, const SpatialArguments& arguments) {
    checkRanks(check, arguments.implicitPadding.has_value());
    const std::size_t channelAxis = arguments.channelAxis();
    const OperandCheck input = check.input(0, "input").notEmpty(channelAxis);
    OperandCheck filter = check.input(1, "filter");
    for (std::size_t axis = 0; axis < 4; ++axis) {
        filter.notEmpty(axis);
    }
    filter.size(3, input[channelAxis], "the input's channels");
    if (filter[0] != 0) {
        checkChannelScales(filter, filter[0]);
    }
    check.input(2, "bias").size(0, filter[0], "the filter's output channels");
}

/// A convolution whose shapes are known and go together.
struct Resolved {
    TransposeConvolution convolution;
    Shape outputShape;
};

Result<Resolved> resolve(const OperationView& operation) {
    NNBURST_TRY_ASSIGN(const TransposeConvolution given, readTransposeArguments(operation));
    const SpatialArguments& arguments = given.arguments;
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkShapes(check, arguments);
    NNBURST_TRY(check.result());
    Resolved resolved;
    NNBURST_TRY_ASSIGN(resolved.convolution, resolveTransposeConvolution(operation));
    std::array<std::uint64_t, 4> sizes{};
    sizes[0] = operation.inputs[0].shape[0];
    sizes[arguments.heightAxis()] = resolved.convolution.height.outputSize;
    sizes[arguments.widthAxis()] = resolved.convolution.width.outputSize;
    sizes[arguments.channelAxis()] = operation.inputs[1].shape[0];
    NNBURST_TRY_ASSIGN(resolved.outputShape, makeOutputShape(operation, 0, sizes));
    return resolved;
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(9, 11).outputCount(1);
    checkSumTypes(check, "filter", 0);
    checkRanks(check, operation.inputs.size() == kTransposeImplicitInputs);
    check.output(0, "output").rank(4);
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const TransposeConvolution given, readTransposeArguments(operation));
    const SpatialArguments& arguments = given.arguments;
    checkShapes(check, arguments);
    NNBURST_TRY(check.result());
    if (hasKnownInputShapes(operation) &&
        (!arguments.implicitPadding || operation.inputs[kTransposeOutputShape].data != nullptr)) {
        NNBURST_TRY(resolve(operation));
    }
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Resolved resolved, resolve(operation));
    outputs[0] = resolved.outputShape;
    return {};
}

/// The inputs that contribute to one output, along one axis: tap firstTap + i * stride of the
/// filter takes input firstInput - i, for i in [0, count).
struct Sources {
    Sources(const TransposeConvolution::Axis& axis, std::uint32_t output) noexcept {
        const std::int64_t stride = axis.stride;
        const std::int64_t position = output + axis.paddingBefore;
        // Taps that would come from inputs after the last one are left out.
        const std::int64_t tooFar = position / stride - (std::int64_t{axis.inputSize} - 1);
        firstTap = position % stride + (tooFar > 0 ? tooFar * stride : 0);
        firstInput = (position - firstTap) / stride;
        const std::int64_t taps =
            firstTap < axis.filterSize ? (axis.filterSize - 1 - firstTap) / stride + 1 : 0;
        count = std::max<std::int64_t>(0, std::min(taps, firstInput + 1));
    }

    std::int64_t firstTap;
    std::int64_t firstInput;
    std::int64_t count;
};

template <class Sums>
void convolve(const OperationView& operation, const TransposeConvolution& convolution,
              const Sums& sums) {
    using Element = typename Sums::Element;
    using Weight = typename Sums::Weight;
    using Sum = typename Sums::Sum;
    const Image input(operation.inputs[0].shape, convolution.arguments);
    const Image output(operation.outputs[0].shape, convolution.arguments);
    const auto* inputData = operation.inputs[0].as<const Element>();
    const auto* filter = operation.inputs[1].as<const Weight>();
    const auto* bias = operation.inputs[2].as<const typename Sums::Bias>();
    auto* outputData = operation.outputs[0].as<Element>();
    const TransposeConvolution::Axis& height = convolution.height;
    const TransposeConvolution::Axis& width = convolution.width;
    PartCounter parts(operation);
    for (std::size_t b = 0; b < output.batches; ++b) {
        for (std::uint32_t y = 0; y < output.height; ++y) {
            const Sources rows(height, y);
            for (std::size_t c = 0; c < output.channels; ++c) {
                const auto finish = sums.finisher(c);
                const Weight* channelFilter =
                    filter + c * height.filterSize * width.filterSize * input.channels;
                for (std::uint32_t x = 0; x < output.width; ++x) {
                    const Sources columns(width, x);
                    auto sum = static_cast<Sum>(bias[c]);
                    for (std::int64_t i = 0; i < rows.count; ++i) {
                        const auto tapY =
                            static_cast<std::size_t>(rows.firstTap + i * height.stride);
                        const auto fromY = static_cast<std::size_t>(rows.firstInput - i);
                        for (std::int64_t j = 0; j < columns.count; ++j) {
                            const auto tapX =
                                static_cast<std::size_t>(columns.firstTap + j * width.stride);
                            const auto fromX = static_cast<std::size_t>(columns.firstInput - j);
                            const Element* pixel = inputData + input.offset(b, fromY, fromX, 0);
                            const Weight* weights =
                                channelFilter + (tapY * width.filterSize + tapX) * input.channels;
                            sum += sumOfTerms<Sum>(input.channels, [&](std::size_t k) {
                                return sums.product(pixel[k * input.channelStride], weights[k]);
                            });
                            if (parts.isOutOfTime(input.channels)) {
                                return;
                            }
                        }
                        if (parts.isOutOfTime(0)) {
                            return;
                        }
                    }
                    outputData[output.offset(b, y, x, c)] = finish(sum);
                    if (parts.isOutOfTime(0)) {
                        return;
                    }
                }
            }
        }
    }
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Resolved resolved, resolve(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, resolved.outputShape));
    dispatchSums(operation, resolved.convolution.arguments.activation,
                 [&](const auto& sums) { convolve(operation, resolved.convolution, sums); });
    return {};
}

}  // namespace transpose_convolution
}  // namespace

constinit const OperationDefinition kTransposeConv2d{
    .type = OperationType::TRANSPOSE_CONV_2D,
    .since = HalVersion::V1_2,
    .valueInputs = inputs(kTransposeOutputShape),
    .check = transpose_convolution::check,
    .inferShapes = transpose_convolution::inferShapes,
    .run = transpose_convolution::run,
};

}  // namespace nnburst::exec
