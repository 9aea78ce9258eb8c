// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/reference/cell_activation.h"

#include <fmt/format.h>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"

namespace nnburst::exec {

Result<CellActivation> readCellActivation(const OperationView& operation, std::size_t index,
                                          HasRelu1 hasRelu1) {
    const bool acceptsRelu1 = hasRelu1 == HasRelu1::YES;
    NNBURST_TRY_ASSIGN(const std::int32_t value,
                       readConstantInt32(operation, index, "activation", 0));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    const bool isRelu1 = value == static_cast<std::int32_t>(CellActivation::RELU1);
    const bool isKnown = value <= 4 || value == 6;
    check.input(index, "activation").require(isKnown && (acceptsRelu1 || !isRelu1), [&] {
        return fmt::format(
            "value {}; must be 0 (NONE), 1 (RELU), {}3 (RELU6), 4 (TANH) or 6 (SIGMOID)", value,
            acceptsRelu1 ? "2 (RELU1), " : "");
    });
    NNBURST_TRY(check.result());
    return static_cast<CellActivation>(value);
}

}  // namespace nnburst::exec
