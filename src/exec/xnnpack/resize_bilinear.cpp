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

template <class T, class Create, class Function>
StepResult makeResize(Create create, Function setUp, std::uint32_t flags,
                      const OperationView& operation, const StepContext& context) {
    const Shape& input = operation.inputs[0].shape;
    const Shape& output = operation.outputs[0].shape;
    const std::size_t channels = input[3];
    xnn_operator_t created = nullptr;
    const xnn_status status = create(channels, channels, channels, flags, &created);
    NNBURST_TRY_ASSIGN(SharedOperator shared, takeOperator(status, created));
    if (!shared) {
        return nullptr;
    }
    SetUp setUpOperator = [=, batches = input[0], height = input[1], width = input[2],
                           outputHeight = output[1], outputWidth = output[2],
                           index = operation.inputs.size()](
                              xnn_operator_t handle, Operands operands, pthreadpool_t threads) {
        return setUp(handle, batches, height, width, outputHeight, outputWidth,
                     operandAs<const T>(operands, 0), operandAs<T>(operands, index), threads);
    };
    return makeOperatorStep(
        std::move(shared), std::move(setUpOperator),
        threadsFor(context, 4.0 * static_cast<double>(output.elementCount()), Speed::ELEMENTWISE),
        false);
}

}  // namespace

StepResult makeResizeBilinear(const OperationView& operation, const StepContext& context) {
    NNBURST_TRY_ASSIGN(const ResizeArguments arguments, readResizeArguments(operation));
    const Shape& input = operation.inputs[0].shape;
    const Shape& output = operation.outputs[0].shape;
    const double taps = 4.0 * output[1] * output[2];
    if (arguments.isNchw || taps > kMaximumTaps || input[1] >= kSizeLimit ||
        input[2] >= kSizeLimit || output[1] >= kSizeLimit || output[2] >= kSizeLimit) {
        return nullptr;
    }
    // Without a flag XNNPACK has half pixels.
    const std::uint32_t flags = arguments.alignsCorners   ? XNN_FLAG_ALIGN_CORNERS
                                : arguments.hasHalfPixels ? 0
                                                          : XNN_FLAG_TENSORFLOW_LEGACY_MODE;
    switch (operation.inputs[0].type) {
        case OperandType::TENSOR_FLOAT32:
            return makeResize<float>(xnn_create_resize_bilinear2d_nhwc_f32,
                                     xnn_setup_resize_bilinear2d_nhwc_f32, flags, operation,
                                     context);
        case OperandType::TENSOR_QUANT8_ASYMM:
            return makeResize<std::uint8_t>(xnn_create_resize_bilinear2d_nhwc_u8,
                                            xnn_setup_resize_bilinear2d_nhwc_u8, flags, operation,
                                            context);
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
            return makeResize<std::int8_t>(xnn_create_resize_bilinear2d_nhwc_s8,
                                           xnn_setup_resize_bilinear2d_nhwc_s8, flags, operation,
                                           context);
        default:
            return nullptr;
    }
}

}  // namespace nnburst::exec::xnnpack
