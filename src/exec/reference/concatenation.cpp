// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// CONCATENATION and SPLIT.
//
//     CONCATENATION   tensors of rank up to 4, whose sizes differ along one axis alone, one after
//                     the other along it; 8-bit elements are brought to the output's scale
//     SPLIT           a tensor of any rank, cut along one axis into pieces of one size

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/operation/shape_arguments.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/elements.h"
#include "exec/reference/operations.h"
#include "exec/reference/strided_copy.h"
#include "model/operand_info.h"

namespace nnburst::exec {

namespace {
namespace concatenation {

struct Concatenation {
    std::size_t axis = 0;
    Shape outputShape;
};

/// The tensors to concatenate: all inputs but the last one, the axis.
std::size_t tensorCount(const OperationView& operation) noexcept {
    return operation.inputs.size() - 1;
}

Result<std::int32_t> readConcatenationAxis(const OperationView& operation) {
    return readConstantInt32(operation, tensorCount(operation), "axis", 0);
}

Result<Concatenation> resolveConcatenation(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    const OperandCheck first = check.input(0, "tensor").rank(1, 4);
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const std::int32_t value, readConcatenationAxis(operation));
    const auto axis = static_cast<std::size_t>(value);
    const Shape& shape = first.view().shape;
    const std::size_t rank = shape.rank();
    check.require(axis < rank, [&] {
        return fmt::format("axis {} (input {}); must be 0 to {}", axis, tensorCount(operation),
                           rank - 1);
    });
    NNBURST_TRY(check.result());
    std::array<std::uint64_t, kMaximumRank> sizes{};
    std::copy(shape.sizes().begin(), shape.sizes().end(), sizes.begin());
    for (std::size_t i = 1; i < tensorCount(operation); ++i) {
        OperandCheck tensor = check.input(i, "tensor").rank(rank);
        for (std::size_t d = 0; d < rank; ++d) {
            if (d != axis) {
                tensor.size(d, shape[d], "that of input 0");
            }
        }
        sizes[axis] += tensor[axis];
    }
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const Shape outputShape,
                       makeOutputShape(operation, 0, std::span(sizes.data(), rank)));
    return Concatenation{axis, outputShape};
}

bool hasScaleOf(const OperandView& input, const OperandView& output) noexcept {
    return input.scale == output.scale && input.zeroPoint == output.zeroPoint;
}

Result<HalVersion> checkConcatenation(const OperationView& operation) {
    using enum OperandType;
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    const std::size_t count = operation.inputs.size();
    check.outputCount(1).require(
        count >= 2, [&] { return fmt::format("{} inputs; must be at least 2", count); });
    const OperandCheck first = check.input(0, "tensor")
                                   .type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM,
                                          TENSOR_QUANT8_ASYMM_SIGNED});
    const OperandCheck output = check.output(0, "output").sameTypeAs(first).rank(1, 4);
    NNBURST_TRY(check.result());
    for (std::size_t i = 0; i < tensorCount(operation); ++i) {
        const OperandCheck tensor = check.input(i, "tensor").sameTypeAs(first).rank(1, 4);
        check.since(HalVersion::V1_2, isQuantized8Tensor(first.view().type) &&
                                          !hasScaleOf(tensor.view(), output.view()));
    }
    NNBURST_TRY(check.result());
    NNBURST_TRY(readConcatenationAxis(operation));
    if (hasKnownArguments(operation)) {
        NNBURST_TRY(resolveConcatenation(operation));
    }
    return check.minimumVersion();
}

Result<> inferConcatenation(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Concatenation concatenation, resolveConcatenation(operation));
    outputs[0] = concatenation.outputShape;
    return {};
}

/// Copies `rowCount` rows of `rowLength` elements, `outputStride` apart in the output, from the
/// scale of `input` to that of `output`.
template <class T>
void requantizeRows(const OperationView& operation, const OperandView& input, std::size_t offset,
                    std::size_t rowCount, std::size_t rowLength, std::size_t outputStride) {
    const OperandView& output = operation.outputs[0];
    const QuantizedRange limits = quantizedLimits(output.type);
    const double factor = static_cast<double>(input.scale) / static_cast<double>(output.scale);
    std::array<T, 256> table;
    for (std::int32_t value = limits.minimum; value <= limits.maximum; ++value) {
        const double steps = std::round((value - input.zeroPoint) * factor) + output.zeroPoint;
        table[static_cast<std::uint8_t>(value)] = static_cast<T>(std::clamp(
            steps, static_cast<double>(limits.minimum), static_cast<double>(limits.maximum)));
    }
    const T* from = input.as<const T>();
    T* to = output.as<T>() + offset;
    PartCounter rows(operation);
    for (std::size_t row = 0; row < rowCount && !rows.isOutOfTime(rowLength); ++row) {
        forEachElement(operation, rowLength,
                       [&](std::size_t i) { to[i] = table[static_cast<std::uint8_t>(from[i])]; });
        from += rowLength;
        to += outputStride;
    }
}

Result<> runConcatenation(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Concatenation concatenation, resolveConcatenation(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, concatenation.outputShape));
    const OperandView& output = operation.outputs[0];
    const std::size_t rank = output.shape.rank();
    if (output.shape.elementCount() == 0) {
        return {};
    }
    const std::size_t bytes = elementBytes(output.type);
    const std::size_t rowCount = elementCount(output.shape, 0, concatenation.axis);
    const std::size_t outputRow = elementCount(output.shape, concatenation.axis, rank);
    std::size_t offset = 0;
    for (const OperandView& input : operation.inputs.first(tensorCount(operation))) {
        const std::size_t row = elementCount(input.shape, concatenation.axis, rank);
        if (hasScaleOf(input, output) || !isQuantized8Tensor(input.type)) {
            StridedCopy copy;
            copy.axis(rowCount, static_cast<std::ptrdiff_t>(row),
                      static_cast<std::ptrdiff_t>(outputRow));
            copy.axis(row, 1, 1).run(operation, input.data, output.data + offset * bytes, bytes);
        } else {
            dispatchQuantized8(input.type, [&]<class T>() {
                requantizeRows<T>(operation, input, offset, rowCount, row, outputRow);
            });
        }
        offset += row;
    }
    return {};
}

constexpr std::size_t kSplitAxis = 1;
constexpr std::size_t kSplitCount = 2;

struct Split {
    std::size_t axis = 0;
    Shape pieceShape;
};

/// Reads into how many pieces the input is cut: as many as there are outputs.
Result<std::uint32_t> readPieceCount(const OperationView& operation) {
    NNBURST_TRY_ASSIGN(const std::int32_t count,
                       readConstantInt32(operation, kSplitCount, "number of pieces", 1));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    check.outputCount(static_cast<std::size_t>(count));
    NNBURST_TRY(check.result());
    return static_cast<std::uint32_t>(count);
}

Result<Split> resolveSplit(const OperationView& operation) {
    const Shape& input = operation.inputs[0].shape;
    NNBURST_TRY_ASSIGN(const std::size_t axis, readAxis(operation, kSplitAxis, input.rank()));
    NNBURST_TRY_ASSIGN(const std::uint32_t count, readPieceCount(operation));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    check.input(0, "input").require(input[axis] % count == 0, [&] {
        return fmt::format("size {} of axis {}; must be a multiple of {}, the number of pieces",
                           input[axis], axis, count);
    });
    NNBURST_TRY(check.result());
    Split split{axis, input};
    split.pieceShape[axis] /= count;
    return split;
}

Result<HalVersion> checkSplit(const OperationView& operation) {
    using enum OperandType;
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(3);
    const OperandCheck input = check.input(0, "input")
                                   .type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32,
                                          TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED});
    for (std::size_t i = 0; i < operation.outputs.size(); ++i) {
        check.output(i, "piece").sameTypeAs(input).sameQuantizationAs(input);
    }
    const OperandCheck axis = check.input(kSplitAxis, "axis").type({INT32});
    NNBURST_TRY(check.result());
    const std::size_t rank = input.view().shape.rank();
    if (rank != 0 && axis.view().data != nullptr) {
        NNBURST_TRY(readAxis(operation, kSplitAxis, rank));
    }
    NNBURST_TRY(readPieceCount(operation));
    if (hasKnownArguments(operation)) {
        NNBURST_TRY(resolveSplit(operation));
    }
    return check.minimumVersion();
}

Result<> inferSplit(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Split split, resolveSplit(operation));
    std::fill(outputs.begin(), outputs.end(), split.pieceShape);
    return {};
}

Result<> runSplit(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Split split, resolveSplit(operation));
    const OperandView& input = operation.inputs[0];
    const std::size_t rank = input.shape.rank();
    for (std::size_t i = 0; i < operation.outputs.size(); ++i) {
        NNBURST_TRY(requireOutputShape(operation, i, split.pieceShape));
    }
    if (input.shape.elementCount() == 0) {
        return {};
    }
    const std::size_t bytes = elementBytes(input.type);
    const std::size_t row = elementCount(split.pieceShape, split.axis, rank);
    StridedCopy copy;
    copy.axis(elementCount(input.shape, 0, split.axis),
              static_cast<std::ptrdiff_t>(elementCount(input.shape, split.axis, rank)),
              static_cast<std::ptrdiff_t>(row));
    copy.axis(row, 1, 1);
    const std::byte* from = input.data;
    for (const OperandView& output : operation.outputs) {
        copy.run(operation, from, output.data, bytes);
        from += row * bytes;
    }
    return {};
}

}  // namespace concatenation
}  // namespace

constinit const OperationDefinition kConcatenation{
    .type = OperationType::CONCATENATION,
    .since = HalVersion::V1_0,
    .check = concatenation::checkConcatenation,
    .inferShapes = concatenation::inferConcatenation,
    .run = concatenation::runConcatenation,
};

constinit const OperationDefinition kSplit{
    .type = OperationType::SPLIT,
    .since = HalVersion::V1_2,
    .check = concatenation::checkSplit,
    .inferShapes = concatenation::inferSplit,
    .run = concatenation::runSplit,
};

}  // namespace nnburst::exec
