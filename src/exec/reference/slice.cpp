// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// SLICE and STRIDED_SLICE: a regular part of the input.
//
//     SLICE           sizes[i] elements of axis i from begin[i] on, all that follow if it is -1
//     STRIDED_SLICE   of axis i (at most 4) every strides[i]th element from begin[i] on before
//                     end[i], backwards if the stride is below 0. Indices below 0 count from the
//                     end, those out of range are moved to its edge. Bit i of the masks says to
//                     begin or to end at the edge, or to drop the axis, of which one element is
//                     taken then.

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/operation/scalar_reads.h"
#include "exec/operation/shape_arguments.h"
#include "exec/reference/definitions.h"
#include "exec/reference/operations.h"
#include "exec/reference/strided_copy.h"
#include "model/invalid.h"
#include "model/operand_info.h"

namespace nnburst::exec {

namespace {
namespace slice {

constexpr std::size_t kHighestStridedRank = 4;

constexpr std::size_t kBegin = 1;
constexpr std::size_t kSizes = 2;  // of SLICE
constexpr std::size_t kEnd = 2;    // of STRIDED_SLICE, like the following
constexpr std::size_t kStrides = 3;
constexpr std::size_t kBeginMask = 4;
constexpr std::size_t kEndMask = 5;
constexpr std::size_t kShrinkMask = 6;

/// What is taken of one axis of the input: `size` elements at `begin`, `begin + stride` ...
struct AxisSlice {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
    std::int32_t stride = 1;
    bool isDropped = false;  ///< the output does not have this axis
};

struct Slice {
    std::array<AxisSlice, kMaximumRank> axes{};
    Shape outputShape;
};

/// Checks that the inputs from 1 on, which errors call `names`, have one value for each axis of
/// input 0.
void checkValuesPerAxis(OperationCheck& check, std::size_t highestRank,
                        std::initializer_list<const char*> names) {
    const OperandCheck input = check.input(0, "input").rank(1, highestRank);
    const std::size_t rank = input.view().shape.rank();
    std::size_t index = 1;
    for (const char* name : names) {
        OperandCheck values = check.input(index, name).type({OperandType::TENSOR_INT32}).rank(1);
        if (rank != 0) {
            values.size(0, static_cast<std::uint32_t>(rank), "the rank of the input");
        }
        ++index;
    }
}

void checkSliceShapes(OperationCheck& check) {
    checkValuesPerAxis(check, kMaximumRank, {"begin", "sizes"});
}

void checkStridedShapes(OperationCheck& check) {
    checkValuesPerAxis(check, kHighestStridedRank, {"begin", "end", "strides"});
}

Result<Slice> resolveSlice(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkSliceShapes(check);
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const auto begins, readValues(operation, kBegin, "begin"));
    NNBURST_TRY_ASSIGN(const auto sizes, readValues(operation, kSizes, "sizes"));
    const Shape& input = operation.inputs[0].shape;
    Slice slice{.outputShape = input};
    for (std::size_t axis = 0; axis < input.rank(); ++axis) {
        const std::int64_t begin = begins[axis];
        const std::int32_t value = sizes[axis];
        const std::int64_t inputSize = input[axis];
        const std::int64_t size = value == -1 ? inputSize - begin : value;
        if (begin < 0 || size < 0 || begin + size > inputSize) {
            return invalid("SLICE of axis {}: size {} from {} on; must be inside of {} elements",
                           axis, value, begin, inputSize);
        }
        slice.axes[axis] = {.begin = static_cast<std::uint32_t>(begin),
                            .size = static_cast<std::uint32_t>(size)};
        slice.outputShape[axis] = slice.axes[axis].size;
    }
    return slice;
}

Result<HalVersion> checkSlice(const OperationView& operation) {
    using enum OperandType;
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(3).outputCount(1);
    const OperandCheck input = check.input(0, "input")
                                   .type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32,
                                          TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED});
    checkSliceShapes(check);
    check.output(0, "output").sameTypeAs(input).sameQuantizationAs(input);
    NNBURST_TRY(check.result());
    if (hasKnownArguments(operation)) {
        NNBURST_TRY(resolveSlice(operation));
    }
    return check.minimumVersion();
}

/// Counts an index of STRIDED_SLICE from the front and clamps it to [lowest, lowest + size].
std::int64_t clampIndex(std::int32_t index, std::int64_t size, std::int64_t lowest) noexcept {
    return std::clamp<std::int64_t>(index < 0 ? index + size : index, lowest, lowest + size);
}

struct Masks {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t shrink = 0;
};

Result<Masks> readMasks(const OperationView& operation) {
    constexpr auto kAny = std::numeric_limits<std::int32_t>::min();
    Masks masks;
    ScalarReads reads;
    NNBURST_TRY(
        reads.take(readConstantInt32(operation, kBeginMask, "begin mask", kAny), masks.begin));
    NNBURST_TRY(reads.take(readConstantInt32(operation, kEndMask, "end mask", kAny), masks.end));
    NNBURST_TRY(
        reads.take(readConstantInt32(operation, kShrinkMask, "shrink mask", kAny), masks.shrink));
    NNBURST_TRY(reads.result());
    return masks;
}

Result<Slice> resolveStridedSlice(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkStridedShapes(check);
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const auto begins, readValues(operation, kBegin, "begin"));
    NNBURST_TRY_ASSIGN(const auto ends, readValues(operation, kEnd, "end"));
    NNBURST_TRY_ASSIGN(const auto strides, readValues(operation, kStrides, "strides"));
    NNBURST_TRY_ASSIGN(const Masks masks, readMasks(operation));
    const Shape& input = operation.inputs[0].shape;
    Slice slice;
    std::array<std::uint32_t, kHighestStridedRank> outputSizes{1};
    std::size_t outputRank = 0;
    for (std::size_t axis = 0; axis < input.rank(); ++axis) {
        const std::int32_t stride = strides[axis];
        if (stride == 0) {
            return invalid("STRIDED_SLICE input 3 (strides): 0 for axis {}; must not be 0", axis);
        }
        const bool isForward = stride > 0;
        const std::int64_t size = input[axis];
        // With a negative stride the edges are the last element and the one before the first.
        const std::int64_t lowest = isForward ? 0 : -1;
        const bool isBeginMasked = (masks.begin >> axis & 1U) != 0;
        const bool isEndMasked = (masks.end >> axis & 1U) != 0;
        const std::int64_t begin = isBeginMasked ? (isForward ? lowest : lowest + size)
                                                 : clampIndex(begins[axis], size, lowest);
        const std::int64_t end = isEndMasked ? (isForward ? lowest + size : lowest)
                                             : clampIndex(ends[axis], size, lowest);
        const std::int64_t distance = isForward ? end - begin : begin - end;
        const std::int64_t step = isForward ? stride : -std::int64_t{stride};
        const std::int64_t count = distance <= 0 ? 0 : (distance - 1) / step + 1;
        const bool isDropped = (masks.shrink >> axis & 1U) != 0;
        if (!isDropped) {
            outputSizes[outputRank++] = static_cast<std::uint32_t>(count);
        }
        slice.axes[axis] = {.begin = static_cast<std::uint32_t>(begin),
                            .size = static_cast<std::uint32_t>(count),
                            .stride = stride,
                            .isDropped = isDropped};
    }
    slice.outputShape =
        Shape(std::span<const std::uint32_t>(outputSizes.data(), outputRank == 0 ? 1 : outputRank));
    return slice;
}

Result<HalVersion> checkStridedSlice(const OperationView& operation) {
    using enum OperandType;
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(7).outputCount(1);
    const OperandCheck input = check.input(0, "input")
                                   .type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM,
                                          TENSOR_QUANT8_ASYMM_SIGNED});
    checkStridedShapes(check);
    check.output(0, "output")
        .sameTypeAs(input)
        .sameQuantizationAs(input)
        .rank(1, kHighestStridedRank);
    NNBURST_TRY(check.result());
    NNBURST_TRY(readMasks(operation));
    if (hasKnownArguments(operation)) {
        NNBURST_TRY(resolveStridedSlice(operation));
    }
    return check.minimumVersion();
}

/// Checks that one element is taken of each axis that STRIDED_SLICE drops. Only runs do: by the
/// HAL's tests a model that breaks this rule can be prepared.
Result<> checkDroppedAxes(const Slice& slice) {
    for (std::size_t axis = 0; axis < slice.axes.size(); ++axis) {
        const AxisSlice& part = slice.axes[axis];
        if (part.isDropped && (part.size != 1 || part.stride < 0)) {
            return invalid(
                "STRIDED_SLICE of axis {}: {} elements with stride {}; must be 1 with a stride "
                "above 0, as the axis is dropped",
                axis, part.size, part.stride);
        }
    }
    return {};
}

using Resolve = Result<Slice> (*)(const OperationView& operation);

template <Resolve resolve>
Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Slice slice, resolve(operation));
    outputs[0] = slice.outputShape;
    return {};
}

template <Resolve resolve>
Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Slice slice, resolve(operation));
    NNBURST_TRY(checkDroppedAxes(slice));
    NNBURST_TRY(requireOutputShape(operation, 0, slice.outputShape));
    const OperandView& input = operation.inputs[0];
    const OperandView& output = operation.outputs[0];
    if (output.shape.elementCount() == 0) {
        return {};
    }
    const Strides inputStrides = denseStrides(input.shape);
    std::ptrdiff_t offset = 0;
    std::size_t outputStride = output.shape.elementCount();
    StridedCopy copy;
    for (std::size_t axis = 0; axis < input.shape.rank(); ++axis) {
        const AxisSlice& part = slice.axes[axis];
        offset += static_cast<std::ptrdiff_t>(part.begin) * inputStrides[axis];
        outputStride /= part.size;
        // The stride of a single element is not used, and may be too large to multiply.
        copy.axis(part.size, part.size == 1 ? 0 : part.stride * inputStrides[axis],
                  static_cast<std::ptrdiff_t>(outputStride));
    }
    const std::size_t bytes = elementBytes(input.type);
    copy.run(operation, input.data + offset * static_cast<std::ptrdiff_t>(bytes), output.data,
             bytes);
    return {};
}

}  // namespace slice
}  // namespace

constinit const OperationDefinition kSlice{
    .type = OperationType::SLICE,
    .since = HalVersion::V1_2,
    .valueInputs = inputs(slice::kBegin, slice::kSizes),
    .check = slice::checkSlice,
    .inferShapes = slice::inferShapes<slice::resolveSlice>,
    .run = slice::run<slice::resolveSlice>,
};

constinit const OperationDefinition kStridedSlice{
    .type = OperationType::STRIDED_SLICE,
    .since = HalVersion::V1_1,
    .valueInputs = inputs(slice::kBegin, slice::kEnd, slice::kStrides),
    .check = slice::checkStridedSlice,
    .inferShapes = slice::inferShapes<slice::resolveStridedSlice>,
    .run = slice::run<slice::resolveStridedSlice>,
};

}  // namespace nnburst::exec
