// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/dot8/window.h"

#include "exec/dot8/coverage.h"

namespace nnburst::exec::dot8 {

Result<std::optional<Convolution>> readConvolution(const OperationView& operation,
                                                   SpatialForm form) {
    Convolution convolution;
    NNBURST_TRY_ASSIGN(convolution.arguments, readSpatialArguments(operation, form));
    const SpatialArguments& arguments = convolution.arguments;
    NNBURST_TRY_ASSIGN(convolution.window, slideWindow(operation, arguments));
    convolution.range = activationRange(arguments.activation, operation.outputs[0]);
    if (arguments.isNchw || tapCount(convolution.window) > kMaximumTaps ||
        !isCovered(operation, convolution.range)) {
        return std::optional<Convolution>();
    }
    return std::optional(convolution);
}

}  // namespace nnburst::exec::dot8
