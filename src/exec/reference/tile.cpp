// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// TILE, FILL and RANK.
//
//     TILE   the input, multiples[i] times along axis i
//     FILL   a tensor of the sizes that input 0 lists, of which each element is the scalar input 1
//     RANK   the number of axes of the input, of any type, as a scalar

#include <fmt/format.h>

#include <array>

#include "exec/operation/operation_check.h"
#include "exec/operation/shape_arguments.h"
#include "exec/reference/definitions.h"
#include "exec/reference/operations.h"
#include "exec/reference/strided_copy.h"
#include "model/invalid.h"
#include "model/operand_info.h"

namespace nnburst::exec {

namespace {
namespace tile {

using enum OperandType;

void checkTileShapes(OperationCheck& check) {
    const OperandCheck input = check.input(0, "input").rank(1, kMaximumRank);
    OperandCheck multiples = check.input(1, "multiples").rank(1);
    if (input.view().shape.rank() != 0) {
        multiples.size(0, static_cast<std::uint32_t>(input.view().shape.rank()),
                       "the rank of the input");
    }
}

Result<Shape> tiledShape(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkTileShapes(check);
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const auto multiples, readValues(operation, 1, "multiples"));
    const Shape& input = operation.inputs[0].shape;
    std::array<std::uint64_t, kMaximumRank> sizes{};
    for (std::size_t axis = 0; axis < input.rank(); ++axis) {
        const std::int32_t multiple = multiples[axis];
        if (multiple < 0) {
            return invalid("TILE input 1 (multiples): {} for axis {}; must be at least 0", multiple,
                           axis);
        }
        sizes[axis] = std::uint64_t{input[axis]} * static_cast<std::uint32_t>(multiple);
    }
    return makeOutputShape(operation, 0, std::span(sizes.data(), input.rank()));
}

Result<HalVersion> checkTile(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(2).outputCount(1);
    const OperandCheck input = check.input(0, "input")
                                   .type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32,
                                          TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED});
    check.input(1, "multiples").type({TENSOR_INT32});
    checkTileShapes(check);
    check.output(0, "output").sameTypeAs(input).sameQuantizationAs(input);
    NNBURST_TRY(check.result());
    if (hasKnownArguments(operation)) {
        NNBURST_TRY(tiledShape(operation));
    }
    return check.minimumVersion();
}

Result<> runTile(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Shape shape, tiledShape(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, shape));
    const OperandView& input = operation.inputs[0];
    if (shape.elementCount() == 0) {
        return {};
    }
    const Strides inputStrides = denseStrides(input.shape);
    const Strides outputStrides = denseStrides(shape);
    StridedCopy copy;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        const std::uint32_t size = input.shape[axis];
        // One axis for the repetitions, one for the elements of the axis.
        copy.axis(shape[axis] / size, 0, static_cast<std::ptrdiff_t>(size) * outputStrides[axis])
            .axis(size, inputStrides[axis], outputStrides[axis]);
    }
    copy.run(operation, input.data, operation.outputs[0].data, elementBytes(input.type));
    return {};
}

void checkFillShapes(OperationCheck& check) {
    OperandCheck sizes = check.input(0, "sizes").rank(1).notEmpty(0);
    sizes.require(sizes[0] <= kMaximumRank, [&] {
        return fmt::format("{} elements; must be 1 to {}", sizes[0], kMaximumRank);
    });
}

Result<Shape> filledShape(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkFillShapes(check);
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const auto values, readValues(operation, 0, "sizes"));
    std::array<std::uint64_t, kMaximumRank> sizes{};
    for (std::size_t axis = 0; axis < values.size(); ++axis) {
        const std::int32_t size = values[axis];
        if (size < 0) {
            return invalid("FILL input 0 (sizes): {} for axis {}; must be at least 0", size, axis);
        }
        sizes[axis] = static_cast<std::uint32_t>(size);
    }
    return makeOutputShape(operation, 0, std::span(sizes.data(), values.size()));
}

Result<HalVersion> checkFill(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(2).outputCount(1);
    check.input(0, "sizes").type({TENSOR_INT32});
    checkFillShapes(check);
    const OperandCheck output =
        check.output(0, "output").type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32});
    check.input(1, "value").type({fillScalarType(output.view().type)});
    NNBURST_TRY(check.result());
    if (hasKnownArguments(operation)) {
        NNBURST_TRY(filledShape(operation));
    }
    return check.minimumVersion();
}

Result<> runFill(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Shape shape, filledShape(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, shape));
    const OperandView& output = operation.outputs[0];
    fillElements(operation, output.data, shape.elementCount(), operation.inputs[1].data,
                 elementBytes(output.type));
    return {};
}

using ComputeShape = Result<Shape> (*)(const OperationView& operation);

template <ComputeShape compute>
Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Shape shape, compute(operation));
    outputs[0] = shape;
    return {};
}

Result<HalVersion> checkRank(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(1).outputCount(1);
    check.input(0, "input")
        .type({TENSOR_FLOAT32, TENSOR_INT32, TENSOR_QUANT8_ASYMM, TENSOR_QUANT16_SYMM,
               TENSOR_FLOAT16, TENSOR_BOOL8, TENSOR_QUANT8_SYMM_PER_CHANNEL, TENSOR_QUANT16_ASYMM,
               TENSOR_QUANT8_SYMM, TENSOR_QUANT8_ASYMM_SIGNED});
    check.output(0, "rank").type({INT32});
    return check.minimumVersion();
}

Result<> inferRank(const OperationView& /*operation*/, std::span<Shape> outputs) {
    outputs[0] = Shape();
    return {};
}

Result<> runRank(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY(requireOutputShape(operation, 0, Shape()));
    *operation.outputs[0].as<std::int32_t>() =
        static_cast<std::int32_t>(operation.inputs[0].shape.rank());
    return {};
}

}  // namespace tile
}  // namespace

constinit const OperationDefinition kTile{
    .type = OperationType::TILE,
    .since = HalVersion::V1_2,
    .valueInputs = inputs(1),
    .check = tile::checkTile,
    .inferShapes = tile::inferShapes<tile::tiledShape>,
    .run = tile::runTile,
};

constinit const OperationDefinition kFill{
    .type = OperationType::FILL,
    .since = HalVersion::V1_3,
    .valueInputs = inputs(0),
    .check = tile::checkFill,
    .inferShapes = tile::inferShapes<tile::filledShape>,
    .run = tile::runFill,
};

constinit const OperationDefinition kRank{
    .type = OperationType::RANK,
    .since = HalVersion::V1_3,
    .check = tile::checkRank,
    .inferShapes = tile::inferRank,
    .run = tile::runRank,
};

}  // namespace nnburst::exec
