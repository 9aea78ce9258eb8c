// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "vectors/vector_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "exec/operation/float16.h"
#include "nnburst/memory.h"
#include "nnburst/type_queries.h"

namespace nnburst {

namespace {

using Json = nlohmann::json;

/// The enumerator from `first` to `last` that toString calls `name`.
template <class Enum>
Enum enumerator(const std::string& name, int first, int last) {
    for (int code = first; code <= last; ++code) {
        if (toString(static_cast<Enum>(code)) == name) {
            return static_cast<Enum>(code);
        }
    }
    throw std::runtime_error("unknown enumerator " + name);
}

std::vector<std::byte> decodeBase64(std::string_view text) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<std::byte> bytes;
    bytes.reserve(text.size() / 4 * 3);
    unsigned bits = 0;
    int count = 0;
    const std::string_view digits = text.substr(0, text.find('='));
    for (std::size_t offset = 0; offset < digits.size(); ++offset) {
        const std::size_t value = kDigits.find(digits[offset]);
        if (value == std::string_view::npos) {
            throw std::runtime_error("invalid base64 digit '" + std::string(1, digits[offset]) +
                                     "' at offset " + std::to_string(offset));
        }
        bits = bits << 6 | static_cast<unsigned>(value);
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes.push_back(static_cast<std::byte>(bits >> count & 0xFFU));
        }
    }
    return bytes;
}

template <class T>
void append(std::vector<std::byte>& bytes, T value) {
    const auto raw = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
}

void appendElement(std::vector<std::byte>& bytes, OperandType type, const Json& number) {
    switch (type) {
        case OperandType::FLOAT32:
        case OperandType::TENSOR_FLOAT32:
            return append(bytes, number.get<float>());
        case OperandType::FLOAT16:
        case OperandType::TENSOR_FLOAT16:
            return append(bytes, exec::Float16(number.get<float>()));
        default:
            break;
    }
    const auto value = number.get<std::int64_t>();
    switch (elementBytes(type)) {
        case 1:
            return append(bytes, static_cast<std::uint8_t>(value));
        case 2:
            return append(bytes, static_cast<std::uint16_t>(value));
        default:
            return append(bytes, static_cast<std::uint32_t>(value));
    }
}

/// The elements of an operand; none if it has no data.
std::vector<std::byte> readData(const Json& operand, OperandType type) {
    std::vector<std::byte> bytes;
    const auto data = operand.find("data");
    if (data == operand.end()) {
        return bytes;
    }
    if (data->is_object()) {
        return decodeBase64(data->at("b64").get<std::string>());
    }
    for (const Json& number : *data) {
        appendElement(bytes, type, number);
    }
    return bytes;
}

OperandType operandType(const Json& operand) {
    return enumerator<OperandType>(operand.at("type").get<std::string>(), 0, 15);
}

/// Builds a model from the subgraphs of an example.
class ModelReader {
  public:
    Subgraph readSubgraph(const Json& json) {
        Subgraph subgraph;
        for (const Json& operand : json.at("operands")) {
            subgraph.operands.push_back(readOperand(operand));
        }
        for (const Json& operation : json.at("operations")) {
            subgraph.operations.push_back(
                {.type = enumerator<OperationType>(operation.at("type").get<std::string>(), 0,
                                                   kOperationTypeEnd - 1),
                 .inputs = operation.at("inputs").get<std::vector<std::uint32_t>>(),
                 .outputs = operation.at("outputs").get<std::vector<std::uint32_t>>()});
            for (const std::uint32_t input : subgraph.operations.back().inputs) {
                ++subgraph.operands.at(input).numberOfConsumers;
            }
        }
        subgraph.inputIndexes = json.at("inputs").get<std::vector<std::uint32_t>>();
        subgraph.outputIndexes = json.at("outputs").get<std::vector<std::uint32_t>>();
        return subgraph;
    }

    /// Adds the constants of all subgraphs that were read to `model`.
    void finish(Model& model) {
        model.operandValues = std::move(copied_);
        if (referenced_.empty()) {
            return;
        }
        const auto region = Region::create(referenced_.size());
        const auto mapping = region ? Mapping::map(*region) : failure({}, "no region");
        if (!mapping) {
            throw std::runtime_error(mapping.error().message);
        }
        std::copy(referenced_.begin(), referenced_.end(), mapping->bytes().begin());
        model.pools.push_back(*region);
    }

  private:
    Operand readOperand(const Json& json) {
        Operand operand;
        operand.type = operandType(json);
        operand.dimensions = json.at("dimensions").get<Dimensions>();
        operand.scale = json.value("scale", 0.0F);
        operand.zeroPoint = json.value("zero_point", 0);
        operand.lifetime = enumerator<OperandLifeTime>(json.at("lifetime"), 0, 6);
        if (const auto quant = json.find("channel_quant"); quant != json.end()) {
            operand.extraParams =
                SymmPerChannelQuantParams{quant->at("scales").get<std::vector<float>>(),
                                          quant->at("channel_dim").get<std::uint32_t>()};
        }
        const std::vector<std::byte> data = readData(json, operand.type);
        switch (operand.lifetime) {
            case OperandLifeTime::CONSTANT_COPY:
                operand.location = place(data, copied_);
                break;
            case OperandLifeTime::CONSTANT_REFERENCE:
                operand.location = place(data, referenced_);
                break;
            case OperandLifeTime::SUBGRAPH:
                if (data.size() < sizeof(std::uint32_t)) {
                    throw std::runtime_error("a SUBGRAPH operand without data");
                }
                std::memcpy(&operand.location.offset, data.data(), sizeof(std::uint32_t));
                break;
            default:
                break;
        }
        return operand;
    }

    /// Appends `data` at a multiple of 4 bytes.
    template <class Byte>
    static DataLocation place(const std::vector<std::byte>& data, std::vector<Byte>& storage) {
        storage.resize((storage.size() + 3) / 4 * 4);
        const DataLocation location{.offset = static_cast<std::uint32_t>(storage.size()),
                                    .length = static_cast<std::uint32_t>(data.size())};
        for (const std::byte byte : data) {
            storage.push_back(static_cast<Byte>(byte));
        }
        return location;
    }

    std::vector<std::uint8_t> copied_;
    std::vector<std::byte> referenced_;
};

VectorExample readExample(const Json& json) {
    VectorExample example;
    example.name = json.at("name").get<std::string>();
    example.halVersionWire = json.value("hal_version_wire", "");
    example.isHalVersionStated = json.value("hal_version_source", "") == "aosp";
    example.expectsFailure = json.value("expect_failure", false);
    if (const auto tolerance = json.find("tolerance"); tolerance != json.end()) {
        example.multinomialTolerance = tolerance->at("multinomial").get<double>();
    }
    const Json& main = json.at("main");
    ModelReader reader;
    example.model.main = reader.readSubgraph(main);
    for (const Json& subgraph : json.value("referenced", Json::array())) {
        example.model.referenced.push_back(reader.readSubgraph(subgraph));
    }
    reader.finish(example.model);
    example.model.relaxComputationFloat32toFloat16 = json.value("relaxed", false);
    for (const std::uint32_t index : example.model.main.inputIndexes) {
        const Json& operand = main.at("operands").at(index);
        example.inputs.push_back(readData(operand, operandType(operand)));
    }
    for (const std::uint32_t index : example.model.main.outputIndexes) {
        const Json& operand = main.at("operands").at(index);
        example.outputs.push_back(
            {.type = operandType(operand),
             .dimensions =
                 operand.value("result_dimensions", operand.at("dimensions")).get<Dimensions>(),
             .expected = readData(operand, operandType(operand)),
             .isIgnored = operand.value("ignored_output", false)});
    }
    return example;
}

template <class T>
double load(const std::byte* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof(value));
    if constexpr (std::is_same_v<T, exec::Float16>) {
        return static_cast<double>(static_cast<float>(value));
    } else {
        return static_cast<double>(value);
    }
}

/// Element `index` of a tensor as a number.
double element(OperandType type, const std::vector<std::byte>& bytes, std::size_t index) {
    const std::byte* at = bytes.data() + index * elementBytes(type);
    switch (type) {
        case OperandType::TENSOR_FLOAT32:
            return load<float>(at);
        case OperandType::TENSOR_FLOAT16:
            return load<exec::Float16>(at);
        case OperandType::TENSOR_INT32:
        case OperandType::INT32:
            return load<std::int32_t>(at);
        case OperandType::TENSOR_QUANT16_SYMM:
            return load<std::int16_t>(at);
        case OperandType::TENSOR_QUANT16_ASYMM:
            return load<std::uint16_t>(at);
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
        case OperandType::TENSOR_QUANT8_SYMM:
            return load<std::int8_t>(at);
        default:
            return load<std::uint8_t>(at);
    }
}

/// How far an element may be from what is expected.
struct Tolerance {
    double absolute;
    double relative;
};

bool hasFloat16(const Model& model) {
    const auto has = [](const Subgraph& subgraph) {
        return std::any_of(
            subgraph.operands.begin(), subgraph.operands.end(),
            [](const Operand& operand) { return operand.type == OperandType::TENSOR_FLOAT16; });
    };
    return has(model.main) || std::any_of(model.referenced.begin(), model.referenced.end(), has);
}

Tolerance toleranceOf(const VectorExample& example, OperandType type) {
    constexpr Tolerance kHalf{5.0 / 1024, 5.0 / 1024};
    switch (type) {
        case OperandType::TENSOR_FLOAT32:
            return example.model.relaxComputationFloat32toFloat16 || hasFloat16(example.model)
                       ? kHalf
                       : Tolerance{1e-5, 5.0 / (1 << 23)};
        case OperandType::TENSOR_FLOAT16:
            return kHalf;
        case OperandType::TENSOR_QUANT8_ASYMM:
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
        case OperandType::TENSOR_QUANT8_SYMM:
            return {example.name.find("mobilenet") != std::string::npos ? 3.0 : 1.0, 0.0};
        case OperandType::TENSOR_BOOL8:
            return {0.0, 0.0};
        default:
            return {1.0, 0.0};
    }
}

bool isWithin(const Tolerance& tolerance, double is, double expected) {
    if (!std::isfinite(expected)) {  // the tolerance would be infinite, or NaN
        return is == expected || (std::isnan(is) && std::isnan(expected));
    }
    return std::abs(is - expected) <= tolerance.absolute + tolerance.relative * std::abs(expected);
}

/// RANDOM_MULTINOMIAL: the frequencies of the classes among the samples of the first batch.
std::string compareFrequencies(const VectorExample& example, const std::vector<std::byte>& actual,
                               const std::string& where) {
    const Operation& operation = example.model.main.operations.back();
    const std::uint32_t logits = operation.inputs[0];
    const std::vector<std::uint32_t>& inputs = example.model.main.inputIndexes;
    const auto input = std::find(inputs.begin(), inputs.end(), logits);
    const Operand& operand = example.model.main.operands[logits];
    if (input == inputs.end() || operand.dimensions.size() != 2 || operand.dimensions[0] == 0) {
        return where + ": no input of the model has its probabilities";
    }
    const std::vector<std::byte>& values =
        example.inputs[static_cast<std::size_t>(input - inputs.begin())];
    const std::size_t classes = operand.dimensions[1];
    const std::size_t samples = actual.size() / sizeof(std::int32_t) / operand.dimensions[0];
    std::vector<double> expected(classes);
    double total = 0.0;
    for (std::size_t i = 0; i < classes; ++i) {
        expected[i] = std::exp(element(operand.type, values, i));
        total += expected[i];
    }
    std::vector<double> counts(classes);
    for (std::size_t i = 0; i < samples; ++i) {
        const double chosen = element(OperandType::TENSOR_INT32, actual, i);
        if (chosen < 0.0 || chosen >= static_cast<double>(classes)) {
            return where + " index " + std::to_string(i) + ": expected 0 to " +
                   std::to_string(classes - 1) + ", actual " + std::to_string(chosen);
        }
        counts[static_cast<std::size_t>(chosen)] += 1.0;
    }
    for (std::size_t i = 0; i < classes; ++i) {
        const double frequency = counts[i] / static_cast<double>(samples);
        if (!(std::abs(frequency - expected[i] / total) <= *example.multinomialTolerance)) {
            return where + " class " + std::to_string(i) + ": expected frequency " +
                   std::to_string(expected[i] / total) + ", actual " + std::to_string(frequency);
        }
    }
    return {};
}

}  // namespace

std::vector<std::filesystem::path> vectorFiles(const std::filesystem::path& path) {
    if (std::filesystem::is_regular_file(path)) {
        return {path};
    }
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
        if (entry.path().extension() == ".jsonl") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

void forEachExample(const std::filesystem::path& file, std::optional<OperationType> type,
                    const std::function<void(const VectorExample&)>& visit) {
    std::ifstream stream(file);
    std::string line;
    // Operation types occur as {"type": "ADD", "inputs": ...}; most lines need no parsing.
    const std::string wanted = type ? '"' + std::string(toString(*type)) + '"' : std::string();
    bool isForRuntime = false;
    std::size_t number = 0;
    while (std::getline(stream, line)) {
        ++number;
        try {
            if (number == 1) {
                const Json header = Json::parse(line);
                if (header.value("format", "") != "nn-vectors/1") {
                    throw std::runtime_error("not of format nn-vectors/1");
                }
                isForRuntime = header.value("cts_only", false);
                continue;
            }
            if (line.find(wanted) == std::string::npos) {
                continue;
            }
            VectorExample example = readExample(Json::parse(line));
            example.isForRuntime = isForRuntime;
            visit(example);
        } catch (const std::exception& exception) {
            throw std::runtime_error(file.string() + " line " + std::to_string(number) + ": " +
                                     exception.what());
        }
    }
    if (number == 0) {
        throw std::runtime_error(file.string() + ": must be readable and not empty");
    }
}

std::string compareOutput(const VectorExample& example, std::size_t index,
                          const std::vector<std::byte>& actual) {
    const VectorOutput& output = example.outputs[index];
    if (output.isIgnored) {
        return {};
    }
    const std::string where = "operand " + std::to_string(example.model.main.outputIndexes[index]) +
                              " (output " + std::to_string(index) + ")";
    if (actual.size() != output.expected.size()) {
        return where + ": expected " + std::to_string(output.expected.size()) + " bytes, actual " +
               std::to_string(actual.size());
    }
    if (example.multinomialTolerance) {
        return compareFrequencies(example, actual, where);
    }
    const Tolerance tolerance = toleranceOf(example, output.type);
    for (std::size_t i = 0; i < actual.size() / elementBytes(output.type); ++i) {
        const double is = element(output.type, actual, i);
        const double expected = element(output.type, output.expected, i);
        if (!isWithin(tolerance, is, expected)) {
            std::ostringstream text;
            text << where << " index " << i << ": expected " << std::setprecision(9) << expected
                 << ", actual " << is;
            return text.str();
        }
    }
    return {};
}

}  // namespace nnburst
