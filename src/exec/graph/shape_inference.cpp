// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/graph/shape_inference.h"

#include <algorithm>

#include "exec/operation/operation_check.h"
#include "exec/reference/operations.h"
#include "log/assert.h"
#include "model/invalid.h"
#include "model/operand_info.h"

namespace nnburst::exec {

namespace {

/// Checks that the shape `found` of an operand agrees with its declaration in the model.
Result<> checkDeclared(const Operand& declared, const Shape& found) {
    const Dimensions& sizes = declared.dimensions;
    const bool isRankDeclared = !isTensor(declared.type) || !sizes.empty();
    if (isRankDeclared &&
        !std::equal(sizes.begin(), sizes.end(), found.sizes().begin(), found.sizes().end(),
                    [](std::uint32_t size, std::uint32_t is) { return size == 0 || size == is; })) {
        return invalid("shape {}; must agree with the model's {}", dimensionsText(found.sizes()),
                       dimensionsText(sizes));
    }
    return {};
}

/// Checks that a Shape has room for the declared dimensions of all operands of `operation`.
Result<> checkRanks(const Subgraph& subgraph, const Operation& operation) {
    for (const std::vector<std::uint32_t>* operands : {&operation.inputs, &operation.outputs}) {
        for (const std::uint32_t operand : *operands) {
            const std::size_t rank = subgraph.operands[operand].dimensions.size();
            if (rank > kMaximumRank) {
                return failure(ErrorStatus::GENERAL_FAILURE,
                               fmt::format("{}: operand {} has {} dimensions; operations on more "
                                           "than {} are not supported",
                                           toString(operation.type), operand, rank, kMaximumRank));
            }
        }
    }
    return {};
}

/// Checks the operands. Gives the first HAL version that allows them, as far as it is known while
/// scalars have no values.
Result<HalVersion> checkOperands(const OperationDefinition& definition, OperationView operation) {
    HalVersion version = std::max(definition.since, versionOfTypes(operation));
    bool isValueUnknown = false;
    operation.firstVersion = &version;
    operation.isValueUnknown = &isValueUnknown;
    const Result<HalVersion> checked = definition.check(operation);
    if (checked) {
        return std::max(version, *checked);
    }
    if (isValueUnknown && checked.error().status != ErrorStatus::INVALID_ARGUMENT) {
        return version;  // the rest is checked when the scalars are known
    }
    return checked;
}

}  // namespace

bool isValueInput(const OperationDefinition& definition, std::size_t input,
                  OperandType type) noexcept {
    return operandKind(type) == OperandKind::SCALAR ||
           (input < 64 && (definition.valueInputs >> input & 1U) != 0);
}

ShapeInference::ShapeInference(const Graph& graph) : graph_(graph) {
    const std::vector<Operand>& operands = graph.subgraph.operands;
    shapes_.reserve(operands.size());
    values_.resize(operands.size());
    known_.resize(operands.size());
    omitted_.resize(operands.size());
    undecided_.resize(operands.size());
    for (std::size_t index = 0; index < operands.size(); ++index) {
        const Operand& operand = operands[index];
        shapes_.emplace_back(operand.dimensions);
        omitted_[index] = operand.lifetime == OperandLifeTime::NO_VALUE;
        undecided_[index] = operand.lifetime == OperandLifeTime::SUBGRAPH_INPUT;
        // An operation computes the inferred shape, whatever the model declares.
        const bool isComputed = operand.lifetime == OperandLifeTime::TEMPORARY_VARIABLE ||
                                operand.lifetime == OperandLifeTime::SUBGRAPH_OUTPUT;
        // A size of 0 is an unknown one, but not of a constant, which an operation may have made.
        const bool isConstant = operand.lifetime == OperandLifeTime::CONSTANT_COPY ||
                                operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE;
        known_[index] = omitted_[index] || isConstant ||
                        (!isComputed && isFullySpecified(operand.type, operand.dimensions));
    }
}

Result<> ShapeInference::setInputShape(std::size_t input, const Shape& shape, bool isOmitted) {
    setDecided(input);
    const std::uint32_t operand = graph_.subgraph.inputIndexes[input];
    omitted_[operand] = isOmitted;
    known_[operand] = true;
    if (!isOmitted) {
        if (auto checked = checkDeclared(graph_.subgraph.operands[operand], shape); !checked) {
            return invalid("input {}: {}", input, checked.error().message);
        }
        shapes_[operand] = shape;
    }
    return {};
}

void ShapeInference::setDecided(std::size_t input) {
    NNBURST_ASSERT(input < graph_.subgraph.inputIndexes.size(), "input {} of {}", input,
                   graph_.subgraph.inputIndexes.size());
    undecided_[graph_.subgraph.inputIndexes[input]] = false;
}

Result<> ShapeInference::setShape(std::uint32_t operand, const Shape& shape) {
    NNBURST_ASSERT(operand < shapes_.size(), "operand {} of {}", operand, shapes_.size());
    const Operand& declared = graph_.subgraph.operands[operand];
    NNBURST_TRY(checkDeclared(declared, shape));
    if (!operandBytes(declared.type, shape.sizes())) {
        return invalid("shape {}; must take at most 2^32 - 1 bytes", dimensionsText(shape.sizes()));
    }
    shapes_[operand] = shape;
    known_[operand] = true;
    return {};
}

OperandView ShapeInference::operand(std::uint32_t index) const {
    NNBURST_ASSERT(index < shapes_.size(), "operand {} of {}", index, shapes_.size());
    const Operand& operand = graph_.subgraph.operands[index];
    std::byte* const constant = graph_.constants.data(index);
    return {.type = operand.type,
            .shape = shapes_[index],
            .scale = operand.scale,
            .zeroPoint = operand.zeroPoint,
            .channelQuant = std::get_if<SymmPerChannelQuantParams>(&operand.extraParams),
            .extensionData = std::get_if<std::vector<std::uint8_t>>(&operand.extraParams),
            .data = constant != nullptr ? constant : values_[index],
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

bool ShapeInference::isDecidedByShapes(std::size_t index) const {
    if (graph_.isFolded[index]) {
        return true;
    }
    const Operation& operation = graph_.subgraph.operations[index];
    const OperationDefinition* const found = findOperation(operation.type);
    NNBURST_ASSERT(found != nullptr, "operation {} ({}) was not visited", index,
                   toString(operation.type));
    const OperationDefinition& definition = *found;
    if (isControlFlow(operation.type) || definition.runShrinking != nullptr) {
        return false;
    }
    for (std::size_t input = 0; input < operation.inputs.size(); ++input) {
        const OperandView view = operand(operation.inputs[input]);
        if (isValueInput(definition, input, view.type) && view.data == nullptr && !view.isOmitted) {
            return false;
        }
    }
    // If the shapes of the inputs are known, `visit` has inferred those of the outputs, unless it
    // had to check the operation without some of them.
    const auto areKnown = [this](const std::vector<std::uint32_t>& operands) {
        return std::all_of(operands.begin(), operands.end(),
                           [this](std::uint32_t operand) { return isKnown(operand); });
    };
    return !areKnown(operation.inputs) || areKnown(operation.outputs);
}

void ShapeInference::forget(std::span<const std::uint32_t> operands) {
    for (const std::uint32_t operand : operands) {
        shapes_[operand] = Shape(graph_.subgraph.operands[operand].dimensions);
        known_[operand] = omitted_[operand];
    }
}

Result<HalVersion> ShapeInference::visit(std::size_t index) {
    if (graph_.isFolded[index]) {
        return HalVersion::V1_0;
    }
    const Operation& operation = graph_.subgraph.operations[index];
    const OperationDefinition* definition = findOperation(operation.type);
    if (definition == nullptr) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("{} ({}) is not supported", toString(operation.type),
                                   static_cast<std::int32_t>(operation.type)));
    }
    NNBURST_TRY(checkRanks(graph_.subgraph, operation));
    forget(operation.outputs);
    OperationInstance instance = this->operation(index);
    Result<HalVersion> version = infer(index, *definition, instance.view());
    if (!version && version.error().status == ErrorStatus::INVALID_ARGUMENT &&
        removeShapes(index, *definition, instance)) {
        forget(operation.outputs);
        return checkOperands(*definition, instance.view());
    }
    return version;
}

Result<HalVersion> ShapeInference::infer(std::size_t index, const OperationDefinition& definition,
                                         const OperationView& view) {
    const Operation& operation = graph_.subgraph.operations[index];
    NNBURST_TRY_ASSIGN(const HalVersion version, checkOperands(definition, view));
    if (isControlFlow(operation.type) || definition.runShrinking != nullptr) {
        return version;  // inferShapes would only give upper bounds
    }
    for (std::size_t input = 0; input < operation.inputs.size(); ++input) {
        const OperandView& given = view.inputs[input];
        if (!known_[operation.inputs[input]] || (isValueInput(definition, input, given.type) &&
                                                 !given.isOmitted && given.data == nullptr)) {
            return version;
        }
    }
    NNBURST_ASSERT(definition.inferShapes != nullptr, "{} has no function for its shapes",
                   toString(operation.type));
    std::vector<Shape> inferred(operation.outputs.size());
    NNBURST_TRY(definition.inferShapes(view, inferred));
    for (std::size_t output = 0; output < inferred.size(); ++output) {
        if (auto stated = setShape(operation.outputs[output], inferred[output]); !stated) {
            return invalid("{} output {}: {}", toString(operation.type), output,
                           stated.error().message);
        }
    }
    return version;
}

bool ShapeInference::removeShapes(std::size_t index, const OperationDefinition& definition,
                                  OperationInstance& instance) const {
    bool hasRemoved = false;
    for (std::size_t input = 0; input < instance.inputs.size() && input < 64; ++input) {
        if ((definition.optionalInputs >> input & 1U) != 0 &&
            undecided_[graph_.subgraph.operations[index].inputs[input]]) {
            instance.inputs[input].shape = Shape();
            hasRemoved = true;
        }
    }
    return hasRemoved;
}

}  // namespace nnburst::exec
