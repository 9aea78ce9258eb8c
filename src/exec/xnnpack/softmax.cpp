// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// SOFTMAX along the last axis. Covered: float32 with beta 1; unsigned 8 bits with any beta, which
// is folded into the input's scale.
//
//     output[..., i] = exp(beta * input[..., i]) / sum over j of exp(beta * input[..., j])

#include <utility>

#include "exec/xnnpack/families.h"

namespace nnburst::exec::xnnpack {

namespace {

/// XNNPACK sums exponentials in 32 bits, scaled down by the number of channels: with this many they
/// still have 16 bits.
constexpr std::uint32_t kMaximumQuantizedChannels = 1 << 16;

/// Whether the axis is known and the last one.
bool isAlongLastAxis(const OperationView& operation) noexcept {
    if (!operation.has(2)) {
        return true;
    }
    const OperandView& axis = operation.inputs[2];
    const auto last = static_cast<std::int32_t>(operation.inputs[0].shape.rank()) - 1;
    return axis.data != nullptr &&
           (axis.scalar<std::int32_t>() == -1 || axis.scalar<std::int32_t>() == last);
}

}  // namespace

StepResult makeSoftmax(const OperationView& operation, const StepContext& /*context*/) {
    const OperandView& input = operation.inputs[0];
    const OperandView& output = operation.outputs[0];
    const bool isFloat = input.type == OperandType::TENSOR_FLOAT32;
    if ((!isFloat && input.type != OperandType::TENSOR_QUANT8_ASYMM) || input.shape.rank() == 0 ||
        !isAlongLastAxis(operation) || operation.inputs[1].data == nullptr) {
        return nullptr;
    }
    const auto beta = operation.inputs[1].scalar<float>();
    const std::uint32_t channels = input.shape[input.shape.rank() - 1];
    Elements scaled = Elements::of(input);
    if (isFloat) {
        if (beta != 1.0F) {
            return nullptr;
        }
    } else {
        scaled.scale *= beta;
        if (!isNormalScale(scaled.scale) || output.scale != 0x1p-8F || output.zeroPoint != 0 ||
            channels > kMaximumQuantizedChannels) {
            return nullptr;
        }
    }
    const std::size_t rows = input.shape.elementCount() / channels;
    // XNNPACK splits rows among threads, and there is mostly one row.
    return makeOperatorStep(
        createSoftmax(scaled, rows, channels, operation.inputs.size()),
        effortAlone(static_cast<double>(input.shape.elementCount()), Speed::ELEMENTWISE));
}

}  // namespace nnburst::exec::xnnpack
