// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/operation/control_flow.h"

#include "exec/operation/operation_check.h"
#include "exec/reference/definitions.h"

namespace nnburst::exec {

namespace {
namespace control_flow {

Result<HalVersion> checkIf(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(kIfSubgraphInputs, SIZE_MAX);
    // By the HAL's tests a model without a condition can be prepared. Its runs are refused.
    OperandCheck condition = check.optionalInput(0, "condition").type({OperandType::TENSOR_BOOL8});
    condition.rank(1).size(0, 1, "one truth value");
    check.input(1, "then").type({OperandType::SUBGRAPH});
    check.input(2, "else").type({OperandType::SUBGRAPH});
    return check.minimumVersion();
}

Result<HalVersion> checkWhile(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(kWhileSubgraphInputs, SIZE_MAX);
    check.input(0, "condition").type({OperandType::SUBGRAPH});
    check.input(1, "body").type({OperandType::SUBGRAPH});
    check.require(!operation.outputs.empty(), [] { return "no outputs; must have at least 1"; });
    return check.minimumVersion();
}

}  // namespace control_flow
}  // namespace

constinit const OperationDefinition kIf{
    .type = OperationType::IF,
    .since = HalVersion::V1_3,
    .check = control_flow::checkIf,
    .inferShapes = nullptr,
};

constinit const OperationDefinition kWhile{
    .type = OperationType::WHILE,
    .since = HalVersion::V1_3,
    .check = control_flow::checkWhile,
    .inferShapes = nullptr,
};

}  // namespace nnburst::exec
