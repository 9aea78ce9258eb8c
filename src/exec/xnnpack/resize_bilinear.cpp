// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// RESIZE_BILINEAR. Covered: NHWC, float32, unsigned and signed 8 bits.
//
//     input  [batches, height, width, channels]
//     output [batches, outputHeight, outputWidth, channels]

#include <utility>

#include "exec/operation/resize_arguments.h"
#include "exec/xnnpack/families.h"

namespace nnburst::exec::xnnpack {

namespace {

/// XNNPACK computes positions in fixed point from sizes of less than this.
constexpr std::uint32_t kSizeLimit = 1U << 24;

}  // namespace

StepResult makeResizeBilinear(const OperationView& operation, const StepContext& context) {
    NNBURST_TRY_ASSIGN(const ResizeArguments arguments, readResizeArguments(operation));
    const Shape& input = operation.inputs[0].shape;
    const Shape& output = operation.outputs[0].shape;
    const double addresses = 4.0 * output[1] * output[2];
    if (arguments.isNchw || addresses > kMaximumAddresses || input[1] >= kSizeLimit ||
        input[2] >= kSizeLimit || output[1] >= kSizeLimit || output[2] >= kSizeLimit) {
        return nullptr;
    }
    // Without a flag XNNPACK has half pixels.
    const std::uint32_t flags = arguments.alignsCorners   ? XNN_FLAG_ALIGN_CORNERS
                                : arguments.hasHalfPixels ? 0
                                                          : XNN_FLAG_TENSORFLOW_LEGACY_MODE;
    const OperandType type = operation.inputs[0].type;
    if (type != OperandType::TENSOR_FLOAT32 && type != OperandType::TENSOR_QUANT8_ASYMM &&
        type != OperandType::TENSOR_QUANT8_ASYMM_SIGNED) {
        return nullptr;
    }
    return makeOperatorStep(
        createResizeBilinear(type, {input[0], input[1], input[2]}, input[3], output[1], output[2],
                             flags, operation.inputs.size()),
        effortOf(context, 4.0 * static_cast<double>(output.elementCount()), Speed::ELEMENTWISE));
}

}  // namespace nnburst::exec::xnnpack
