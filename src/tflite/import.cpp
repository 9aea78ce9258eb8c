// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/tflite.h"

#include <vector>

#include "model/invalid.h"
#include "system/read_file.h"
#include "tflite/file_import.h"
#include "tflite/tensors.h"

namespace nnburst {

namespace {

using namespace tflite;

/// FlatBuffers' offsets have 31 bits.
constexpr std::size_t kMaximumFileBytes = FLATBUFFERS_MAX_BUFFER_SIZE - 1;
/// The schema nests four tables: model, subgraph, tensor, quantisation.
constexpr flatbuffers::uoffset_t kMaximumNesting = 8;
/// Limit on tables in a file: a tensor or operator of the main subgraph takes two, a buffer one.
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
        return invalid("the file is damaged, or has more than {} tables", kMaximumTables);
    }
    const schema::Model* model = schema::GetModel(bytes);
    if (model->version() != kSchemaVersion) {
        return invalid("schema version {}: must be {}", model->version(), kSchemaVersion);
    }
    return model;
}

Result<TfliteModel> importAligned(std::span<const std::byte> bytes, const TfliteOptions& options) {
    NNBURST_TRY_ASSIGN(const schema::Model* file, verify(bytes));
    if (sizeOf(file->subgraphs()) == 0) {
        return invalid("the file has no subgraph: must have one");
    }
    return FileImport(*file, bytes.size(), options).importModel();
}

}  // namespace

Result<TfliteModel> importTflite(std::span<const std::byte> file, const TfliteOptions& options) {
    if (reinterpret_cast<std::uintptr_t>(file.data()) % kFileAlignmentBytes == 0) {
        return importAligned(file, options);
    }
    const std::vector<std::byte> aligned(file.begin(), file.end());
    return importAligned(aligned, options);
}

Result<TfliteModel> loadTflite(const std::string& path, const TfliteOptions& options) {
    NNBURST_TRY_ASSIGN(const std::vector<std::byte> file,
                       system::readFile(path, kMaximumFileBytes));
    auto result = importTflite(file, options);
    if (!result) {
        return failure(result.error().status, path + ": " + result.error().message);
    }
    return result;
}

}  // namespace nnburst
