// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// TRANSPOSE and CHANNEL_SHUFFLE.
//
//     TRANSPOSE         axis i of the output is axis permutation[i] of the input; without
//                       permutation the axes are reversed
//     CHANNEL_SHUFFLE   one axis of groups * n channels, as a matrix [groups, n], is transposed to
//                       [n, groups]

#include <fmt/format.h>

#include <array>
#include <bitset>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/operation/shape_arguments.h"
#include "exec/reference/definitions.h"
#include "exec/reference/operations.h"
#include "exec/reference/strided_copy.h"
#include "model/invalid.h"
#include "model/operand_info.h"

namespace nnburst::exec {

namespace {
namespace transpose {

constexpr std::size_t kHighestRank = 4;

using enum OperandType;
constexpr std::initializer_list<OperandType> kTypes{
    TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED};

struct Transposition {
    std::array<std::size_t, kHighestRank> permutation{};
    Shape outputShape;
};

void checkPermutation(OperationCheck& check) {
    OperandCheck input = check.input(0, "input").rank(1, kHighestRank);
    OperandCheck permutation = check.optionalInput(1, "permutation").rank(1);
    if (input.view().shape.rank() != 0) {
        permutation.size(0, static_cast<std::uint32_t>(input.view().shape.rank()),
                         "the rank of the input");
    }
}

Result<Transposition> resolveTransposition(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkPermutation(check);
    NNBURST_TRY(check.result());
    const Shape& input = operation.inputs[0].shape;
    const std::size_t rank = input.rank();
    Transposition transposition{.outputShape = input};
    for (std::size_t axis = 0; axis < rank; ++axis) {
        transposition.permutation[axis] = rank - 1 - axis;
    }
    if (operation.has(1)) {
        NNBURST_TRY_ASSIGN(const auto values, readValues(operation, 1, "permutation"));
        std::bitset<kHighestRank> isTaken;
        for (std::size_t axis = 0; axis < rank; ++axis) {
            const std::int32_t value = values[axis];
            const auto from = static_cast<std::size_t>(value);  // negative ones become large
            if (from >= rank || isTaken[from]) {
                return invalid(
                    "TRANSPOSE input 1 (permutation): axis {} comes from axis {}; must be each of "
                    "0 to {} once",
                    axis, value, rank - 1);
            }
            isTaken.set(from);
            transposition.permutation[axis] = from;
        }
    }
    for (std::size_t axis = 0; axis < rank; ++axis) {
        transposition.outputShape[axis] = input[transposition.permutation[axis]];
    }
    return transposition;
}

Result<HalVersion> checkTranspose(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(2).outputCount(1);
    const OperandCheck input = check.input(0, "input").type(kTypes);
    check.optionalInput(1, "permutation").type({TENSOR_INT32});
    checkPermutation(check);
    check.output(0, "output").sameTypeAs(input).sameQuantizationAs(input).rank(1, kHighestRank);
    NNBURST_TRY(check.result());
    if (hasKnownArguments(operation)) {
        NNBURST_TRY(resolveTransposition(operation));
    }
    return check.minimumVersion();
}

Result<> inferTranspose(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Transposition transposition, resolveTransposition(operation));
    outputs[0] = transposition.outputShape;
    return {};
}

Result<> runTranspose(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Transposition transposition, resolveTransposition(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, transposition.outputShape));
    const OperandView& input = operation.inputs[0];
    const OperandView& output = operation.outputs[0];
    if (output.shape.elementCount() == 0) {
        return {};
    }
    const Strides inputStrides = denseStrides(input.shape);
    const Strides outputStrides = denseStrides(output.shape);
    StridedCopy copy;
    for (std::size_t axis = 0; axis < output.shape.rank(); ++axis) {
        copy.axis(output.shape[axis], inputStrides[transposition.permutation[axis]],
                  outputStrides[axis]);
    }
    copy.run(operation, input.data, output.data, elementBytes(input.type));
    return {};
}

constexpr std::size_t kGroups = 1;
constexpr std::size_t kAxis = 2;

struct Shuffle {
    std::size_t axis = 0;
    std::uint32_t groups = 1;
};

Result<std::uint32_t> readGroups(const OperationView& operation) {
    NNBURST_TRY_ASSIGN(const std::int32_t groups,
                       readConstantInt32(operation, kGroups, "groups", 1));
    return static_cast<std::uint32_t>(groups);
}

/// The input's rank is known, but not always its sizes.
Result<Shuffle> resolveShuffle(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    OperandCheck input = check.input(0, "input").rank(1, kHighestRank);
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const std::uint32_t groups, readGroups(operation));
    NNBURST_TRY_ASSIGN(const std::size_t axis,
                       readAxis(operation, kAxis, input.view().shape.rank()));
    input.require(input[axis] % groups == 0, [&] {
        return fmt::format("size {} of axis {}; must be a multiple of {}, the groups", input[axis],
                           axis, groups);
    });
    NNBURST_TRY(check.result());
    return Shuffle{axis, groups};
}

Result<HalVersion> checkShuffle(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(3).outputCount(1);
    const OperandCheck input = check.input(0, "input").type(kTypes).rank(1, kHighestRank);
    check.output(0, "output").sameTypeAs(input).sameQuantizationAs(input).sameShapeAs(input);
    check.input(kAxis, "axis").type({INT32});
    NNBURST_TRY(check.result());
    NNBURST_TRY(readGroups(operation));
    if (input.view().shape.rank() != 0) {
        NNBURST_TRY(resolveShuffle(operation));
    }
    return check.minimumVersion();
}

Result<> inferShuffle(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY(resolveShuffle(operation));
    outputs[0] = operation.inputs[0].shape;
    return {};
}

Result<> runShuffle(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Shuffle shuffle, resolveShuffle(operation));
    const OperandView& input = operation.inputs[0];
    const Shape& shape = input.shape;
    NNBURST_TRY(requireOutputShape(operation, 0, shape));
    if (shape.elementCount() == 0) {
        return {};
    }
    const std::size_t channels = shape[shuffle.axis];
    const std::size_t groupSize = channels / shuffle.groups;
    const std::size_t inner = elementCount(shape, shuffle.axis + 1, shape.rank());
    const auto stride = [inner](std::size_t channelCount) {
        return static_cast<std::ptrdiff_t>(channelCount * inner);
    };
    StridedCopy copy;
    copy.axis(elementCount(shape, 0, shuffle.axis), stride(channels), stride(channels))
        .axis(groupSize, stride(1), stride(shuffle.groups))
        .axis(shuffle.groups, stride(groupSize), stride(1))
        .axis(inner, 1, 1);
    copy.run(operation, input.data, operation.outputs[0].data, elementBytes(input.type));
    return {};
}

}  // namespace transpose
}  // namespace

constinit const OperationDefinition kTranspose{
    .type = OperationType::TRANSPOSE,
    .since = HalVersion::V1_1,
    .valueInputs = inputs(1),
    .optionalInputs = inputs(1),
    .check = transpose::checkTranspose,
    .inferShapes = transpose::inferTranspose,
    .run = transpose::runTranspose,
};

constinit const OperationDefinition kChannelShuffle{
    .type = OperationType::CHANNEL_SHUFFLE,
    .since = HalVersion::V1_2,
    .check = transpose::checkShuffle,
    .inferShapes = transpose::inferShuffle,
    .run = transpose::runShuffle,
};

}  // namespace nnburst::exec
