// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/dot8/window.h"

#include "exec/dot8/coverage.h"

namespace nnburst::exec::dot8 {

namespace {

/// Window positions in one image above which XNNPACK leaves a convolution to the reference kernel,
/// whose rounding the model then has.
constexpr double kMaximumTaps = 1 << 27;

bool hasTooManyTaps(const SpatialWindow& window) noexcept {
    return static_cast<double>(window.height.size) * window.width.size * window.height.outputSize *
               window.width.outputSize >
           kMaximumTaps;
}

}  // namespace

Result<std::optional<Convolution>> readConvolution(const OperationView& operation,
                                                   SpatialForm form) {
    const Shape& input = operation.inputs[0].shape;
    const Shape& filter = operation.inputs[1].shape;
    Convolution convolution;
    NNBURST_TRY_ASSIGN(convolution.arguments, readSpatialArguments(operation, form));
    const SpatialArguments& arguments = convolution.arguments;
    NNBURST_TRY_ASSIGN(convolution.window,
                       slideWindow(operation, arguments, input[arguments.heightAxis()],
                                   input[arguments.widthAxis()], filter[1], filter[2]));
    convolution.range = activationRange(arguments.activation, operation.outputs[0]);
    if (arguments.isNchw || hasTooManyTaps(convolution.window) ||
        !isCovered(operation, convolution.range)) {
        return std::optional<Convolution>();
    }
    return std::optional(convolution);
}

}  // namespace nnburst::exec::dot8
