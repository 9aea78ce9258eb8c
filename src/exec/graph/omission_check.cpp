// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/graph/omission_check.h"

#include <algorithm>

#include "exec/graph/control_flow_check.h"
#include "exec/graph/shape_inference.h"
#include "exec/operation/control_flow.h"
#include "log/assert.h"
#include "model/invalid.h"

namespace nnburst::exec {

Result<> OmissionCheck::check(const Graph& graph, const std::vector<bool>& isOmitted) {
    const Subgraph& subgraph = graph.subgraph;
    NNBURST_ASSERT(isOmitted.size() == subgraph.inputIndexes.size(), "{} flags for {} inputs",
                   isOmitted.size(), subgraph.inputIndexes.size());
    if (std::find(isOmitted.begin(), isOmitted.end(), true) == isOmitted.end() ||
        isOverAfter(subgraph.operands.size())) {
        return {};
    }
    ShapeInference shapes(graph);
    Omitted omitted(subgraph.operands.size());
    for (std::size_t input = 0; input < isOmitted.size(); ++input) {
        shapes.setDecided(input);
        if (isOmitted[input]) {
            omitted[subgraph.inputIndexes[input]] = true;
            NNBURST_TRY(shapes.setInputShape(input, Shape(), true));
        }
    }
    for (std::size_t index = 0; index < subgraph.operations.size(); ++index) {
        const Operation& operation = subgraph.operations[index];
        if (isOverAfter(1 + operation.inputs.size() + operation.outputs.size())) {
            return {};
        }
        if (std::none_of(operation.inputs.begin(), operation.inputs.end(),
                         [&](std::uint32_t input) { return omitted[input]; })) {
            continue;
        }
        Result<> checked;
        if (const auto visited = shapes.visit(index); !visited) {
            checked = tl::unexpected<Error>(visited.error());
        } else if (operation.type == OperationType::IF) {
            checked = checkIf(graph, operation, omitted);
        } else if (operation.type == OperationType::WHILE) {
            checked = checkReferenced(referencedSubgraphs(subgraph, operation)[0], operation,
                                      kWhileSubgraphInputs, omitted);
        }
        // Other errors say that more has to be known.
        if (!checked && checked.error().status == ErrorStatus::INVALID_ARGUMENT) {
            return invalid("operation {}: {}", index, checked.error().message);
        }
    }
    return {};
}

Result<> OmissionCheck::checkIf(const Graph& graph, const Operation& operation,
                                const Omitted& isOmitted) {
    if (isOmitted[operation.inputs[0]]) {
        return invalid("IF input 0 (condition): left out; must be given");
    }
    const auto [then, otherwise] = referencedSubgraphs(graph.subgraph, operation);
    const std::byte* const condition = graph.constants.data(operation.inputs[0]);
    if (condition != nullptr) {
        return checkReferenced(readCondition(condition) ? then : otherwise, operation,
                               kIfSubgraphInputs, isOmitted);
    }
    Result<> checked = checkReferenced(then, operation, kIfSubgraphInputs, isOmitted);
    return checked ? checked : checkReferenced(otherwise, operation, kIfSubgraphInputs, isOmitted);
}

Result<> OmissionCheck::checkReferenced(std::uint32_t subgraph, const Operation& operation,
                                        std::size_t firstInput, const Omitted& isOmitted) {
    std::vector<bool> inputs;
    for (std::size_t input = firstInput; input < operation.inputs.size(); ++input) {
        inputs.push_back(isOmitted[operation.inputs[input]]);
    }
    NNBURST_ASSERT(subgraph < referenced_.size(), "subgraph {} of {}", subgraph,
                   referenced_.size());
    return check(*referenced_[subgraph], inputs);
}

bool OmissionCheck::isOverAfter(std::size_t work) noexcept {
    work_ += work;
    // Relaxed: a flag that nothing else depends on.
    return work_ > kMaximumWork ||
           (isCancelled_ != nullptr && isCancelled_->load(std::memory_order_relaxed));
}

}  // namespace nnburst::exec
