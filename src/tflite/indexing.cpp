// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Converters of operators that read or write elements at places that indices name.

#include <algorithm>

#include "model/operand_info.h"
#include "tflite/converters.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

namespace {

/// The shape that an input of constants says, which becomes that of the output.
Result<std::uint32_t> outputShapeInput(OperatorImport& op, std::size_t index) {
    NNBURST_TRY_ASSIGN(const std::vector<std::int32_t> sizes, op.integers(index, "shape"));
    Dimensions result;
    for (const std::int32_t size : sizes) {
        if (size < 1) {
            return invalid("output of size {}: must be at least 1", size);
        }
        result.push_back(static_cast<std::uint32_t>(size));
    }
    op.inferOutputShape(result);
    return op.constant(sizes);
}

}  // namespace

Result<> convertGatherNd(OperatorImport& op, OperationType operation) {
    const Dimensions values = op.shape(0);
    const Dimensions indices = op.shape(1);
    if (!indices.empty() && indices.back() != 0 && indices.back() <= values.size()) {
        Dimensions result(indices.begin(), indices.end() - 1);
        result.insert(result.end(), values.begin() + indices.back(), values.end());
        if (result.empty()) {
            op.inferScalarOutput();
        } else {
            op.inferOutputShape(result);
        }
    }
    op.add(operation, {op.input(0), indicesOf(op, 1)}, {op.output()});
    return {};
}

Result<> convertScatterNd(OperatorImport& op, OperationType operation) {
    const OperandType type = op.type(1);
    if (type != OperandType::TENSOR_FLOAT32 && type != OperandType::TENSOR_INT32) {
        return invalid(
            "updates of type {} are not supported: must be TENSOR_FLOAT32 or "
            "TENSOR_INT32",
            toString(type));
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t shape, outputShapeInput(op, 2));
    op.add(operation, {op.input(0), op.input(1), shape}, {op.output()});
    return {};
}

Result<> convertSparseToDense(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const std::uint32_t shape, outputShapeInput(op, 1));
    op.add(operation, {op.input(0), shape, op.input(2), op.input(3)}, {op.output()});
    return {};
}

Result<> convertDilate(OperatorImport& op, OperationType operation) {
    const Dimensions shape = op.shape(0);
    const auto factors = op.knownIntegers(1);
    if (factors && factors->size() == shape.size()) {
        Dimensions result;
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            const std::int64_t size = (std::int64_t{shape[axis]} - 1) * (*factors)[axis] + 1;
            if ((*factors)[axis] < 1 || size > INT32_MAX) {
                return invalid("factor {} for shape {}: must be at least 1, the result below 2^31",
                               (*factors)[axis], dimensionsText(shape));
            }
            result.push_back(shape[axis] == 0 ? 0 : static_cast<std::uint32_t>(size));
        }
        op.inferOutputShape(result);
    }
    op.add(operation, {op.input(0), op.input(1), op.input(2)}, {op.output()});
    return {};
}

Result<> convertOneHot(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::OneHotOptions>());
    NNBURST_TRY_ASSIGN(const std::int32_t depth, op.integer(1, "depth"));
    NNBURST_TRY_ASSIGN(const std::uint32_t rank, op.rank(0));
    if (depth < 1) {
        return invalid("depth {}: must be at least 1", depth);
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t axis, OperatorImport::axis(options->axis(), rank + 1));
    Dimensions result = rank == 0 ? Dimensions() : op.shape(0);
    result.insert(result.begin() + axis, static_cast<std::uint32_t>(depth));
    op.inferOutputShape(result);
    if (rank != 0) {
        op.add(operation,
               {op.input(0), op.scalar(depth), op.input(2), op.input(3),
                op.scalar(static_cast<std::int32_t>(axis))},
               {op.output()});
        return {};
    }
    // A single index has a dimension of size 1 as an operand.
    const std::uint32_t row = op.temporaryLike(op.output(), {1, static_cast<std::uint32_t>(depth)});
    op.add(operation,
           {op.input(0), op.scalar(depth), op.input(2), op.input(3), op.scalar(std::int32_t{1})},
           {row});
    const std::int32_t dropped[] = {0};
    NNBURST_TRY_ASSIGN(const std::uint32_t axes, op.constant(dropped));
    op.add(OperationType::SQUEEZE, {row, axes}, {op.output()});
    return {};
}

Result<> convertUpdateSlice(OperatorImport& op, OperationType operation) {
    op.inferShapeOf(0);
    op.add(operation, {op.input(0), op.input(1), op.input(2)}, {op.output()});
    return {};
}

Result<> convertReverseSequence(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::ReverseSequenceOptions>());
    op.inferShapeOf(0);
    op.add(
        operation,
        {op.input(0), op.input(1), op.scalar(options->seq_dim()), op.scalar(options->batch_dim())},
        {op.output()});
    return {};
}

/// The number of rows follows from values, whatever the file states.
Result<> convertWhere(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const std::uint32_t rank, op.rank(0));
    if (rank == 0) {
        return invalid("condition without dimensions: must have at least 1");
    }
    op.inferOutputShape({0, rank});
    op.operand(op.output()).dimensions = {0, rank};
    op.add(operation, {op.input(0)}, {op.output()});
    return {};
}

Result<> convertUnique(OperatorImport& op, OperationType operation) {
    op.inferShapeOf(0, 1);
    op.inferOutputShape({0});
    op.operand(op.output()).dimensions = {0};
    op.add(operation, {op.input(0)}, {op.output(0), op.output(1)});
    return {};
}

/// The number of segments is that of the output, or follows from constant segments.
Result<> convertSegmentSum(OperatorImport& op, OperationType operation) {
    std::int64_t count = sizeAt(op.operand(op.output()).dimensions, 0);
    if (const auto segments = op.knownIntegers(1); segments && !segments->empty()) {
        count = std::int64_t{*std::max_element(segments->begin(), segments->end())} + 1;
    }
    if (count < 1 || count > INT32_MAX) {
        return invalid("{} segments: must be constant, or the output's shape known", count);
    }
    Dimensions result = op.shape(0);
    if (!result.empty()) {
        result[0] = static_cast<std::uint32_t>(count);
        op.inferOutputShape(result);
    }
    const OperandType type = op.type(0);
    const std::uint32_t input = type == OperandType::TENSOR_INT32 ? op.input(0) : op.floatInput(0);
    const std::uint32_t computed = op.floatOutput();
    op.add(operation, {input, op.input(1), op.scalar(static_cast<std::int32_t>(count))},
           {computed});
    op.finishFloat(computed);
    return {};
}

Result<> convertUnsortedSegment(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const std::int32_t count, op.integer(2, "number of segments"));
    const Dimensions segments = op.shape(1);
    const Dimensions data = op.shape(0);
    if (count < 1 || segments.size() > data.size()) {
        return invalid("{} segments of shape {} for {}: must be at least 1, for its first axes",
                       count, dimensionsText(segments), dimensionsText(data));
    }
    Dimensions result{static_cast<std::uint32_t>(count)};
    result.insert(result.end(), data.begin() + static_cast<std::ptrdiff_t>(segments.size()),
                  data.end());
    op.inferOutputShape(result);
    const std::uint32_t input =
        op.type(0) == OperandType::TENSOR_INT32 ? op.input(0) : op.floatInput(0);
    const std::uint32_t computed = op.floatOutput();
    op.add(operation, {input, op.input(1), op.scalar(count)}, {computed});
    op.finishFloat(computed);
    return {};
}

}  // namespace nnburst::tflite
