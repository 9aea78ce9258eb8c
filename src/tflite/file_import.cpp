// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/file_import.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/invalid.h"
#include "tflite/operator.h"
#include "tflite/tensors.h"

namespace nnburst::tflite {

namespace {

constexpr std::int32_t kMainSubgraph = 0;

/// The TFLite name of an operator, or its code if it has none.
std::string operatorName(const schema::OperatorCode& entry, schema::BuiltinOperator code) {
    const char* name = schema::EnumNameBuiltinOperator(code);
    if (code == schema::BuiltinOperator::CUSTOM && entry.custom_code() != nullptr) {
        return fmt::format("{} \"{}\"", name, printableName(entry.custom_code()));
    }
    return *name == '\0' ? fmt::format("builtin code {}", static_cast<std::int32_t>(code)) : name;
}

const Converter* converterOf(const schema::OperatorCode& entry, schema::BuiltinOperator code) {
    if (code != schema::BuiltinOperator::CUSTOM) {
        return findConverter(code);
    }
    return entry.custom_code() == nullptr ? nullptr
                                          : findCustomConverter(entry.custom_code()->str());
}

Result<> importOperator(const schema::Model& file, const schema::Operator& declaration,
                        std::uint32_t index, TensorMap& tensors) {
    const std::uint32_t codeCount = sizeOf(file.operator_codes());
    if (declaration.opcode_index() >= codeCount) {
        return invalid("operator {}: operator code {}: must be one of {}", index,
                       declaration.opcode_index(), codeCount);
    }
    const schema::OperatorCode& entry = *file.operator_codes()->Get(declaration.opcode_index());
    const auto code = static_cast<schema::BuiltinOperator>(
        std::max(std::int32_t{entry.deprecated_builtin_code()},
                 static_cast<std::int32_t>(entry.builtin_code())));
    const Converter* converter = converterOf(entry, code);
    if (converter == nullptr) {
        return invalid("operator {} ({}) is not supported", index, operatorName(entry, code));
    }
    const auto convert = [&]() -> Result<> {
        NNBURST_TRY_ASSIGN(OperatorImport resolved,
                           OperatorImport::resolve(tensors, declaration, *converter));
        return converter->convert(resolved, converter->operation);
    };
    if (auto converted = convert(); !converted) {
        return failure(converted.error().status,
                       fmt::format("operator {} ({}): {}", index, operatorName(entry, code),
                                   converted.error().message));
    }
    return {};
}

Result<> importOperators(const schema::Model& file, const schema::SubGraph& graph,
                         TensorMap& tensors) {
    NNBURST_TRY(tensors.declareInputs());
    for (std::uint32_t i = 0; i < sizeOf(graph.operators()); ++i) {
        NNBURST_TRY(importOperator(file, *graph.operators()->Get(i), i, tensors));
    }
    return {};
}

}  // namespace

Result<std::span<const std::byte>> FileImport::buffer(std::uint32_t index) const {
    if (index >= sizeOf(file_.buffers())) {
        // Files without constants may have no buffers, not even buffer 0, which is the empty one.
        if (index == 0) {
            return std::span<const std::byte>();
        }
        return invalid("buffer {}: must be one of {}", index, sizeOf(file_.buffers()));
    }
    const schema::Buffer& buffer = *file_.buffers()->Get(index);
    if (sizeOf(buffer.data()) == 0) {
        if (buffer.offset() > 1) {
            return invalid("buffer {} lies outside of the FlatBuffer: not supported", index);
        }
        return std::span<const std::byte>();
    }
    return std::as_bytes(std::span(buffer.data()->data(), buffer.data()->size()));
}

Result<> FileImport::takeConstantBytes(std::uint64_t sizeBytes) {
    if (sizeBytes > constantBytesLeft_) {
        return invalid("constants take more than {} times the size of the file and {} bytes",
                       kMaximumExpansion, kAdditionalBytes);
    }
    constantBytesLeft_ -= sizeBytes;
    return {};
}

Result<> FileImport::takeArguments(std::uint64_t count) {
    if (count > argumentsLeft_) {
        return invalid("operators have more inputs and outputs than the file has bytes");
    }
    argumentsLeft_ -= count;
    return {};
}

Result<TfliteModel> FileImport::importModel() {
    const schema::SubGraph& graph = *file_.subgraphs()->Get(kMainSubgraph);
    TensorMap tensors(*this, graph, builder_, true);
    importing_.push_back(kMainSubgraph);
    NNBURST_TRY(importOperators(file_, graph, tensors));
    importing_.pop_back();

    TfliteModel result;
    NNBURST_TRY_ASSIGN(Interface interface, tensors.finish(result.states));
    for (std::uint32_t i = 0; i < sizeOf(graph.inputs()); ++i) {
        result.inputNames.push_back(tensors.nameOf(graph.inputs()->Get(i)));
    }
    for (std::uint32_t i = 0; i < sizeOf(graph.outputs()); ++i) {
        result.outputNames.push_back(tensors.nameOf(graph.outputs()->Get(i)));
    }
    NNBURST_TRY_ASSIGN(result.model,
                       builder_.build(std::move(interface.inputs), std::move(interface.outputs)));
    return result;
}

Result<ImportedSubgraph> FileImport::importReferenced(std::int32_t index) {
    const std::uint32_t count = sizeOf(file_.subgraphs());
    if (index < 0 || static_cast<std::uint32_t>(index) >= count) {
        return invalid("subgraph {}: must be one of {}", index, count);
    }
    if (const auto known = imported_.find(index); known != imported_.end()) {
        return known->second;
    }
    if (std::find(importing_.begin(), importing_.end(), index) != importing_.end()) {
        return invalid("subgraph {}: must not run itself", index);
    }
    if (importing_.size() > kMaximumSubgraphDepth) {
        return invalid("subgraph {}: nested more than {} deep", index, kMaximumSubgraphDepth);
    }
    const auto import = [&]() -> Result<ImportedSubgraph> {
        const schema::SubGraph& graph = *file_.subgraphs()->Get(static_cast<std::uint32_t>(index));
        ModelBuilder builder;
        TensorMap tensors(*this, graph, builder, false);
        NNBURST_TRY(importOperators(file_, graph, tensors));
        std::vector<TfliteModel::State> states;  // none: refused in subgraphs
        NNBURST_TRY_ASSIGN(Interface interface, tensors.finish(states));
        ImportedSubgraph result{.referenced = 0,
                                .inputs = static_cast<std::uint32_t>(interface.inputs.size()),
                                .outputs = static_cast<std::uint32_t>(interface.outputs.size())};
        result.referenced = builder_.addReferenced(std::move(builder), std::move(interface.inputs),
                                                   std::move(interface.outputs));
        return result;
    };
    importing_.push_back(index);
    auto result = import();
    importing_.pop_back();
    if (!result) {
        return failure(result.error().status,
                       fmt::format("subgraph {}: {}", index, result.error().message));
    }
    imported_.emplace(index, *result);
    return *result;
}

}  // namespace nnburst::tflite
