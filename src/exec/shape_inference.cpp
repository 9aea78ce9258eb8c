// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/shape_inference.h"

#include <algorithm>

#include "model/invalid.h"
#include "model/operand_info.h"

namespace nnburst::exec {

ShapeInference::ShapeInference(const Graph& graph) : graph_(graph) {
    const std::vector<Operand>& operands = graph.subgraph.operands;
    shapes_.reserve(operands.size());
    known_.resize(operands.size());
    omitted_.resize(operands.size());
    for (std::size_t index = 0; index < operands.size(); ++index) {
        const Operand& operand = operands[index];
        shapes_.emplace_back(operand.dimensions);
        omitted_[index] = operand.lifetime == OperandLifeTime::NO_VALUE;
        // What an operation computes has the shape that is inferred, whatever is declared.
        const bool isComputed = operand.lifetime == OperandLifeTime::TEMPORARY_VARIABLE ||
                                operand.lifetime == OperandLifeTime::SUBGRAPH_OUTPUT;
        known_[index] =
            omitted_[index] || (!isComputed && isFullySpecified(operand.type, operand.dimensions));
    }
}

void ShapeInference::stateInput(std::size_t input, const Shape& shape, bool isOmitted) {
    const std::uint32_t operand = graph_.subgraph.inputIndexes[input];
    omitted_[operand] = isOmitted;
    known_[operand] = true;
    if (!isOmitted) {
        shapes_[operand] = shape;
    }
}

OperandView ShapeInference::operand(std::uint32_t index) const {
    const Operand& operand = graph_.subgraph.operands[index];
    return {.type = operand.type,
            .shape = shapes_[index],
            .scale = operand.scale,
            .zeroPoint = operand.zeroPoint,
            .channelQuant = std::get_if<SymmPerChannelQuantParams>(&operand.extraParams),
            .data = graph_.constants.data(index),
            .isConstant = operand.lifetime == OperandLifeTime::CONSTANT_COPY ||
                          operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE,
            .isOmitted = omitted_[index]};
}

OperationInstance ShapeInference::operation(std::size_t index) const {
    const Operation& operation = graph_.subgraph.operations[index];
    OperationInstance instance{
        .type = operation.type, .inputs = {}, .outputs = {}, .isRelaxed = graph_.isRelaxed};
    instance.inputs.reserve(operation.inputs.size());
    for (const std::uint32_t input : operation.inputs) {
        instance.inputs.push_back(operand(input));
    }
    instance.outputs.reserve(operation.outputs.size());
    for (const std::uint32_t output : operation.outputs) {
        instance.outputs.push_back(operand(output));
    }
    return instance;
}

Result<> ShapeInference::visitAll() {
    for (std::size_t index = 0; index < graph_.subgraph.operations.size(); ++index) {
        if (auto visited = visit(index); !visited) {
            return failure(visited.error().status,
                           fmt::format("operation {}: {}", index, visited.error().message));
        }
    }
    return {};
}

Result<> ShapeInference::visit(std::size_t index) {
    if (graph_.isFolded[index]) {
        return {};
    }
    const Operation& operation = graph_.subgraph.operations[index];
    const OperationDefinition* definition = findOperation(operation.type);
    if (definition == nullptr) {
        return invalid("{} ({}) is not supported", toString(operation.type),
                       static_cast<std::int32_t>(operation.type));
    }
    const OperationInstance instance = this->operation(index);
    NNBURST_TRY(definition->check(instance.view()));
    if (!std::all_of(operation.inputs.begin(), operation.inputs.end(),
                     [&](std::uint32_t input) { return known_[input]; })) {
        return {};
    }
    std::vector<Shape> inferred(operation.outputs.size());
    NNBURST_TRY(definition->inferShapes(instance.view(), inferred));
    for (std::size_t output = 0; output < inferred.size(); ++output) {
        if (auto learned = learn(operation.outputs[output], inferred[output]); !learned) {
            return invalid("{} output {}: {}", toString(operation.type), output,
                           learned.error().message);
        }
    }
    return {};
}

Result<> ShapeInference::learn(std::uint32_t operand, const Shape& shape) {
    const Operand& declared = graph_.subgraph.operands[operand];
    const Dimensions& sizes = declared.dimensions;
    const bool isRankDeclared = !isTensor(declared.type) || !sizes.empty();
    if (isRankDeclared &&
        !std::equal(
            sizes.begin(), sizes.end(), shape.sizes().begin(), shape.sizes().end(),
            [](std::uint32_t size, std::uint32_t found) { return size == 0 || size == found; })) {
        return invalid("computed as {}; the model declares {}", dimensionsText(shape.sizes()),
                       dimensionsText(sizes));
    }
    if (!shape.isFullySpecified()) {
        return invalid("computed as {}; tensors without elements are not supported",
                       dimensionsText(shape.sizes()));
    }
    if (!operandBytes(declared.type, shape.sizes())) {
        return invalid("computed as {}; at most 2^32 - 1 bytes", dimensionsText(shape.sizes()));
    }
    shapes_[operand] = shape;
    known_[operand] = true;
    return {};
}

}  // namespace nnburst::exec
