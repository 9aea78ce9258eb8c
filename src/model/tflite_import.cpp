// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "model/invalid.h"
#include "model/read_file.h"
#include "model/tflite_operator.h"
#include "model/tflite_tensors.h"
#include "nnburst/tflite.h"
#include "nnburst/validation.h"

namespace nnburst {

namespace {

using namespace tflite;

/// FlatBuffers' offsets have 31 bits.
constexpr std::size_t kMaximumFileBytes = FLATBUFFERS_MAX_BUFFER_SIZE - 1;
/// The schema nests four tables: model, subgraph, tensor, quantisation.
constexpr flatbuffers::uoffset_t kMaximumNesting = 8;
/// Tables in a file: a tensor or operator of the main subgraph is two, a buffer one.
constexpr flatbuffers::uoffset_t kMaximumTables = 1 << 20;
constexpr std::uint32_t kSchemaVersion = 3;
/// The file's largest scalars have 8 bytes; writers align the file itself to 16.
constexpr std::size_t kFileAlignmentBytes = 16;

Result<const schema::Model*> verify(std::span<const std::byte> file) {
    if (file.size() > kMaximumFileBytes) {
        return invalid("file of {} bytes: must be at most {}", file.size(), kMaximumFileBytes);
    }
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(file.data());
    constexpr std::size_t kIdentifierEnd =
        sizeof(flatbuffers::uoffset_t) + flatbuffers::FlatBufferBuilder::kFileIdentifierLength;
    if (file.size() < kIdentifierEnd || !schema::ModelBufferHasIdentifier(bytes)) {
        return invalid("not a TFLite file: must have the identifier {}", schema::ModelIdentifier());
    }
    flatbuffers::Verifier verifier(bytes, file.size(), kMaximumNesting, kMaximumTables);
    if (!schema::VerifyModelBuffer(verifier)) {
        return invalid("the file is damaged, or larger than {} tables", kMaximumTables);
    }
    const schema::Model* model = schema::GetModel(bytes);
    if (model->version() != kSchemaVersion) {
        return invalid("schema version {}: must be {}", model->version(), kSchemaVersion);
    }
    return model;
}

/// An operator as its TFLite name, or what comes closest.
std::string operatorName(const schema::OperatorCode& entry, schema::BuiltinOperator code) {
    const char* name = schema::EnumNameBuiltinOperator(code);
    if (code == schema::BuiltinOperator::CUSTOM && entry.custom_code() != nullptr) {
        return fmt::format("{} \"{}\"", name, printableName(entry.custom_code()));
    }
    return *name == '\0' ? fmt::format("builtin code {}", static_cast<std::int32_t>(code)) : name;
}

Result<> importOperator(const schema::Model& file, const schema::Operator& declaration,
                        std::uint32_t index, TensorMap& tensors) {
    const auto* codes = file.operator_codes();
    const std::uint32_t codeCount = codes == nullptr ? 0 : codes->size();
    if (declaration.opcode_index() >= codeCount) {
        return invalid("operator {}: operator code {}: must be one of {}", index,
                       declaration.opcode_index(), codeCount);
    }
    const schema::OperatorCode& entry = *codes->Get(declaration.opcode_index());
    const auto code = static_cast<schema::BuiltinOperator>(
        std::max(std::int32_t{entry.deprecated_builtin_code()},
                 static_cast<std::int32_t>(entry.builtin_code())));
    const Converter* converter = findConverter(code);
    if (converter == nullptr) {
        return invalid("operator {} ({}) is not supported", index, operatorName(entry, code));
    }
    const auto convert = [&]() -> Result<> {
        NNBURST_TRY_ASSIGN(OperatorImport resolved,
                           OperatorImport::resolve(tensors, declaration, converter->arity));
        return converter->convert(resolved, converter->operation);
    };
    if (auto converted = convert(); !converted) {
        return failure(converted.error().status,
                       fmt::format("operator {} ({}): {}", index, operatorName(entry, code),
                                   converted.error().message));
    }
    return {};
}

Result<TfliteModel> importAligned(std::span<const std::byte> bytes) {
    NNBURST_TRY_ASSIGN(const schema::Model* file, verify(bytes));
    if (file->subgraphs() == nullptr || file->subgraphs()->size() == 0) {
        return invalid("the file has no subgraph: must have one");
    }
    // Further subgraphs are reached only by operators that are not supported.
    const schema::SubGraph& graph = *file->subgraphs()->Get(0);
    TensorMap tensors(*file, graph, bytes.size());
    NNBURST_TRY(tensors.declareInputs());
    const std::uint32_t operatorCount =
        graph.operators() == nullptr ? 0 : graph.operators()->size();
    for (std::uint32_t i = 0; i < operatorCount; ++i) {
        NNBURST_TRY(importOperator(*file, *graph.operators()->Get(i), i, tensors));
    }
    return tensors.finish();
}

}  // namespace

Result<TfliteModel> importTflite(std::span<const std::byte> file) {
    if (reinterpret_cast<std::uintptr_t>(file.data()) % kFileAlignmentBytes == 0) {
        return importAligned(file);
    }
    const std::vector<std::byte> aligned(file.begin(), file.end());
    return importAligned(aligned);
}

Result<TfliteModel> loadTflite(const std::string& path) {
    NNBURST_TRY_ASSIGN(const std::vector<std::byte> file, readFile(path, kMaximumFileBytes));
    auto result = importTflite(file);
    if (!result) {
        return failure(result.error().status, path + ": " + result.error().message);
    }
    return result;
}

}  // namespace nnburst
