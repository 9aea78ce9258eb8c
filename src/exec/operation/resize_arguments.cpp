// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

#include "exec/operation/resize_arguments.h"

#include <cmath>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/operation/scalar_reads.h"
#include "exec/operation/shape_arguments.h"
#include "model/invalid.h"

namespace nnburst::exec {

namespace {

using enum OperandType;

constexpr std::size_t kWidth = 1;
constexpr std::size_t kHeight = 2;
constexpr std::size_t kLayout = 3;
constexpr std::size_t kAlignCorners = 4;
constexpr std::size_t kHalfPixels = 5;

Result<ResizeAxis> readAxisArgument(const OperationView& operation, std::size_t index,
                                    const char* name) {
    ResizeAxis axis;
    if (operation.inputs[index].type == INT32) {
        NNBURST_TRY_ASSIGN(const std::int32_t size, readConstantInt32(operation, index, name, 1));
        axis.size = static_cast<std::uint32_t>(size);
        return axis;
    }
    const OperandType type = operation.inputs[0].type == TENSOR_FLOAT16 ? FLOAT16 : FLOAT32;
    NNBURST_TRY_ASSIGN(const float factor, readConstantFloat(operation, index, name, type));
    if (!(factor > 0.0F) || !std::isfinite(factor)) {
        return invalid("{} input {} ({}): factor {}; must be finite and more than 0",
                       toString(operation.type), index, name, factor);
    }
    axis.factor = factor;
    return axis;
}

}  // namespace

Result<std::uint64_t> ResizeAxis::outputSize(const OperationView& operation,
                                             std::uint32_t inputSize) const {
    if (!factor) {
        return size;
    }
    const double product = std::floor(static_cast<float>(inputSize) * *factor);
    if (product < 1.0 || product > UINT32_MAX) {
        return invalid("{}: factor {} makes {} of a size of {}; must be 1 to 2^32 - 1",
                       toString(operation.type), *factor, product, inputSize);
    }
    return static_cast<std::uint64_t>(product);
}

Result<ResizeArguments> readResizeArguments(const OperationView& operation) {
    if (operation.inputs[kWidth].type != operation.inputs[kHeight].type) {
        return invalid("{} inputs 1 (width) and 2 (height): types {} and {}; must be the same",
                       toString(operation.type), toString(operation.inputs[kWidth].type),
                       toString(operation.inputs[kHeight].type));
    }
    ResizeArguments arguments;
    ScalarReads reads;
    NNBURST_TRY(reads.take(readAxisArgument(operation, kWidth, "width"), arguments.width));
    NNBURST_TRY(reads.take(readAxisArgument(operation, kHeight, "height"), arguments.height));
    NNBURST_TRY(reads.take(readOptionalLayout(operation, kLayout), arguments.isNchw));
    NNBURST_TRY(reads.take(readOptionalFlag(operation, kAlignCorners, "align corners"),
                           arguments.alignsCorners));
    NNBURST_TRY(reads.take(readOptionalFlag(operation, kHalfPixels, "half pixels"),
                           arguments.hasHalfPixels));
    NNBURST_TRY(reads.result());
    if (arguments.alignsCorners && arguments.hasHalfPixels) {
        return invalid("{} inputs 4 (align corners) and 5 (half pixels): both true; one at most",
                       toString(operation.type));
    }
    return arguments;
}

}  // namespace nnburst::exec
