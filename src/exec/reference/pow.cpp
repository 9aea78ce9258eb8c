// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// POW.
//
//     base, exponent  two tensors, broadcast
//     output          of the broadcast shape: base to the power of exponent

#include <cmath>

#include "exec/operation/operation_check.h"
#include "exec/reference/broadcast.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"

namespace nnburst::exec {

namespace {

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(2).outputCount(1);
    const OperandCheck base = check.input(0, "base")
                                  .type({OperandType::TENSOR_FLOAT32, OperandType::TENSOR_FLOAT16})
                                  .rank(1, kMaximumRank);
    check.input(1, "exponent").sameTypeAs(base).rank(1, kMaximumRank);
    check.output(0, "output").sameTypeAs(base);
    NNBURST_TRY(check.result());
    if (hasKnownInputShapes(operation)) {
        NNBURST_TRY(broadcastShape(operation));
    }
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(outputs[0], broadcastShape(operation));
    return {};
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Shape shape, broadcastShape(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, shape));
    dispatchFloat(operation.inputs[0].type, [&]<class T>() {
        forEachPair<T, T>(operation, [](T base, T exponent) {
            return static_cast<T>(std::pow(static_cast<float>(base), static_cast<float>(exponent)));
        });
    });
    return {};
}

}  // namespace

constinit const OperationDefinition kPow{
    .type = OperationType::POW,
    .since = HalVersion::V1_2,
    .check = check,
    .inferShapes = inferShapes,
    .scratchBytes = nullptr,
    .run = run,
};

}  // namespace nnburst::exec
