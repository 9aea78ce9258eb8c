// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// RESHAPE, SQUEEZE and EXPAND_DIMS: the elements of the input in their order, in another shape.
//
//     RESHAPE       the shape is input 1, INT32 [rank of the output]; one of its sizes may be -1,
//                   which stands for the size that keeps the number of elements
//     SQUEEZE       without axes of size 1: those that input 1 lists, or all of them; at least one
//                   axis is left
//     EXPAND_DIMS   with one more axis of size 1, at the index that input 1 gives

#include <bitset>
#include <optional>

#include "exec/operation/operation_check.h"
#include "exec/operation/shape_arguments.h"
#include "exec/reference/definitions.h"
#include "exec/reference/operations.h"
#include "memory/checked_math.h"
#include "memory/interruptible.h"
#include "model/invalid.h"
#include "model/operand_info.h"

namespace nnburst::exec {

namespace {
namespace reshape {

constexpr std::size_t kHighestRank = 4;  ///< of the inputs of RESHAPE and SQUEEZE

void checkShapes(OperationCheck& check) {
    check.input(0, "input").rank(1, kHighestRank);
    OperandCheck shape = check.input(1, "shape").rank(1).notEmpty(0);
    shape.require(shape[0] <= kMaximumRank, [&] {
        return fmt::format("{} elements; must be 1 to {}", shape[0], kMaximumRank);
    });
}

/// The output's shape from the values of input 1, each of which is read once.
Result<Shape> reshape(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkShapes(check);
    NNBURST_TRY(check.result());
    const OperandView& input = operation.inputs[0];
    const OperandView& shape = operation.inputs[1];
    const std::uint64_t elements = input.shape.elementCount();
    const auto refused = [&](const auto& why) {
        return invalid("RESHAPE input 1 (shape): {}", why);
    };
    std::array<std::uint32_t, kMaximumRank> sizes{};
    std::optional<std::size_t> stretched;
    std::uint64_t product = 1;
    for (std::size_t axis = 0; axis < shape.shape[0]; ++axis) {
        const std::int32_t size = shape.as<const volatile std::int32_t>()[axis];
        if (size == -1 && !stretched) {
            stretched = axis;
            continue;
        }
        if (size < 0) {
            return refused(
                fmt::format("size {} of axis {}; must be at least 0, or -1 once", size, axis));
        }
        sizes[axis] = static_cast<std::uint32_t>(size);
        const auto next = checkedMultiply<std::uint64_t>(product, sizes[axis]);
        if (!next) {
            return refused(
                fmt::format("2^64 elements or more; must be {}, those of the input", elements));
        }
        product = *next;
    }
    if (stretched && product != 0) {
        sizes[*stretched] = static_cast<std::uint32_t>(elements / product);
        product *= sizes[*stretched];
    }
    const Shape result(std::span<const std::uint32_t>(sizes.data(), shape.shape[0]));
    if (product != elements) {
        return refused(fmt::format("{} elements in shape {}; must be {}, those of the input",
                                   product, dimensionsText(result.sizes()), elements));
    }
    return result;
}

Result<HalVersion> checkReshape(const OperationView& operation) {
    using enum OperandType;
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(2).outputCount(1);
    const OperandCheck input = check.input(0, "input")
                                   .type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM,
                                          TENSOR_QUANT8_ASYMM_SIGNED});
    check.input(1, "shape").type({TENSOR_INT32});
    checkShapes(check);
    check.output(0, "output").sameTypeAs(input).sameQuantizationAs(input);
    NNBURST_TRY(check.result());
    if (hasKnownArguments(operation)) {
        NNBURST_TRY(reshape(operation));
    }
    return check.minimumVersion();
}

void checkSqueezedAxes(OperationCheck& check) {
    check.input(0, "input").rank(1, kHighestRank);
    check.optionalInput(1, "axes").rank(1);
}

Result<Shape> squeeze(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkSqueezedAxes(check);
    NNBURST_TRY(check.result());
    const Shape& input = operation.inputs[0].shape;
    std::bitset<kHighestRank> isSqueezed;
    if (operation.has(1)) {
        NNBURST_TRY_ASSIGN(const auto axes, readValues(operation, 1, "axes"));
        const auto rank = static_cast<std::int32_t>(input.rank());
        for (const std::int32_t value : axes) {
            if (value < -rank || value >= rank) {
                return invalid("SQUEEZE input 1 (axes): axis {}; must be {} to {}", value, -rank,
                               rank - 1);
            }
            const auto axis = static_cast<std::size_t>(value < 0 ? value + rank : value);
            if (input[axis] != 1) {
                return invalid("SQUEEZE input 1 (axes): axis {} of size {}; must be of size 1",
                               value, input[axis]);
            }
            isSqueezed.set(axis);
        }
    } else {
        for (std::size_t axis = 0; axis < input.rank(); ++axis) {
            isSqueezed.set(axis, input[axis] == 1);
        }
    }
    std::array<std::uint32_t, kHighestRank> sizes{1};
    std::size_t rank = 0;
    for (std::size_t axis = 0; axis < input.rank(); ++axis) {
        if (!isSqueezed[axis]) {
            sizes[rank++] = input[axis];
        }
    }
    return Shape(std::span<const std::uint32_t>(sizes.data(), rank == 0 ? 1 : rank));
}

Result<HalVersion> checkSqueeze(const OperationView& operation) {
    using enum OperandType;
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(2).outputCount(1);
    const OperandCheck input = check.input(0, "input")
                                   .type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM,
                                          TENSOR_QUANT8_ASYMM_SIGNED});
    check.optionalInput(1, "axes").type({TENSOR_INT32});
    checkSqueezedAxes(check);
    check.output(0, "output").sameTypeAs(input).sameQuantizationAs(input).rank(1, kHighestRank);
    NNBURST_TRY(check.result());
    if (hasKnownArguments(operation)) {
        NNBURST_TRY(squeeze(operation));
    }
    return check.minimumVersion();
}

Result<Shape> expandDims(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    check.input(0, "input").rank(1, kMaximumRank - 1);
    NNBURST_TRY(check.result());
    const Shape& input = operation.inputs[0].shape;
    NNBURST_TRY_ASSIGN(const std::size_t added, readAxis(operation, 1, input.rank() + 1));
    std::array<std::uint32_t, kMaximumRank> sizes{};
    for (std::size_t axis = 0; axis <= input.rank(); ++axis) {
        sizes[axis] = axis == added ? 1 : input[axis < added ? axis : axis - 1];
    }
    return Shape(std::span<const std::uint32_t>(sizes.data(), input.rank() + 1));
}

Result<HalVersion> checkExpandDims(const OperationView& operation) {
    using enum OperandType;
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(2).outputCount(1);
    const OperandCheck input = check.input(0, "input")
                                   .type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32,
                                          TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED})
                                   .rank(1, kMaximumRank - 1);
    check.input(1, "axis").type({INT32});
    check.output(0, "output").sameTypeAs(input).sameQuantizationAs(input);
    NNBURST_TRY(check.result());
    if (hasKnownArguments(operation)) {
        NNBURST_TRY(expandDims(operation));
    }
    return check.minimumVersion();
}

using ComputeShape = Result<Shape> (*)(const OperationView& operation);

template <ComputeShape compute>
Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Shape shape, compute(operation));
    outputs[0] = shape;
    return {};
}

template <ComputeShape compute>
Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Shape shape, compute(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, shape));
    const OperandView& input = operation.inputs[0];
    const OperandView& output = operation.outputs[0];
    const std::size_t bytes = input.shape.elementCount() * elementBytes(input.type);
    if (output.data != input.data) {
        (void)copyBytes(output.data, input.data, bytes,
                        [&](std::size_t work) { return operation.isOutOfTime(work); });
    }
    return {};
}

}  // namespace reshape
}  // namespace

constinit const OperationDefinition kReshape{
    .type = OperationType::RESHAPE,
    .since = HalVersion::V1_0,
    .valueInputs = inputs(1),
    .check = reshape::checkReshape,
    .inferShapes = reshape::inferShapes<reshape::reshape>,
    .run = reshape::run<reshape::reshape>,
};

constinit const OperationDefinition kSqueeze{
    .type = OperationType::SQUEEZE,
    .since = HalVersion::V1_1,
    .valueInputs = inputs(1),
    .optionalInputs = inputs(1),
    .check = reshape::checkSqueeze,
    .inferShapes = reshape::inferShapes<reshape::squeeze>,
    .run = reshape::run<reshape::squeeze>,
};

constinit const OperationDefinition kExpandDims{
    .type = OperationType::EXPAND_DIMS,
    .since = HalVersion::V1_2,
    .check = reshape::checkExpandDims,
    .inferShapes = reshape::inferShapes<reshape::expandDims>,
    .run = reshape::run<reshape::expandDims>,
};

}  // namespace nnburst::exec
