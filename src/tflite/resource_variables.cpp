// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/resource_variables.h"

#include <algorithm>

#include "model/invalid.h"
#include "nnburst/type_queries.h"
#include "tflite/file_import.h"
#include "tflite/operand.h"
#include "tflite/tensors.h"

namespace nnburst::tflite {

namespace {

using Code = schema::BuiltinOperator;

Code codeOf(const schema::Model& file, const schema::Operator& op) {
    if (op.opcode_index() >= sizeOf(file.operator_codes())) {
        return Code::CUSTOM;
    }
    const schema::OperatorCode& entry = *file.operator_codes()->Get(op.opcode_index());
    return static_cast<Code>(std::max(std::int32_t{entry.deprecated_builtin_code()},
                                      static_cast<std::int32_t>(entry.builtin_code())));
}

std::string textOf(const flatbuffers::String* text) {
    return text == nullptr ? std::string() : text->str();
}

/// Container and name of the variable that a VAR_HANDLE names.
std::string nameOf(const schema::Operator& op) {
    const auto* options = op.builtin_options_as_VarHandleOptions();
    if (options == nullptr) {
        return {};
    }
    return textOf(options->container()) + '/' + textOf(options->shared_name());
}

Result<> requireCounts(const schema::Operator& op, std::uint32_t inputs, std::uint32_t outputs) {
    if (sizeOf(op.inputs()) != inputs || sizeOf(op.outputs()) != outputs) {
        return invalid("{} inputs and {} outputs: must be {} and {}", sizeOf(op.inputs()),
                       sizeOf(op.outputs()), inputs, outputs);
    }
    return {};
}

/// A variable has values of one type.
Result<> requireType(TensorMap& tensors, std::uint32_t value, OperandType type) {
    const OperandType given = tensors.builder().operand(value).type;
    if (given != type) {
        return invalid("a variable of type {} and {}: must have one type", toString(given),
                       toString(type));
    }
    return {};
}

}  // namespace

ResourceVariables::ResourceVariables(const schema::Model& file, FileImport& import,
                                     const schema::SubGraph& graph)
    : file_(file), import_(import), handles_(handlesOf(graph)) {
    for (std::uint32_t i = 0; i < sizeOf(graph.operators()); ++i) {
        const schema::Operator& op = *graph.operators()->Get(i);
        if (codeOf(file, op) == Code::ASSIGN_VARIABLE && sizeOf(op.inputs()) == 2) {
            if (const auto found = handles_.find(op.inputs()->Get(0)); found != handles_.end()) {
                variables_[found->second].isAssigned = true;
            }
        }
    }
}

ResourceVariables::Handles ResourceVariables::handlesOf(const schema::SubGraph& graph) {
    Handles handles;
    for (std::uint32_t i = 0; i < sizeOf(graph.operators()); ++i) {
        const schema::Operator& op = *graph.operators()->Get(i);
        if (codeOf(file_, op) == Code::VAR_HANDLE && sizeOf(op.outputs()) == 1) {
            const auto [number, isNew] = numbers_.try_emplace(nameOf(op), variables_.size());
            if (isNew) {
                variables_.emplace_back();
            }
            handles.emplace(op.outputs()->Get(0), number->second);
        }
    }
    return handles;
}

bool ResourceVariables::handles(Code code) noexcept {
    return code == Code::VAR_HANDLE || code == Code::READ_VARIABLE ||
           code == Code::ASSIGN_VARIABLE || code == Code::CALL_ONCE;
}

Result<> ResourceVariables::importOperator(Code code, const schema::Operator& declaration,
                                           TensorMap& tensors) {
    switch (code) {
        case Code::CALL_ONCE:
            return runOnce(declaration);
        case Code::READ_VARIABLE:
            return read(declaration, tensors);
        case Code::ASSIGN_VARIABLE:
            return assign(declaration, tensors);
        default:  // VAR_HANDLE: handles_ has it
            return requireCounts(declaration, 0, 1);
    }
}

Result<> ResourceVariables::runOnce(const schema::Operator& declaration) {
    const auto* options = declaration.builtin_options_as_CallOnceOptions();
    const std::int32_t index = options == nullptr ? -1 : options->init_subgraph_index();
    if (index < 0 || std::cmp_greater_equal(index, sizeOf(file_.subgraphs()))) {
        return invalid("subgraph {}: must be one of {}", index, sizeOf(file_.subgraphs()));
    }
    if (!haveRunOnce_.insert(index).second) {
        return {};
    }
    const schema::SubGraph& graph = *file_.subgraphs()->Get(static_cast<std::uint32_t>(index));
    NNBURST_TRY(import_.takeArguments(graph));
    const Handles handles = handlesOf(graph);
    for (std::uint32_t i = 0; i < sizeOf(graph.operators()); ++i) {
        const schema::Operator& op = *graph.operators()->Get(i);
        const Code code = codeOf(file_, op);
        if (code == Code::VAR_HANDLE) {
            continue;
        }
        if (code != Code::ASSIGN_VARIABLE) {
            return invalid(
                "operator {} of subgraph {} is not supported: must be VAR_HANDLE or "
                "ASSIGN_VARIABLE",
                i, index);
        }
        NNBURST_TRY(assignOnce(graph, op, handles));
    }
    return {};
}

Result<> ResourceVariables::assignOnce(const schema::SubGraph& graph, const schema::Operator& op,
                                       const Handles& handles) {
    NNBURST_TRY(requireCounts(op, 2, 0));
    const auto handle = handles.find(op.inputs()->Get(0));
    const std::int32_t value = op.inputs()->Get(1);
    if (handle == handles.end() || value < 0 ||
        std::cmp_greater_equal(value, sizeOf(graph.tensors()))) {
        return invalid("variable {} with value {}: must be the handle of one, and a tensor",
                       op.inputs()->Get(0), value);
    }
    const schema::Tensor& tensor = *graph.tensors()->Get(static_cast<std::uint32_t>(value));
    NNBURST_TRY_ASSIGN(const auto bytes, import_.buffer(tensor.buffer()));
    if (bytes.empty() || tensor.sparsity() != nullptr) {
        return invalid("tensor {}: the first value of a variable must be a constant", value);
    }
    Variable& variable = variables_[handle->second];
    variable.initial = &tensor;
    variable.initialBytes = bytes;
    return {};
}

Result<ResourceVariables::Variable*> ResourceVariables::variableOf(
    const schema::Operator& declaration) {
    const auto handle = handles_.find(declaration.inputs()->Get(0));
    if (handle == handles_.end()) {
        return invalid("tensor {}: must be the handle of a variable of the main subgraph",
                       declaration.inputs()->Get(0));
    }
    return &variables_[handle->second];
}

Result<std::size_t> ResourceVariables::stateOf(Variable& variable, const Operand& value,
                                               TensorMap& tensors) {
    if (!variable.state) {
        const bool isInt8 = value.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
        if (!isInt8 && value.type != OperandType::TENSOR_FLOAT32 &&
            value.type != OperandType::TENSOR_INT32) {
            return invalid(
                "a variable of type {} that is assigned is not supported: must be FLOAT32, INT32 "
                "or INT8",
                toString(value.type));
        }
        // What a state is at first (ModelState).
        const auto zero = static_cast<std::byte>(isInt8 ? value.zeroPoint : 0);
        if (!std::all_of(variable.initialBytes.begin(), variable.initialBytes.end(),
                         [=](std::byte byte) { return byte == zero; })) {
            return invalid(
                "a variable that is not zero at first, and is assigned, is not "
                "supported");
        }
        NNBURST_TRY_ASSIGN(variable.state, tensors.states().addState(value));
    }
    return *variable.state;
}

Result<> ResourceVariables::read(const schema::Operator& declaration, TensorMap& tensors) {
    NNBURST_TRY(requireCounts(declaration, 1, 1));
    NNBURST_TRY_ASSIGN(Variable * variable, variableOf(declaration));
    const std::int32_t output = declaration.outputs()->Get(0);
    NNBURST_TRY_ASSIGN(const std::uint32_t operand, tensors.define(output));
    if (variable->isAssigned) {
        const Operand value = tensors.builder().operand(operand);
        NNBURST_TRY_ASSIGN(const std::size_t state, stateOf(*variable, value, tensors));
        const std::uint32_t current = tensors.states().stateValue(state);
        NNBURST_TRY(requireType(tensors, current, value.type));
        tensors.redefine(output, current);
        return {};
    }
    if (variable->initial == nullptr) {
        return invalid("a variable without a value: must be assigned, or have a first value");
    }
    if (!variable->constant) {
        NNBURST_TRY_ASSIGN(variable->constant, tensors.constants().addConstantOf(
                                                   *variable->initial, variable->initialBytes));
    }
    NNBURST_TRY(requireType(tensors, *variable->constant, tensors.builder().operand(operand).type));
    tensors.redefine(output, *variable->constant);
    return {};
}

Result<> ResourceVariables::assign(const schema::Operator& declaration, TensorMap& tensors) {
    NNBURST_TRY(requireCounts(declaration, 2, 0));
    NNBURST_TRY_ASSIGN(Variable * variable, variableOf(declaration));
    NNBURST_TRY_ASSIGN(const std::uint32_t value, tensors.read(declaration.inputs()->Get(1)));
    const Operand operand = tensors.builder().operand(value);
    NNBURST_TRY_ASSIGN(const std::size_t state, stateOf(*variable, operand, tensors));
    NNBURST_TRY(requireType(tensors, tensors.states().stateValue(state), operand.type));
    tensors.states().setStateValue(state, value);
    return {};
}

}  // namespace nnburst::tflite
