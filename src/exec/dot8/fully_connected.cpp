// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// FULLY_CONNECTED.
//
//     input [any, with batches * inputs elements], weights [units, inputs], bias [units],
//     output [batches, units]

#include "exec/dot8/coverage.h"
#include "exec/dot8/families.h"
#include "exec/dot8/product_step.h"

namespace nnburst::exec::dot8 {

StepResult makeFullyConnected(const OperationView& operation, const StepContext& context) {
    NNBURST_TRY_ASSIGN(const FusedActivationFunc activation, readActivation(operation, 3));
    const QuantizedRange range = activationRange(activation, operation.outputs[0]);
    if (operation.inputs[1].channelQuant != nullptr || !isCovered(operation, range)) {
        return nullptr;
    }
    const Shape& weights = operation.inputs[1].shape;
    return makeProductStep(operation, context, range,
                           {.rowCount = operation.outputs[0].shape[0],
                            .depth = weights[1],
                            .groups = 1,
                            .groupOutputs = weights[0],
                            .windows = {}});
}

}  // namespace nnburst::exec::dot8
