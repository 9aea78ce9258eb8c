// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// RESHAPE.
//
//     input   any shape of rank up to 4
//     shape   [rank of the output], INT32: the sizes of the output, of which one may be -1, which
//             is whatever keeps the number of elements
//     output  the elements of the input in their order

#include <cstring>
#include <optional>

#include "exec/reference/definitions.h"
#include "exec/reference/operation_check.h"
#include "memory/checked_math.h"
#include "model/invalid.h"
#include "model/operand_info.h"

namespace nnburst::exec {

namespace {

constexpr std::size_t kHighestRank = 4;

void checkShapes(OperationCheck& check) {
    check.input(0, "input").rank(1, kHighestRank);
    OperandCheck shape = check.input(1, "shape").rank(1).notEmpty(0);
    shape.require(shape[0] <= kHighestRank, [&] {
        return fmt::format("{} elements; must be 1 to {}", shape[0], kHighestRank);
    });
}

/// The output's shape from the values of input 1, each of which is read once.
Result<Shape> computeOutputShape(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkShapes(check);
    NNBURST_TRY(check.result());
    const OperandView& input = operation.inputs[0];
    const OperandView& shape = operation.inputs[1];
    const std::uint64_t elements = input.shape.elementCount();
    const auto refused = [&](const auto& why) {
        return invalid("RESHAPE input 1 (shape): {}", why);
    };
    std::array<std::uint32_t, kHighestRank> sizes{};
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
            return refused("too many elements");
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

Result<HalVersion> check(const OperationView& operation) {
    using enum OperandType;
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(2).outputCount(1);
    const OperandCheck input = check.input(0, "input")
                                   .type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM,
                                          TENSOR_QUANT8_ASYMM_SIGNED});
    check.input(1, "shape").type({TENSOR_INT32});
    checkShapes(check);
    check.output(0, "output").sameTypeAs(input).sameQuantizationAs(input).rank(1, kHighestRank);
    NNBURST_TRY(check.result());
    if (hasKnownInputShapes(operation) && operation.inputs[1].data != nullptr) {
        NNBURST_TRY(computeOutputShape(operation));
    }
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Shape shape, computeOutputShape(operation));
    outputs[0] = shape;
    return {};
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Shape shape, computeOutputShape(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, shape));
    const OperandView& input = operation.inputs[0];
    const OperandView& output = operation.outputs[0];
    if (output.data != input.data) {
        std::memmove(output.data, input.data,
                     input.shape.elementCount() * elementBytes(input.type));
    }
    return {};
}

}  // namespace

constinit const OperationDefinition kReshape{
    .type = OperationType::RESHAPE,
    .since = HalVersion::V1_0,
    .valueInputs = inputs(1),
    .check = check,
    .inferShapes = inferShapes,
    .scratchBytes = nullptr,
    .run = run,
};

}  // namespace nnburst::exec
