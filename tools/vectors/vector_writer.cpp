// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>
#include <stdexcept>

#include "exec/operation/float16.h"
#include "nnburst/memory.h"
#include "nnburst/type_queries.h"
#include "vectors/vector_file.h"

namespace nnburst {

namespace {

using Json = nlohmann::json;
using Bytes = std::span<const std::byte>;

/// Tensors with more elements than this are written as base64.
constexpr std::size_t kMaximumListedElements = 64;

std::string encodeBase64(Bytes bytes) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        unsigned bits = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            bits =
                bits << 8 | (i + k < bytes.size() ? std::to_integer<unsigned>(bytes[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            const bool isPadding = k > bytes.size() - i;
            text += isPadding ? '=' : kDigits[bits >> (18 - 6 * k) & 63U];
        }
    }
    return text;
}

template <class T>
Json list(Bytes bytes) {
    Json numbers = Json::array();
    for (std::size_t offset = 0; offset + sizeof(T) <= bytes.size(); offset += sizeof(T)) {
        T value;
        std::memcpy(&value, &bytes[offset], sizeof(T));
        if constexpr (std::is_same_v<T, exec::Float16>) {
            numbers.push_back(static_cast<float>(value));
        } else {
            numbers.push_back(value);
        }
    }
    return numbers;
}

Json numbersOf(OperandType type, Bytes bytes) {
    switch (type) {
        case OperandType::FLOAT32:
        case OperandType::TENSOR_FLOAT32:
            return list<float>(bytes);
        case OperandType::FLOAT16:
        case OperandType::TENSOR_FLOAT16:
            return list<exec::Float16>(bytes);
        case OperandType::INT32:
        case OperandType::TENSOR_INT32:
            return list<std::int32_t>(bytes);
        case OperandType::UINT32:
            return list<std::uint32_t>(bytes);
        case OperandType::TENSOR_QUANT16_SYMM:
            return list<std::int16_t>(bytes);
        case OperandType::TENSOR_QUANT16_ASYMM:
            return list<std::uint16_t>(bytes);
        case OperandType::TENSOR_QUANT8_SYMM:
        case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
            return list<std::int8_t>(bytes);
        default:
            return list<std::uint8_t>(bytes);
    }
}

Json dataOf(OperandType type, Bytes bytes) {
    const std::size_t elements = bytes.size() / std::max<std::size_t>(elementBytes(type), 1);
    if (elements <= kMaximumListedElements) {
        const Json numbers = numbersOf(type, bytes);
        const bool areFinite = std::all_of(numbers.begin(), numbers.end(), [](const Json& number) {
            return !number.is_number_float() || std::isfinite(number.get<double>());
        });
        if (areFinite) {
            return numbers;
        }
    }
    return {{"b64", encodeBase64(bytes)}};
}

Json writeOperand(const Model& model, const Operand& operand) {
    Json json{{"type", toString(operand.type)},
              {"dimensions", operand.dimensions},
              {"scale", operand.scale},
              {"zero_point", operand.zeroPoint},
              {"lifetime", toString(operand.lifetime)}};
    if (const auto* quant = std::get_if<SymmPerChannelQuantParams>(&operand.extraParams)) {
        json["channel_quant"] = {{"scales", quant->scales}, {"channel_dim", quant->channelDim}};
    }
    const DataLocation& location = operand.location;
    if (operand.lifetime == OperandLifeTime::CONSTANT_COPY) {
        json["data"] = dataOf(operand.type, std::as_bytes(std::span(model.operandValues))
                                                .subspan(location.offset, location.length));
    } else if (operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE) {
        const auto mapping = Mapping::map(model.pools.at(location.poolIndex));
        if (!mapping) {
            throw std::runtime_error(mapping.error().message);
        }
        json["data"] =
            dataOf(operand.type, mapping->bytes().subspan(location.offset, location.length));
    } else if (operand.lifetime == OperandLifeTime::SUBGRAPH) {
        json["data"] = {location.offset};
    }
    return json;
}

Json writeSubgraph(const Model& model, const Subgraph& subgraph) {
    Json json{{"operands", Json::array()},
              {"operations", Json::array()},
              {"inputs", subgraph.inputIndexes},
              {"outputs", subgraph.outputIndexes}};
    for (const Operand& operand : subgraph.operands) {
        json["operands"].push_back(writeOperand(model, operand));
    }
    for (const Operation& operation : subgraph.operations) {
        json["operations"].push_back({{"type", toString(operation.type)},
                                      {"inputs", operation.inputs},
                                      {"outputs", operation.outputs}});
    }
    return json;
}

}  // namespace

void writeVectorFile(std::ostream& stream, const VectorExample& example) {
    const Model& model = example.model;
    Json main = writeSubgraph(model, model.main);
    for (std::size_t i = 0; i < example.inputs.size(); ++i) {
        Json& operand = main["operands"][model.main.inputIndexes[i]];
        operand["data"] =
            dataOf(model.main.operands[model.main.inputIndexes[i]].type, example.inputs[i]);
    }
    for (std::size_t i = 0; i < example.outputs.size(); ++i) {
        const VectorOutput& output = example.outputs[i];
        Json& operand = main["operands"][model.main.outputIndexes[i]];
        operand["data"] = dataOf(output.type, output.expected);
        operand["result_dimensions"] = output.dimensions;
        operand["ignored_output"] = output.isIgnored;
    }
    Json referenced = Json::array();
    for (const Subgraph& subgraph : model.referenced) {
        referenced.push_back(writeSubgraph(model, subgraph));
    }
    Json json{{"name", example.name},
              {"expect_failure", example.expectsFailure},
              {"relaxed", model.relaxComputationFloat32toFloat16},
              {"main", std::move(main)},
              {"referenced", std::move(referenced)}};
    if (example.multinomialTolerance) {
        json["tolerance"] = {{"multinomial", *example.multinomialTolerance}};
    }
    stream << Json{{"format", "nn-vectors/1"},
                   {"spec", example.name},
                   {"hal", "1.3"},
                   {"examples", 1}}
                  .dump()
           << '\n'
           << json.dump() << '\n';
}

}  // namespace nnburst
