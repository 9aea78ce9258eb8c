// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/operation/reduced_axes.h"

#include <array>

#include "exec/operation/shape_arguments.h"

namespace nnburst::exec {

Result<std::optional<ReducedAxes>> readReducedAxes(const OperationView& operation) {
    constexpr std::size_t kAxes = 1;
    const Shape& shape = operation.inputs[0].shape;
    const OperandView& axes = operation.inputs[kAxes];
    if (!axes.isConstant || axes.data == nullptr) {
        return std::nullopt;
    }
    NNBURST_TRY_ASSIGN(const auto values, readValues(operation, kAxes, "axes"));
    const auto rank = static_cast<std::int64_t>(shape.rank());
    std::array<bool, kMaximumRank> isReduced{};
    for (const std::int32_t axis : values) {
        isReduced[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
    }
    ReducedAxes sizes;
    std::array<std::uint64_t*, 3> parts{&sizes.outer, &sizes.reduced, &sizes.inner};
    std::size_t part = 0;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        const bool isNext = isReduced[axis] == (part % 2 == 0);
        part += isNext ? 1 : 0;
        if (part == parts.size()) {
            return std::nullopt;
        }
        *parts[part] *= shape[axis];
    }
    return sizes;
}

}  // namespace nnburst::exec
