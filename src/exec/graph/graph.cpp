// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/graph/graph.h"

#include <utility>

namespace nnburst::exec {

namespace {

/// A step with its state, without its operator of XNNPACK.
constexpr std::uint64_t kBytesOfOperation = 512;
/// An input or output of an operation, as the step sees it.
constexpr std::uint64_t kBytesOfOperandOfOperation = 128;
/// The shape and the place of an operand.
constexpr std::uint64_t kBytesOfOperand = 128;

}  // namespace

Result<std::unique_ptr<Graph>> Graph::create(const Model& model, const Subgraph& subgraph,
                                             const PackedGraph& packed) {
    NNBURST_TRY_ASSIGN(Constants constants,
                       Constants::load(model, subgraph, packed.packedConstants));
    auto graph = std::make_unique<Graph>(subgraph, std::move(constants),
                                         model.relaxComputationFloat32toFloat16);
    graph->isMain = &subgraph == &model.main;
    for (const auto& [operation, filter] : packed.filters) {
        graph->packedWeights->insert(operation, filter);
    }
    for (const auto& [operation, block] : packed.blocks) {
        graph->xnnpackWeights->insertUnconfirmed(operation, block);
    }
    return graph;
}

PackedGraph Graph::packed() const {
    PackedGraph packed{
        .filters = packedWeights->all(), .blocks = xnnpackWeights->all(), .packedConstants = {}};
    std::vector<bool> isPacked(subgraph.operations.size(), false);
    for (const auto& [operation, filter] : packed.filters) {
        isPacked[operation] = true;
    }
    for (const auto& [operation, block] : packed.blocks) {
        isPacked[operation] = true;
    }
    std::vector<bool> isNeeded(subgraph.operands.size(), false);
    for (std::size_t operation = 0; operation < subgraph.operations.size(); ++operation) {
        for (const std::uint32_t input : subgraph.operations[operation].inputs) {
            isNeeded[input] = isNeeded[input] || !isPacked[operation];
        }
    }
    for (std::uint32_t operand = 0; operand < subgraph.operands.size(); ++operand) {
        if (!isNeeded[operand] && constants.isDropped(operand)) {
            packed.packedConstants.push_back(operand);
        }
    }
    return packed;
}

std::uint64_t Graph::structureBytes() const noexcept {
    std::uint64_t operandsOfOperations = 0;
    for (const Operation& operation : subgraph.operations) {
        operandsOfOperations += operation.inputs.size() + operation.outputs.size();
    }
    return subgraph.operations.size() * kBytesOfOperation +
           operandsOfOperations * kBytesOfOperandOfOperation +
           subgraph.operands.size() * kBytesOfOperand;
}

}  // namespace nnburst::exec
