// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// CONV_2D and GROUPED_CONV_2D, NHWC.
//
//     input  [batches, height, width, groups * groupInputs]
//     filter [groups * groupOutputs, filterHeight, filterWidth, groupInputs]
//     output [batches, outputHeight, outputWidth, groups * groupOutputs]
//
// Groups of one input and one output are convolved depthwise (depthwise.cpp), unless the
// convolution is pointwise or its windows are too large for that.

#include "exec/dot8/families.h"
#include "exec/dot8/product_step.h"
#include "exec/dot8/window.h"

namespace nnburst::exec::dot8 {

namespace {

bool isPointwise(const SlidingWindow& axis) noexcept {
    return axis.size == 1 && axis.stride == 1 && axis.paddingBefore == 0 && axis.paddingAfter == 0;
}

StepResult makeConvolution(const OperationView& operation, const StepContext& context,
                           SpatialForm form) {
    const Shape& input = operation.inputs[0].shape;
    const Shape& filter = operation.inputs[1].shape;
    NNBURST_TRY_ASSIGN(const std::optional<Convolution> convolution,
                       readConvolution(operation, form));
    if (!convolution) {
        return nullptr;
    }
    const SpatialWindow& window = convolution->window;
    const std::size_t groups = convolution->arguments.groups;
    const bool hasWindows = !isPointwise(window.height) || !isPointwise(window.width);
    // Decided by constants alone: all runners need the filter in the same form.
    if (hasWindows && groups > 1 && groups == input[3] && groups == filter[0] &&
        std::size_t{filter[1]} * filter[2] <= kMaximumDepthwiseTaps) {
        return makeDepthwiseStep(operation, context, *convolution);
    }
    const WindowRows windows{.window = window,
                             .batches = input[0],
                             .channels = input[3],
                             .groupChannels = filter[3],
                             .padding = static_cast<std::uint8_t>(operation.inputs[0].zeroPoint)};
    Product product{.rowCount = windows.rowCount(),
                    .depth = windows.depth(),
                    .groups = groups,
                    .groupOutputs = filter[0] / groups,
                    .windows = {}};
    if (hasWindows) {
        product.windows = windows;
    }
    return makeProductStep(operation, context, convolution->range, product);
}

}  // namespace

StepResult makeConv2d(const OperationView& operation, const StepContext& context) {
    return makeConvolution(operation, context, SpatialForm::CONVOLUTION);
}

StepResult makeGroupedConv2d(const OperationView& operation, const StepContext& context) {
    return makeConvolution(operation, context, SpatialForm::GROUPED_CONVOLUTION);
}

}  // namespace nnburst::exec::dot8
