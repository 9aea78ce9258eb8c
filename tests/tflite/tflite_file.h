// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Small TFLite files for tests, as plain values that tests can make invalid.

#include <tflite_generated.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nnburst::tflite {

/// A level of a sparse tensor.
struct LevelSpec {
    std::int32_t denseSize = 0;  ///< 0: the level is sparse
    std::vector<std::int32_t> segments{};
    std::vector<std::int32_t> indices{};
    /// Indices of 32 bits; else segments and indices have 8 and 16 bits.
    bool isWide = true;
};

struct SparsitySpec {
    std::vector<std::int32_t> traversalOrder;
    std::vector<std::int32_t> blockMap;
    std::vector<LevelSpec> levels;
};

struct TensorSpec {
    std::vector<std::int32_t> shape;
    schema::TensorType type = schema::TensorType::FLOAT32;
    std::uint32_t buffer = 0;
    std::vector<float> scales;
    std::vector<std::int64_t> zeroPoints;
    std::int32_t quantizedDimension = 0;
    bool isVariable = false;
    std::optional<SparsitySpec> sparsity{};
    std::string name = "tensor";
    std::vector<std::int32_t> shapeSignature;
    bool hasRank = false;
};

/// Builds the options table of an operator.
using OptionsBuilder =
    std::function<flatbuffers::Offset<void>(flatbuffers::FlatBufferBuilder& builder)>;

struct OperatorSpec {
    std::uint32_t opcodeIndex = 0;
    std::vector<std::int32_t> inputs;
    std::vector<std::int32_t> outputs;
    schema::BuiltinOptions optionsType = schema::BuiltinOptions::NONE;
    OptionsBuilder options;
    std::vector<std::uint8_t> customOptions;
    std::vector<std::int32_t> intermediates;
    std::optional<std::int32_t> decomposition;  ///< the subgraph of a STABLEHLO_COMPOSITE
};

struct OperatorCodeSpec {
    schema::BuiltinOperator code;
    std::string customName;
};

using Names = std::vector<std::pair<std::string, std::uint32_t>>;

struct SignatureSpec {
    std::string key;
    Names inputs;
    Names outputs;
    std::uint32_t subgraph = 0;
};

struct GraphSpec {
    std::vector<TensorSpec> tensors;
    std::vector<OperatorSpec> operators;
    std::vector<std::int32_t> inputs;
    std::vector<std::int32_t> outputs;
};

/// A file; what it inherits is its main subgraph.
struct FileSpec : GraphSpec {
    std::uint32_t version = 3;
    std::vector<OperatorCodeSpec> codes;
    std::vector<std::vector<std::uint8_t>> buffers{{}};  ///< the first is the empty one
    std::vector<GraphSpec> subgraphs;                    ///< from index 1 on
    std::vector<SignatureSpec> signatures;
};

inline flatbuffers::Offset<schema::DimensionMetadata> serializeLevel(
    flatbuffers::FlatBufferBuilder& builder, const LevelSpec& level) {
    if (level.denseSize != 0) {
        return schema::CreateDimensionMetadata(builder, schema::DimensionType::DENSE,
                                               level.denseSize);
    }
    if (level.isWide) {
        const auto segments =
            schema::CreateInt32Vector(builder, builder.CreateVector(level.segments)).Union();
        const auto indices =
            schema::CreateInt32Vector(builder, builder.CreateVector(level.indices)).Union();
        return schema::CreateDimensionMetadata(builder, schema::DimensionType::SPARSE_CSR, 0,
                                               schema::SparseIndexVector::Int32Vector, segments,
                                               schema::SparseIndexVector::Int32Vector, indices);
    }
    const std::vector<std::uint8_t> narrow(level.segments.begin(), level.segments.end());
    const std::vector<std::uint16_t> shorts(level.indices.begin(), level.indices.end());
    const auto segments = schema::CreateUint8Vector(builder, builder.CreateVector(narrow)).Union();
    const auto indices = schema::CreateUint16Vector(builder, builder.CreateVector(shorts)).Union();
    return schema::CreateDimensionMetadata(builder, schema::DimensionType::SPARSE_CSR, 0,
                                           schema::SparseIndexVector::Uint8Vector, segments,
                                           schema::SparseIndexVector::Uint16Vector, indices);
}

inline flatbuffers::Offset<schema::SparsityParameters> serializeSparsity(
    flatbuffers::FlatBufferBuilder& builder, const SparsitySpec& spec) {
    std::vector<flatbuffers::Offset<schema::DimensionMetadata>> levels;
    for (const LevelSpec& level : spec.levels) {
        levels.push_back(serializeLevel(builder, level));
    }
    return schema::CreateSparsityParameters(builder, builder.CreateVector(spec.traversalOrder),
                                            builder.CreateVector(spec.blockMap),
                                            builder.CreateVector(levels));
}

inline flatbuffers::Offset<schema::SubGraph> serializeGraph(flatbuffers::FlatBufferBuilder& builder,
                                                            const GraphSpec& spec) {
    std::vector<flatbuffers::Offset<schema::Tensor>> tensors;
    for (const TensorSpec& tensor : spec.tensors) {
        const auto quantization = schema::CreateQuantizationParameters(
            builder, builder.CreateVector(tensor.scales), builder.CreateVector(tensor.zeroPoints),
            0, tensor.quantizedDimension);
        const auto sparsity = tensor.sparsity ? serializeSparsity(builder, *tensor.sparsity)
                                              : flatbuffers::Offset<schema::SparsityParameters>();
        tensors.push_back(schema::CreateTensor(
            builder, builder.CreateVector(tensor.shape), tensor.type, tensor.buffer,
            builder.CreateString(tensor.name), quantization, tensor.isVariable, sparsity,
            builder.CreateVector(tensor.shapeSignature), tensor.hasRank));
    }
    std::vector<flatbuffers::Offset<schema::Operator>> operators;
    for (const OperatorSpec& op : spec.operators) {
        const auto options = op.options ? op.options(builder) : flatbuffers::Offset<void>();
        const auto composite =
            op.decomposition
                ? schema::CreateStableHLOCompositeOptions(builder, *op.decomposition).Union()
                : flatbuffers::Offset<void>();
        operators.push_back(schema::CreateOperator(
            builder, op.opcodeIndex, builder.CreateVector(op.inputs),
            builder.CreateVector(op.outputs), op.optionsType, options,
            builder.CreateVector(op.customOptions), 0, builder.CreateVector(op.intermediates),
            op.decomposition ? schema::BuiltinOptions2::StableHLOCompositeOptions
                             : schema::BuiltinOptions2::NONE,
            composite));
    }
    return schema::CreateSubGraph(
        builder, builder.CreateVector(tensors), builder.CreateVector(spec.inputs),
        builder.CreateVector(spec.outputs), builder.CreateVector(operators));
}

inline flatbuffers::Offset<schema::SignatureDef> serializeSignature(
    flatbuffers::FlatBufferBuilder& builder, const SignatureSpec& spec) {
    const auto named = [&](const Names& names) {
        std::vector<flatbuffers::Offset<schema::NamedTensor>> tensors;
        for (const auto& [name, tensor] : names) {
            tensors.push_back(
                schema::CreateNamedTensor(builder, builder.CreateString(name), tensor));
        }
        return builder.CreateVector(tensors);
    };
    const auto inputs = named(spec.inputs);
    const auto outputs = named(spec.outputs);
    return schema::CreateSignatureDef(builder, inputs, outputs, builder.CreateString(spec.key),
                                      spec.subgraph);
}

inline std::vector<std::byte> serialize(const FileSpec& spec) {
    flatbuffers::FlatBufferBuilder builder;
    std::vector<flatbuffers::Offset<schema::Buffer>> buffers;
    for (const auto& contents : spec.buffers) {
        buffers.push_back(schema::CreateBuffer(builder, builder.CreateVector(contents)));
    }
    std::vector<flatbuffers::Offset<schema::OperatorCode>> codes;
    for (const OperatorCodeSpec& code : spec.codes) {
        constexpr std::int32_t kGreatestDeprecated = 127;
        const auto value = static_cast<std::int32_t>(code.code);
        codes.push_back(schema::CreateOperatorCode(
            builder, static_cast<std::int8_t>(std::min(value, kGreatestDeprecated)),
            builder.CreateString(code.customName), code.code));
    }
    std::vector graphs{serializeGraph(builder, spec)};
    for (const GraphSpec& graph : spec.subgraphs) {
        graphs.push_back(serializeGraph(builder, graph));
    }
    std::vector<flatbuffers::Offset<schema::SignatureDef>> signatures;
    for (const SignatureSpec& signature : spec.signatures) {
        signatures.push_back(serializeSignature(builder, signature));
    }
    schema::FinishModelBuffer(
        builder, schema::CreateModel(builder, spec.version, builder.CreateVector(codes),
                                     builder.CreateVector(graphs), builder.CreateVector(buffers),
                                     builder.CreateVector(signatures)));
    const auto bytes = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
    return {bytes.begin(), bytes.end()};
}

/// The bytes of `values`, as the contents of a buffer.
template <class T>
std::vector<std::uint8_t> bytesOf(const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    std::vector<std::uint8_t> result;
    for (const std::byte byte : bytes) {
        result.push_back(std::to_integer<std::uint8_t>(byte));
    }
    return result;
}

/// The options of most elementwise operators, as ADD.
inline OptionsBuilder addOptions(
    schema::ActivationFunctionType activation = schema::ActivationFunctionType::NONE) {
    return [=](flatbuffers::FlatBufferBuilder& builder) {
        return schema::CreateAddOptions(builder, activation).Union();
    };
}

/// One ADD of two float inputs of shape 2x3: tensors 0 and 1 are added to 2.
inline FileSpec addFile() {
    FileSpec file;
    file.codes = {{.code = schema::BuiltinOperator::ADD}};
    file.tensors = {{.shape = {2, 3}}, {.shape = {2, 3}}, {.shape = {2, 3}}};
    file.operators = {{.inputs = {0, 1},
                       .outputs = {2},
                       .optionsType = schema::BuiltinOptions::AddOptions,
                       .options = addOptions()}};
    file.inputs = {0, 1};
    file.outputs = {2};
    return file;
}

}  // namespace nnburst::tflite
