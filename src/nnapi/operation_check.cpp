// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnapi/operation_check.h"

#include <algorithm>
#include <string>
#include <variant>

#include "nnapi/operand_type.h"
#include "nnapi/operation_forms.h"
#include "nnburst/type_queries.h"

namespace nnburst::nnapi {

namespace {

OperandPointers operandsAt(const Subgraph& subgraph, std::span<const std::uint32_t> indexes) {
    OperandPointers operands;
    operands.reserve(indexes.size());
    for (const std::uint32_t index : indexes) {
        operands.push_back(&subgraph.operands[index]);
    }
    return operands;
}

std::string typesOf(const OperandPointers& operands) {
    std::string types;
    for (const Operand* operand : operands) {
        types += types.empty() ? "" : ", ";
        types += toString(operand->type);
        if (!operand->dimensions.empty()) {
            types += fmt::format(" of rank {}", operand->dimensions.size());
        }
    }
    return types;
}

/// The type and dimensions of `operand`, for messages.
std::string withDimensions(const Operand& operand) {
    return fmt::format("{} of dimensions [{}]", toString(operand.type),
                       fmt::join(operand.dimensions, ", "));
}

bool isFullyKnown(const Dimensions& dimensions) {
    return !dimensions.empty() && std::count(dimensions.begin(), dimensions.end(), 0U) == 0;
}

/// The axis of a filter that has the scales of its channels.
std::uint32_t channelAxisOf(OperationType type) {
    return type == OperationType::DEPTHWISE_CONV_2D ? 3 : 0;
}

/// What depends on more than types and ranks.
Status checkValuesOfTypes(OperationType type, const OperandPointers& inputs,
                          const OperandPointers& outputs) {
    switch (type) {
        case OperationType::CAST:
            if (isFullyKnown(inputs[0]->dimensions) && isFullyKnown(outputs[0]->dimensions) &&
                inputs[0]->dimensions != outputs[0]->dimensions) {
                return badData("CAST: its output must have the dimensions of its input");
            }
            return {};
        case OperationType::MUL:
            // 8-bit products are multiplied by this quotient, which must be below 1.
            if (isQuantized(outputs[0]->type) &&
                outputs[0]->scale <= inputs[0]->scale * inputs[1]->scale) {
                return badData("MUL: output scale {}: must be greater than {} * {}",
                               outputs[0]->scale, inputs[0]->scale, inputs[1]->scale);
            }
            return {};
        case OperationType::CONV_2D:
        case OperationType::DEPTHWISE_CONV_2D:
        case OperationType::GROUPED_CONV_2D:
        case OperationType::TRANSPOSE_CONV_2D: {
            const auto* const channels =
                std::get_if<SymmPerChannelQuantParams>(&inputs[1]->extraParams);
            if (channels != nullptr && channels->channelDim != channelAxisOf(type)) {
                return badData("{}: scales along axis {} of the filter: must be axis {}",
                               toString(type), channels->channelDim, channelAxisOf(type));
            }
            return {};
        }
        default:
            return {};
    }
}

/// A value passes from one operand to the other.
bool isCompatible(const Operand& from, const Operand& to) {
    return from.type == to.type && from.scale == to.scale && from.zeroPoint == to.zeroPoint &&
           from.extraParams == to.extraParams &&
           combineDimensions(from.dimensions, to.dimensions).has_value();
}

/// The first operands of both are compatible, as many as both have.
bool areCompatible(std::span<const Operand* const> from, std::span<const Operand* const> to) {
    const std::size_t count = std::min(from.size(), to.size());
    return std::equal(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count), to.begin(),
                      [](const Operand* a, const Operand* b) { return isCompatible(*a, *b); });
}

/// A TENSOR_BOOL8 of dimensions [1].
bool isCondition(const Operand& operand) {
    return operand.type == OperandType::TENSOR_BOOL8 && operand.dimensions == Dimensions{1};
}

/// The inputs and outputs of a model that IF or WHILE executes.
struct Callee {
    OperandPointers inputs;
    OperandPointers outputs;
};

class ControlFlowCheck {
  public:
    ControlFlowCheck(const Subgraph& subgraph, const Operation& operation,
                     std::span<const Model* const> referenced)
        : operation_(operation),
          referenced_(referenced),
          inputs_(operandsAt(subgraph, operation.inputs)),
          outputs_(operandsAt(subgraph, operation.outputs)) {}

    [[nodiscard]] Status check() const {
        const bool isIf = operation_.type == OperationType::IF;
        const std::size_t first = isIf ? 1 : 0;  // of two models
        if (inputs_.size() < first + 2 || outputs_.empty()) {
            return badData("{}: {} inputs and {} outputs: must be at least {} and 1",
                           toString(operation_.type), inputs_.size(), outputs_.size(), first + 2);
        }
        for (std::size_t index = first; index < first + 2; ++index) {
            if (inputs_[index]->lifetime != OperandLifeTime::SUBGRAPH) {
                return badData("{}: input {} ({}): must have a model as its value",
                               toString(operation_.type), index, toString(inputs_[index]->type));
            }
        }
        return isIf ? checkIf() : checkWhile();
    }

  private:
    [[nodiscard]] Callee calleeAt(std::size_t input) const {
        const Subgraph& main = referenced_[inputs_[input]->location.offset]->main;
        return {operandsAt(main, main.inputIndexes), operandsAt(main, main.outputIndexes)};
    }

    [[nodiscard]] Status checkIf() const {
        if (!isCondition(*inputs_[0])) {
            return badData("IF: input 0 ({}): must be a TENSOR_BOOL8 of dimensions [1]",
                           withDimensions(*inputs_[0]));
        }
        const std::span<const Operand* const> passed = std::span(inputs_).subspan(3);
        for (const std::size_t branch : {std::size_t{1}, std::size_t{2}}) {
            const Callee callee = calleeAt(branch);
            if (callee.inputs.size() != passed.size() || callee.outputs.size() != outputs_.size() ||
                !areCompatible(passed, callee.inputs) || !areCompatible(callee.outputs, outputs_)) {
                return badData(
                    "IF: the model of input {} has inputs ({}) and outputs ({}): they "
                    "must be like those of the operation",
                    branch, typesOf(callee.inputs), typesOf(callee.outputs));
            }
        }
        return {};
    }

    [[nodiscard]] Status checkWhile() const {
        const std::span<const Operand* const> passed = std::span(inputs_).subspan(2);
        const Callee condition = calleeAt(0);
        if (condition.inputs.size() != passed.size() || !areCompatible(passed, condition.inputs) ||
            condition.outputs.size() != 1) {
            return badData(
                "WHILE: its condition has inputs ({}) and outputs ({}): must have those "
                "of the operation, and one output",
                typesOf(condition.inputs), typesOf(condition.outputs));
        }
        if (!isCondition(*condition.outputs[0])) {
            return badData(
                "WHILE: the output of its condition ({}): must be a TENSOR_BOOL8 of dimensions [1]",
                withDimensions(*condition.outputs[0]));
        }
        // A turn passes all outputs of the body to the next one. The last ones stay inside.
        const Callee body = calleeAt(1);
        if (body.inputs.size() != passed.size() || body.outputs.size() < outputs_.size() ||
            body.outputs.size() > passed.size() || !areCompatible(passed, body.inputs) ||
            !areCompatible(body.outputs, passed) || !areCompatible(body.outputs, outputs_)) {
            return badData(
                "WHILE: its body has inputs ({}) and outputs ({}): must have the "
                "inputs of the operation, and outputs like them and its outputs",
                typesOf(body.inputs), typesOf(body.outputs));
        }
        return {};
    }

    const Operation& operation_;
    std::span<const Model* const> referenced_;
    OperandPointers inputs_;
    OperandPointers outputs_;
};

}  // namespace

Status checkOperation(const Subgraph& subgraph, const Operation& operation,
                      std::span<const Model* const> referenced) {
    if (operation.type == OperationType::OEM_OPERATION || isExtension(operation.type)) {
        return {};  // only the vendor knows
    }
    if (operation.type == OperationType::IF || operation.type == OperationType::WHILE) {
        return ControlFlowCheck(subgraph, operation, referenced).check();
    }
    const OperandPointers inputs = operandsAt(subgraph, operation.inputs);
    const OperandPointers outputs = operandsAt(subgraph, operation.outputs);
    if (!hasForm(operation.type, inputs, outputs)) {
        return badData(
            "{}: inputs ({}) and outputs ({}): must be of a number, types and ranks "
            "that the operation takes",
            toString(operation.type), typesOf(inputs), typesOf(outputs));
    }
    return checkValuesOfTypes(operation.type, inputs, outputs);
}

}  // namespace nnburst::nnapi
