// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// CONV_2D, GROUPED_CONV_2D and DEPTHWISE_CONV_2D.
//
//     input   [batches, height, width, depthIn], or NCHW
//     filter  [depthOut, filterHeight, filterWidth, depthIn] of CONV_2D
//             [depthOut, filterHeight, filterWidth, depthIn / groups] of GROUPED_CONV_2D: the
//             outputs of a group depend on the inputs of that group alone
//             [1, filterHeight, filterWidth, depthOut] of DEPTHWISE_CONV_2D, where
//             depthOut = depthIn * multiplier
//     bias    [depthOut]
//     output  [batches, outputHeight, outputWidth, depthOut], in the layout of the input
//
// Padding counts as the number 0: the taps of a window that hit it are left out.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "exec/operation/spatial.h"
#include "exec/reference/definitions.h"
#include "exec/reference/elements.h"
#include "exec/reference/image.h"
#include "exec/reference/weighted_sum.h"

namespace nnburst::exec {

namespace {
namespace convolution {

/// The last axis of the filter.
constexpr std::size_t kFilterLast = 3;  ///< depthIn of CONV_2D, depthOut of DEPTHWISE_CONV_2D

constexpr SpatialForm kFull = SpatialForm::CONVOLUTION;
constexpr SpatialForm kGrouped = SpatialForm::GROUPED_CONVOLUTION;
constexpr SpatialForm kDepthwise = SpatialForm::DEPTHWISE_CONVOLUTION;

constexpr std::uint32_t filterChannelAxis(SpatialForm form) noexcept {
    return form == kDepthwise ? 3 : 0;
}

/// A convolution whose shapes are known and go together.
struct Convolution {
    SpatialArguments arguments;
    SpatialWindow window;
    Shape outputShape;
};

void checkRanks(OperationCheck& check) {
    check.input(0, "input").rank(4);
    check.input(1, "filter").rank(4);
    check.input(2, "bias").rank(1);
}

void checkShapes(OperationCheck& check, const SpatialArguments& arguments, SpatialForm form) {
    checkRanks(check);
    const std::size_t channelAxis = arguments.channelAxis();
    const OperandCheck input = check.input(0, "input").notEmpty(channelAxis);
    OperandCheck filter = check.input(1, "filter");
    for (std::size_t axis = 0; axis < 4; ++axis) {
        filter.notEmpty(axis);
    }
    if (form == kDepthwise) {
        const std::uint64_t outputs = std::uint64_t{input[channelAxis]} * arguments.depthMultiplier;
        filter.size(0, 1, "as each filter has a depth of 1")
            .require(outputs <= UINT32_MAX,
                     [&] {
                         return fmt::format("{} channels of output; must be less than 2^32",
                                            outputs);
                     })
            .size(kFilterLast, static_cast<std::uint32_t>(outputs),
                  "the input's channels times the depth multiplier");
    } else {
        const std::uint32_t groups = arguments.groups;
        check.require(input[channelAxis] % groups == 0 && filter[0] % groups == 0, [&] {
            return fmt::format(
                "{} channels of input and {} of output in {} groups; must be "
                "multiples of it",
                input[channelAxis], filter[0], groups);
        });
        filter.size(kFilterLast, input[channelAxis] / groups,
                    form == kGrouped ? "the input's channels of a group" : "the input's channels");
    }
    const std::uint32_t depthOut = filter[filterChannelAxis(form)];
    if (depthOut != 0) {
        checkChannelScales(filter, depthOut);
    }
    check.input(2, "bias").size(0, depthOut, "the filter's output channels");
}

Result<Convolution> resolve(const OperationView& operation, SpatialForm form) {
    NNBURST_TRY_ASSIGN(const SpatialArguments arguments, readSpatialArguments(operation, form));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkShapes(check, arguments, form);
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const SpatialWindow window, slideWindow(operation, arguments));
    const Shape& filter = operation.inputs[1].shape;
    Shape output = operation.inputs[0].shape;
    output[arguments.heightAxis()] = window.height.outputSize;
    output[arguments.widthAxis()] = window.width.outputSize;
    output[arguments.channelAxis()] = filter[filterChannelAxis(form)];
    return Convolution{arguments, window, output};
}

template <SpatialForm form>
Result<HalVersion> check(const OperationView& operation) {
    constexpr std::size_t kMinimumInputs = form == kFull ? 7 : 8;
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    if constexpr (form == kGrouped) {
        check.inputCount(9, 12);  // the layout must be given
    } else {
        check.inputCount(kMinimumInputs, kMinimumInputs + 6);
    }
    check.outputCount(1);
    checkSumTypes(check, "filter", filterChannelAxis(form));
    checkRanks(check);
    check.output(0, "output").rank(4);
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const SpatialArguments arguments, readSpatialArguments(operation, form));
    checkShapes(check, arguments, form);
    NNBURST_TRY(check.result());
    if (hasKnownInputShapes(operation)) {
        NNBURST_TRY(resolve(operation, form));
    }
    return check.minimumVersion();
}

template <SpatialForm form>
Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Convolution convolution, resolve(operation, form));
    outputs[0] = convolution.outputShape;
    return {};
}

/// output[b, y, x, c] = sum over t, u, k of input[b, y', x', k] * filter[c, t, u, k] + bias[c],
/// where y' and x' lie under tap t, u of the window of y, x, and k is in the group of c.
template <class Sums>
void convolve(const OperationView& operation, const Convolution& convolution, const Sums& sums) {
    using Element = typename Sums::Element;
    using Weight = typename Sums::Weight;
    using Sum = typename Sums::Sum;
    const SlidingWindow& height = convolution.window.height;
    const SlidingWindow& width = convolution.window.width;
    const Image input(operation.inputs[0].shape, convolution.arguments);
    const Image output(operation.outputs[0].shape, convolution.arguments);
    const auto* inputData = operation.inputs[0].as<const Element>();
    const auto* filter = operation.inputs[1].as<const Weight>();
    const auto* bias = operation.inputs[2].as<const typename Sums::Bias>();
    auto* outputData = operation.outputs[0].as<Element>();
    const std::size_t depth = input.channels / convolution.arguments.groups;  // of a group
    const std::size_t groupOutputs = output.channels / convolution.arguments.groups;

    const auto sumOverDepth = [&](const Element* pixel, const Weight* weights) {
        const std::size_t stride = input.channelStride;
        return stride == 1
                   ? sumOfTerms<Sum>(
                         depth, [&](std::size_t k) { return sums.product(pixel[k], weights[k]); })
                   : sumOfTerms<Sum>(depth, [&](std::size_t k) {
                         return sums.product(pixel[k * stride], weights[k]);
                     });
    };
    PartCounter parts(operation);
    for (std::size_t b = 0; b < output.batches; ++b) {
        for (std::uint32_t y = 0; y < output.height; ++y) {
            const Taps rows(height, y);
            // A row of the output is computed channel by channel: its input stays in the cache,
            // and the filter is read once a row rather than once a pixel.
            for (std::size_t c = 0; c < output.channels; ++c) {
                const auto finish = sums.finisher(c);
                const Weight* channelFilter = filter + c * height.size * width.size * depth;
                const std::size_t firstInput = c / groupOutputs * depth;
                for (std::uint32_t x = 0; x < output.width; ++x) {
                    const Taps columns(width, x);
                    auto sum = static_cast<Sum>(bias[c]);
                    const auto addTap = [&](std::size_t t, std::size_t u) {
                        sum += sumOverDepth(
                            inputData + input.offset(b, rows.at(t), columns.at(u), firstInput),
                            channelFilter + (t * width.size + u) * depth);
                    };
                    if (forEachTap(parts, rows, columns, depth, addTap)) {
                        return;
                    }
                    outputData[output.offset(b, y, x, c)] = finish(sum);
                }
            }
        }
    }
}

/// output[b, y, x, k * m + q] =
///     sum over t, u of input[b, y', x', k] * filter[0, t, u, k * m + q] + bias[k * m + q],
/// m being the depth multiplier and y', x' as above.
template <class Sums>
void convolveDepthwise(const OperationView& operation, const Convolution& convolution,
                       const Sums& sums) {
    using Element = typename Sums::Element;
    using Weight = typename Sums::Weight;
    using Sum = typename Sums::Sum;
    constexpr std::size_t kBlock = 64;  // channels whose sums are accumulated together
    const SlidingWindow& height = convolution.window.height;
    const SlidingWindow& width = convolution.window.width;
    const Image input(operation.inputs[0].shape, convolution.arguments);
    const Image output(operation.outputs[0].shape, convolution.arguments);
    const std::size_t multiplier = convolution.arguments.depthMultiplier;
    const auto* inputData = operation.inputs[0].as<const Element>();
    const auto* filter = operation.inputs[1].as<const Weight>();
    const auto* bias = operation.inputs[2].as<const typename Sums::Bias>();
    auto* outputData = operation.outputs[0].as<Element>();

    std::array<typename Sums::Finisher, kBlock> finishers;
    std::array<Sum, kBlock> blockSums;
    PartCounter parts(operation);
    const auto convolveBlock = [&](std::size_t firstIn, std::size_t count, std::size_t firstOut) {
        for (std::size_t i = 0; i < count; ++i) {
            finishers[i] = sums.finisher(firstOut + i * multiplier);
        }
        for (std::size_t b = 0; b < output.batches; ++b) {
            for (std::uint32_t y = 0; y < output.height; ++y) {
                const Taps rows(height, y);
                for (std::uint32_t x = 0; x < output.width; ++x) {
                    const Taps columns(width, x);
                    for (std::size_t i = 0; i < count; ++i) {
                        blockSums[i] = static_cast<Sum>(bias[firstOut + i * multiplier]);
                    }
                    const auto addTap = [&](std::size_t t, std::size_t u) {
                        const Element* pixel =
                            inputData + input.offset(b, rows.at(t), columns.at(u), firstIn);
                        const Weight* weights =
                            filter + (t * width.size + u) * output.channels + firstOut;
                        for (std::size_t i = 0; i < count; ++i) {
                            blockSums[i] += sums.product(pixel[i * input.channelStride],
                                                         weights[i * multiplier]);
                        }
                    };
                    if (forEachTap(parts, rows, columns, count, addTap)) {
                        return;
                    }
                    for (std::size_t i = 0; i < count; ++i) {
                        outputData[output.offset(b, y, x, firstOut + i * multiplier)] =
                            finishers[i](blockSums[i]);
                    }
                }
            }
        }
    };
    for (std::size_t k = 0; k < input.channels; k += kBlock) {
        for (std::size_t q = 0; q < multiplier; ++q) {
            convolveBlock(k, std::min(kBlock, input.channels - k), k * multiplier + q);
            if (operation.isOutOfTime(0)) {
                return;
            }
        }
    }
}

template <SpatialForm form>
Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Convolution convolution, resolve(operation, form));
    NNBURST_TRY(requireOutputShape(operation, 0, convolution.outputShape));
    dispatchSums(operation, convolution.arguments.activation, [&](const auto& sums) {
        if constexpr (form == kDepthwise) {
            convolveDepthwise(operation, convolution, sums);
        } else {
            convolve(operation, convolution, sums);
        }
    });
    return {};
}

}  // namespace convolution
}  // namespace

constinit const OperationDefinition kConv2d{
    .type = OperationType::CONV_2D,
    .since = HalVersion::V1_0,
    .check = convolution::check<convolution::kFull>,
    .inferShapes = convolution::inferShapes<convolution::kFull>,
    .run = convolution::run<convolution::kFull>,
};

constinit const OperationDefinition kDepthwiseConv2d{
    .type = OperationType::DEPTHWISE_CONV_2D,
    .since = HalVersion::V1_0,
    .check = convolution::check<convolution::kDepthwise>,
    .inferShapes = convolution::inferShapes<convolution::kDepthwise>,
    .run = convolution::run<convolution::kDepthwise>,
};

constinit const OperationDefinition kGroupedConv2d{
    .type = OperationType::GROUPED_CONV_2D,
    .since = HalVersion::V1_2,
    .check = convolution::check<convolution::kGrouped>,
    .inferShapes = convolution::inferShapes<convolution::kGrouped>,
    .run = convolution::run<convolution::kGrouped>,
};

}  // namespace nnburst::exec
