// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Imports of small files made by tests, mostly of one operator: the imported models, refusals, and
/// whether the executor accepts and computes the models.

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "exec/operation/operation.h"
#include "exec/reference/operations.h"
#include "model/extension_registry.h"
#include "nnburst/tflite.h"
#include "nnburst/validation.h"
#include "support/test_request.h"
#include "tflite_file.h"
#include "tflite_operations/extension.h"

namespace nnburst::tflite {

using Code = schema::BuiltinOperator;
using schema::BuiltinOptions;
using schema::TensorType;

// ---- Files of one operator

/// An input of an operator: an input of the model, a constant, a variable or left out.
struct Argument {
    TensorSpec tensor;
    std::vector<std::uint8_t> contents{};
    bool isLeftOut = false;
};

inline Argument real(std::vector<std::int32_t> shape) {
    return {.tensor = {.shape = std::move(shape)}};
}
inline Argument tensorOf(std::vector<std::int32_t> shape, TensorType type) {
    return {.tensor = {.shape = std::move(shape), .type = type}};
}
inline Argument quantized(std::vector<std::int32_t> shape, TensorType type, float scale,
                          std::int64_t zeroPoint) {
    return {
        .tensor = {
            .shape = std::move(shape), .type = type, .scales = {scale}, .zeroPoints = {zeroPoint}}};
}
inline Argument variable(std::vector<std::int32_t> shape) {
    return {.tensor = {.shape = std::move(shape), .isVariable = true}};
}
inline Argument leftOut() {
    return {.tensor = {}, .isLeftOut = true};
}
inline Argument withContents(Argument argument, std::vector<std::uint8_t> contents) {
    argument.contents = std::move(contents);
    return argument;
}
inline Argument reals(std::vector<std::int32_t> shape, const std::vector<float>& values) {
    return withContents(real(std::move(shape)), bytesOf(values));
}
/// A vector of INT32.
inline Argument ints(const std::vector<std::int32_t>& values) {
    return withContents(tensorOf({static_cast<std::int32_t>(values.size())}, TensorType::INT32),
                        bytesOf(values));
}
/// A scalar of INT32.
inline Argument intScalar(std::int32_t value) {
    return withContents(tensorOf({}, TensorType::INT32), bytesOf(std::vector{value}));
}

/// A file whose one operator has these inputs and outputs.
inline FileSpec operatorFile(Code code, const std::vector<Argument>& inputs,
                             const std::vector<Argument>& outputs,
                             BuiltinOptions optionsType = BuiltinOptions::NONE,
                             OptionsBuilder options = nullptr) {
    FileSpec file;
    file.codes = {{.code = code}};
    OperatorSpec op{.optionsType = optionsType, .options = std::move(options)};
    for (const Argument& input : inputs) {
        if (input.isLeftOut) {
            op.inputs.push_back(-1);
            continue;
        }
        const auto index = static_cast<std::int32_t>(file.tensors.size());
        op.inputs.push_back(index);
        file.tensors.push_back(input.tensor);
        if (!input.contents.empty()) {
            file.tensors.back().buffer = static_cast<std::uint32_t>(file.buffers.size());
            file.buffers.push_back(input.contents);
        } else if (!input.tensor.isVariable) {
            file.inputs.push_back(index);
        }
    }
    for (const Argument& output : outputs) {
        op.outputs.push_back(static_cast<std::int32_t>(file.tensors.size()));
        file.tensors.push_back(output.tensor);
    }
    if (file.inputs.empty()) {  // a model must have one, though nothing may read it
        file.inputs.push_back(static_cast<std::int32_t>(file.tensors.size()));
        file.tensors.push_back({.shape = {1}});
    }
    file.outputs = op.outputs;
    file.operators = {op};
    return file;
}

/// The function that builds options with `create(builder, arguments...)`.
template <class Create, class... Arguments>
OptionsBuilder optionsOf(Create create, Arguments... arguments) {
    return [=](flatbuffers::FlatBufferBuilder& builder) {
        return create(builder, arguments...).Union();
    };
}

// ---- Imports

/// The error's message; fails the test if the import succeeds.
inline std::string refusal(const FileSpec& spec) {
    const auto result = importTflite(serialize(spec));
    if (result) {
        ADD_FAILURE() << "the import succeeded";
        return "";
    }
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
    return result.error().message;
}

/// The model as a device of this process sees it.
inline Model resolved(const Model& model) {
    EXPECT_TRUE(tflite_operations::registerOperations());
    Model result = model;
    EXPECT_TRUE(resolveExtensions(result, PrefixSource::CLIENT));
    return result;
}

/// Whether the executor has all operations and accepts them.
inline bool isSupported(const Model& given) {
    const Model model = resolved(given);
    const auto hasAll = [](const Subgraph& subgraph) {
        return std::all_of(
            subgraph.operations.begin(), subgraph.operations.end(),
            [](const Operation& op) { return exec::findOperation(op.type) != nullptr; });
    };
    if (!hasAll(model.main) ||
        !std::all_of(model.referenced.begin(), model.referenced.end(), hasAll)) {
        return false;
    }
    const auto compiled = exec::CompiledModel::compile(exec::makeEngine(false), model);
    EXPECT_TRUE(compiled) << compiled.error().message;
    return compiled.has_value();
}

/// The imported model. Fails the test if it cannot be imported, is not valid, or is not supported
/// by the executor.
inline TfliteModel imported(const FileSpec& spec, const TfliteOptions& options = {}) {
    auto result = importTflite(serialize(spec), options);
    EXPECT_TRUE(result) << result.error().message;
    if (!result) {
        return {};
    }
    EXPECT_TRUE(validateModel(result->model));
    (void)isSupported(result->model);
    return *std::move(result);
}

// ---- Imported models

inline std::vector<OperationType> operationsOf(const TfliteModel& imported) {
    std::vector<OperationType> types;
    for (const Operation& operation : imported.model.main.operations) {
        types.push_back(operation.type);
    }
    return types;
}
inline const Operand& operandAt(const TfliteModel& imported, std::uint32_t index) {
    return imported.model.main.operands.at(index);
}
inline const Operand& outputOf(const TfliteModel& imported, std::size_t index = 0) {
    return operandAt(imported, imported.model.main.outputIndexes.at(index));
}
/// Input `input` of an operation, the first unless another is given.
inline const Operand& inputAt(const TfliteModel& imported, std::size_t input,
                              std::size_t operation = 0) {
    return operandAt(imported, imported.model.main.operations.at(operation).inputs.at(input));
}
/// The elements of a small constant.
template <class T>
std::vector<T> valuesOf(const TfliteModel& imported, const Operand& operand) {
    EXPECT_EQ(operand.lifetime, OperandLifeTime::CONSTANT_COPY);
    std::vector<T> values(operand.location.length / sizeof(T));
    if (!values.empty()) {
        std::memcpy(values.data(), imported.model.operandValues.data() + operand.location.offset,
                    values.size() * sizeof(T));
    }
    return values;
}
/// The value of a scalar or small constant.
template <class T>
T valueOf(const TfliteModel& imported, const Operand& operand) {
    const std::vector<T> values = valuesOf<T>(imported, operand);
    EXPECT_FALSE(values.empty());
    return values.empty() ? T{} : values[0];
}

/// The outputs of a run on these inputs, as elements of T.
template <class T, class In>
std::vector<std::vector<T>> outputsOfRun(const TfliteModel& imported,
                                         const std::vector<std::vector<In>>& inputs) {
    const auto compiled = exec::compile(resolved(imported.model), false);
    if (compiled == nullptr) {
        return {};
    }
    exec::TestRequest request;
    for (const auto& input : inputs) {
        request.addInput(std::as_bytes(std::span(input)));
    }
    for (std::size_t i = 0; i < imported.model.main.outputIndexes.size(); ++i) {
        const Operand& output = outputOf(imported, i);
        const auto bytes = operandBytes(output.type, output.dimensions);
        EXPECT_TRUE(isFullySpecified(output.type, output.dimensions));
        request.addOutput(bytes.value_or(0));
    }
    const auto ran = request.run(*compiled);
    EXPECT_TRUE(ran) << ran.error().message;
    std::vector<std::vector<T>> results;
    for (std::size_t i = 0; i < imported.model.main.outputIndexes.size(); ++i) {
        const auto bytes = request.output(i);
        results.emplace_back(bytes.size() / sizeof(T));
        if (!bytes.empty()) {
            std::memcpy(results.back().data(), bytes.data(), bytes.size());
        }
    }
    return results;
}

/// Expects that the imported file computes these outputs, as soon as the executor has all of its
/// operations.
template <class T, class In>
void expectComputes(const FileSpec& spec, const std::vector<std::vector<In>>& inputs,
                    const std::vector<std::vector<T>>& outputs) {
    const TfliteModel model = imported(spec);
    if (isSupported(model.model)) {
        EXPECT_EQ((outputsOfRun<T, In>(model, inputs)), outputs);
    }
}

}  // namespace nnburst::tflite
