// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// CONV_2D and GROUPED_CONV_2D, NHWC.
//
//     input  [batches, height, width, groups * groupInputs]
//     filter [groups * groupOutputs, filterHeight, filterWidth, groupInputs]
//     output [batches, outputHeight, outputWidth, groups * groupOutputs]

#include "exec/dot8/coverage.h"
#include "exec/dot8/families.h"
#include "exec/dot8/product_step.h"
#include "exec/operation/spatial.h"

namespace nnburst::exec::dot8 {

namespace {

/// Window positions in one image above which XNNPACK leaves a convolution to the reference kernel,
/// whose rounding the model then has.
constexpr double kMaximumTaps = 1 << 27;

bool isPointwise(const SlidingWindow& axis) noexcept {
    return axis.size == 1 && axis.stride == 1 && axis.paddingBefore == 0 && axis.paddingAfter == 0;
}

bool hasTooManyTaps(const SpatialWindow& window) noexcept {
    return static_cast<double>(window.height.size) * window.width.size * window.height.outputSize *
               window.width.outputSize >
           kMaximumTaps;
}

StepResult makeConvolution(const OperationView& operation, const StepContext& context,
                           SpatialForm form) {
    const Shape& input = operation.inputs[0].shape;
    const Shape& filter = operation.inputs[1].shape;
    NNBURST_TRY_ASSIGN(const SpatialArguments arguments, readSpatialArguments(operation, form));
    NNBURST_TRY_ASSIGN(const SpatialWindow window,
                       slideWindow(operation, arguments, input[arguments.heightAxis()],
                                   input[arguments.widthAxis()], filter[1], filter[2]));
    const QuantizedRange range = activationRange(arguments.activation, operation.outputs[0]);
    if (arguments.isNchw || hasTooManyTaps(window) || !isCovered(operation, range)) {
        return nullptr;
    }
    const WindowRows windows{.window = window,
                             .batches = input[0],
                             .channels = input[3],
                             .groupChannels = filter[3],
                             .padding = static_cast<std::uint8_t>(operation.inputs[0].zeroPoint)};
    Product product{.rowCount = windows.rowCount(),
                    .depth = windows.depth(),
                    .groups = arguments.groups,
                    .groupOutputs = filter[0] / arguments.groups,
                    .windows = {}};
    if (!isPointwise(window.height) || !isPointwise(window.width)) {
        product.windows = windows;
    }
    return makeProductStep(operation, context, range, product);
}

}  // namespace

StepResult makeConv2d(const OperationView& operation, const StepContext& context) {
    return makeConvolution(operation, context, SpatialForm::CONVOLUTION);
}

StepResult makeGroupedConv2d(const OperationView& operation, const StepContext& context) {
    return makeConvolution(operation, context, SpatialForm::GROUPED_CONVOLUTION);
}

}  // namespace nnburst::exec::dot8
