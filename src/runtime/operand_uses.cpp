// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/operand_uses.h"

namespace nnburst::runtime {

std::vector<OperandUse> operandUses(const Subgraph& subgraph) {
    std::vector<OperandUse> uses(subgraph.operands.size());
    for (std::uint32_t index = 0; index < subgraph.operations.size(); ++index) {
        for (const std::uint32_t input : subgraph.operations[index].inputs) {
            std::vector<std::uint32_t>& consumers = uses[input].consumers;
            if (consumers.empty() || consumers.back() != index) {
                consumers.push_back(index);
            }
        }
        for (const std::uint32_t output : subgraph.operations[index].outputs) {
            uses[output].producer = index;
        }
    }
    return uses;
}

}  // namespace nnburst::runtime
