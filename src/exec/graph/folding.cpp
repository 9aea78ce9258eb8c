// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/graph/folding.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "exec/reference/reference_step.h"
#include "log/assert.h"
#include "log/verbose.h"

namespace nnburst::exec {

namespace {

bool isFoldable(const Graph& graph, const ShapeInference& shapes, std::size_t index) {
    const Operation& operation = graph.subgraph.operations[index];
    // A random operation may give another result in each run.
    if (!shapes.isDecidedByShapes(index) || operation.type == OperationType::RANDOM_MULTINOMIAL) {
        return false;
    }
    const bool areConstants =
        std::all_of(operation.inputs.begin(), operation.inputs.end(), [&](std::uint32_t input) {
            const OperandView operand = shapes.operand(input);
            // The values of packed weights of an earlier compilation are not there.
            return (operand.isConstant && operand.data != nullptr) || operand.isOmitted;
        });
    return areConstants && std::all_of(operation.outputs.begin(), operation.outputs.end(),
                                       [&](std::uint32_t output) {
                                           return shapes.isKnown(output) &&
                                                  graph.subgraph.operands[output].lifetime ==
                                                      OperandLifeTime::TEMPORARY_VARIABLE;
                                       });
}

}  // namespace

Result<> foldOperation(Graph& graph, const ShapeInference& shapes, std::size_t index,
                       TimeLimit& limit, GrowingCharge* memory) {
    NNBURST_ASSERT(index < graph.subgraph.operations.size(), "operation {} of {}", index,
                   graph.subgraph.operations.size());
    if (limit.isOver() || !isFoldable(graph, shapes, index)) {
        return {};
    }
    const Operation& operation = graph.subgraph.operations[index];
    const auto step = makeReferenceStep(shapes.operation(index));
    std::uint64_t resultBytes = 0;
    for (const std::uint32_t output : operation.outputs) {
        resultBytes += sizeBytes(shapes.operand(output));
    }
    if (!graph.constants.hasRoomForResults(resultBytes) ||
        !graph.constants.hasRoomForResults(step->scratchBytes())) {
        NNBURST_VLOG(COMPILATION, "operation {}, {}, on constants is left to runs: {} bytes", index,
                     toString(operation.type), resultBytes);
        return {};
    }
    Charge computing;
    if (memory != nullptr) {
        NNBURST_TRY_ASSIGN(computing, memory->chargeSeparately(resultBytes + step->scratchBytes()));
    }
    std::vector<std::byte*> operands;
    for (const std::uint32_t input : operation.inputs) {
        operands.push_back(graph.constants.data(input));
    }
    std::vector<AlignedBuffer> results;
    for (const std::uint32_t output : operation.outputs) {
        NNBURST_TRY_ASSIGN(AlignedBuffer result,
                           AlignedBuffer::allocate(sizeBytes(shapes.operand(output))));
        operands.push_back(result.data());
        results.push_back(std::move(result));
    }
    NNBURST_TRY_ASSIGN(const AlignedBuffer scratch, AlignedBuffer::allocate(step->scratchBytes()));
    operands.push_back(scratch.data());
    NNBURST_TRY(step->setUp(operands));
    if (!step->run(limit) || limit.isOverAfter(TimeLimit::kWorkPerCheck)) {
        return {};
    }

    computing = Charge();
    if (memory != nullptr) {
        NNBURST_TRY(memory->add(resultBytes));
    }
    for (std::size_t output = 0; output < results.size(); ++output) {
        const std::uint32_t operand = operation.outputs[output];
        const OperandView view = shapes.operand(operand);
        NNBURST_TRY(
            graph.constants.adoptResult(operand, std::move(results[output]), sizeBytes(view)));
        Operand& declared = graph.subgraph.operands[operand];
        declared.lifetime = OperandLifeTime::CONSTANT_COPY;
        declared.dimensions.assign(view.shape.sizes().begin(), view.shape.sizes().end());
    }
    graph.isFolded[index] = true;
    return {};
}

}  // namespace nnburst::exec
