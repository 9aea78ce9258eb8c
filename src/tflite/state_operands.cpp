// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/state_operands.h"

#include "model/invalid.h"
#include "model/operand_info.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

Result<std::size_t> StateOperands::addState(const Operand& value) {
    if (!isMain_) {
        return invalid(
            "what is kept from one execution to the next is supported in the main "
            "subgraph alone");
    }
    if (!isKnown(value.dimensions)) {
        return invalid("a variable of shape {}: all sizes must be known",
                       dimensionsText(value.dimensions));
    }
    const std::uint32_t input =
        builder_.addTensor(value.type, value.dimensions, value.scale, value.zeroPoint);
    addVariable(kNoTensor, input);
    return states_.size() - 1;
}

}  // namespace nnburst::tflite
