// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/operation/shape_arguments.h"

#include <fmt/format.h>

#include <limits>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "model/invalid.h"
#include "model/operand_info.h"
#include "nnburst/validation.h"

namespace nnburst::exec {

Result<std::size_t> readAxis(const OperationView& operation, std::size_t index, std::size_t rank) {
    NNBURST_TRY_ASSIGN(
        const std::int32_t axis,
        readConstantInt32(operation, index, "axis", std::numeric_limits<std::int32_t>::min()));
    const auto count = static_cast<std::int32_t>(rank);
    if (axis < -count || axis >= count) {
        return invalid("{} input {} (axis): value {}; must be {} to {}", toString(operation.type),
                       index, axis, -count, count - 1);
    }
    return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

Result<bool> readFlag(const OperationView& operation, std::size_t index, const char* name) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    const OperandCheck flag = check.input(index, name).type({OperandType::BOOL});
    NNBURST_TRY(check.result());
    if (flag.view().data == nullptr) {
        return unknownValue(operation, index, name);
    }
    return flag.view().scalar<std::uint8_t>() != 0;
}

Result<bool> readOptionalFlag(const OperationView& operation, std::size_t index, const char* name) {
    if (operation.has(index)) {
        return readFlag(operation, index, name);
    }
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    check.optionalInput(index, name).type({OperandType::BOOL});
    NNBURST_TRY(check.result());
    return false;
}

Result<std::span<const std::int32_t>> readValues(const OperationView& operation, std::size_t index,
                                                 const char* name) {
    const OperandView& values = operation.inputs[index];
    const std::size_t count = values.shape.elementCount();
    if (values.data == nullptr && count != 0) {
        return invalid("{} input {} ({}): its values are not known", toString(operation.type),
                       index, name);
    }
    return std::span(values.as<const std::int32_t>(), count);
}

Result<Shape> makeOutputShape(const OperationView& operation, std::size_t index,
                              std::span<const std::uint64_t> sizes) {
    const auto refused = [&] {
        return invalid("{} output {}: shape {}; must take at most {} bytes",
                       toString(operation.type), index, fmt::join(sizes, "x"),
                       kMaximumOperandBytes);
    };
    std::array<std::uint32_t, kMaximumRank> narrowed{};
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        if (sizes[axis] > std::numeric_limits<std::uint32_t>::max()) {
            return refused();
        }
        narrowed[axis] = static_cast<std::uint32_t>(sizes[axis]);
    }
    const Shape shape(std::span<const std::uint32_t>(narrowed.data(), sizes.size()));
    if (!operandBytes(operation.outputs[index].type, shape.sizes())) {
        return refused();
    }
    return shape;
}

}  // namespace nnburst::exec
