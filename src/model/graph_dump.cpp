// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/graph_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "memory/checked_math.h"
#include "nnburst/type_queries.h"

namespace nnburst {

namespace {

/// Limits on lists and names in a label, so that no model can make an endless label.
constexpr std::size_t kMaximumLabelDimensions = 16;
constexpr std::size_t kMaximumLabelName = 80;  ///< bytes

/// `text`, escaped for a quoted string of Graphviz.
std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text.substr(0, kMaximumLabelName)) {
        if (c == '"' || c == '\\') {
            result += '\\';
        }
        result += c >= ' ' && c <= '~' ? c : '?';
    }
    return text.size() > kMaximumLabelName ? result + "..." : result;
}

template <class Type>
std::string typeText(const Model& model, Type type) {
    const auto code = static_cast<std::uint32_t>(type);
    if (!isExtension(type)) {
        return isHalType(type)
                   ? std::string(toString(type))
                   : fmt::format("{} {}", toString(type), static_cast<std::int32_t>(type));
    }
    const auto& extensions = model.extensionNameToPrefix;
    const auto extension = std::find_if(
        extensions.begin(), extensions.end(),
        [&](const auto& candidate) { return candidate.prefix == code >> kExtensionTypeBits; });
    return extension == extensions.end() ? fmt::format("unknown extension {:#x}", code)
                                         : fmt::format("{} {}", escaped(extension->name),
                                                       code & ((1U << kExtensionTypeBits) - 1));
}

/// A line of a label with its line break; empty for a scalar.
std::string dimensionsLine(const Operand& operand) {
    if (operand.dimensions.empty()) {
        return isTensor(operand.type) ? "\\nunknown rank" : "";
    }
    std::string text;
    for (std::size_t axis = 0; axis < operand.dimensions.size(); ++axis) {
        if (axis == kMaximumLabelDimensions) {
            return fmt::format("\\n{}x... ({} dimensions)", text, operand.dimensions.size());
        }
        const std::uint32_t size = operand.dimensions[axis];
        text += axis == 0 ? "" : "x";
        text += size == 0 ? "?" : std::to_string(size);
    }
    return "\\n" + text;
}

std::string quantizationLine(const Operand& operand) {
    if (const auto* quant = std::get_if<SymmPerChannelQuantParams>(&operand.extraParams)) {
        return fmt::format("\\n{} scales along {}", quant->scales.size(), quant->channelDim);
    }
    return operand.scale == 0.0F && operand.zeroPoint == 0
               ? std::string()
               : fmt::format("\\n{:g} * (q - {})", operand.scale, operand.zeroPoint);
}

template <class T>
T read(const std::uint8_t* bytes) noexcept {
    T value{};
    std::memcpy(&value, bytes, sizeof(T));
    return value;
}

/// The value of a scalar that lies in the model.
std::string valueLine(const Model& model, const Operand& operand) {
    const std::size_t size = elementBytes(operand.type);
    if (operand.lifetime != OperandLifeTime::CONSTANT_COPY || operand.location.length != size ||
        !fitsInside(operand.location.offset, size, model.operandValues.size())) {
        return "";
    }
    const std::uint8_t* bytes = model.operandValues.data() + operand.location.offset;
    switch (operand.type) {
        case OperandType::FLOAT32:
            return fmt::format("\\n= {:g}", read<float>(bytes));
        case OperandType::INT32:
            return fmt::format("\\n= {}", read<std::int32_t>(bytes));
        case OperandType::UINT32:
            return fmt::format("\\n= {}", read<std::uint32_t>(bytes));
        case OperandType::BOOL:
            return *bytes != 0 ? "\\n= true" : "\\n= false";
        default:
            return "";
    }
}

const char* colorOf(OperandLifeTime lifetime) noexcept {
    switch (lifetime) {
        case OperandLifeTime::SUBGRAPH_INPUT:
        case OperandLifeTime::SUBGRAPH_OUTPUT:
            return "lightblue";
        case OperandLifeTime::CONSTANT_COPY:
        case OperandLifeTime::CONSTANT_REFERENCE:
            return "lightgrey";
        case OperandLifeTime::SUBGRAPH:
            return "khaki";
        case OperandLifeTime::NO_VALUE:
            return "white";
        default:
            return "palegreen";
    }
}

/// The role of an input of IF or WHILE that refers to a subgraph, with a space before it.
const char* referenceText(OperationType type, std::size_t input) noexcept {
    if (type == OperationType::IF && (input == 1 || input == 2)) {
        return input == 1 ? " then" : " else";
    }
    if (type == OperationType::WHILE && input < 2) {
        return input == 0 ? " condition" : " body";
    }
    return "";
}

/// Writes one subgraph. `name` begins the names of its nodes.
class SubgraphDump {
  public:
    SubgraphDump(const Model& model, const Subgraph& subgraph, std::string name)
        : model_(model),
          subgraph_(subgraph),
          name_(std::move(name)),
          roles_(subgraph.operands.size()) {}

    /// Appends nodes and edges to `text`, and to `references` the edges that leave the subgraph: a
    /// node belongs to each cluster in which it is named.
    void write(std::string& text, std::string& references) {
        text_ = &text;
        nameRoles("input", subgraph_.inputIndexes);
        nameRoles("output", subgraph_.outputIndexes);
        for (std::size_t index = 0; index < subgraph_.operands.size(); ++index) {
            writeOperand(index, references);
        }
        for (std::size_t index = 0; index < subgraph_.operations.size(); ++index) {
            writeOperation(index);
        }
    }

  private:
    template <class... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        text_->append("  ");
        fmt::format_to(std::back_inserter(*text_), format, std::forward<Args>(args)...);
        text_->push_back('\n');
    }

    void nameRoles(const char* role, const std::vector<std::uint32_t>& indexes) {
        for (std::size_t position = 0; position < indexes.size(); ++position) {
            if (indexes[position] >= roles_.size()) {
                (void)operandNode(indexes[position]);
            } else if (std::string& text = roles_[indexes[position]];
                       text.find(role) == std::string::npos) {
                text += fmt::format(", {} {}", role, position);
            }
        }
    }

    void writeOperand(std::size_t index, std::string& references) {
        const Operand& operand = subgraph_.operands[index];
        line("{}_v{} [shape=box, style=filled, fillcolor={}, label=\"{}: {}{}{}{}\\n{}{}\"];",
             name_, index, colorOf(operand.lifetime), index, typeText(model_, operand.type),
             dimensionsLine(operand), quantizationLine(operand), valueLine(model_, operand),
             toString(operand.lifetime), roles_[index]);
        if (operand.lifetime != OperandLifeTime::SUBGRAPH) {
            return;
        }
        const std::uint32_t referenced = operand.location.offset;
        if (referenced < model_.referenced.size()) {
            fmt::format_to(std::back_inserter(references),
                           "  {}_v{} -> r{}_entry [style=dashed, lhead=cluster_r{}];\n", name_,
                           index, referenced, referenced);
        } else {
            fmt::format_to(std::back_inserter(references),
                           "  {}_v{} -> \"no subgraph {}\" [style=dashed];\n", name_, index,
                           referenced);
        }
    }

    void writeOperation(std::size_t index) {
        const Operation& operation = subgraph_.operations[index];
        line("{}_o{} [shape=ellipse, label=\"{}: {}\"];", name_, index, index,
             typeText(model_, operation.type));
        for (std::size_t input = 0; input < operation.inputs.size(); ++input) {
            line("{} -> {}_o{} [label=\"{}{}\"];", operandNode(operation.inputs[input]), name_,
                 index, input, referenceText(operation.type, input));
        }
        for (std::size_t output = 0; output < operation.outputs.size(); ++output) {
            line("{}_o{} -> {} [label=\"{}\"];", name_, index,
                 operandNode(operation.outputs[output]), output);
        }
    }

    /// The name of an operand's node. One that does not exist gets a node that says so.
    [[nodiscard]] std::string operandNode(std::uint32_t index) {
        if (index < subgraph_.operands.size()) {
            return fmt::format("{}_v{}", name_, index);
        }
        line("{}_x{} [shape=box, color=red, label=\"no operand {}\"];", name_, index, index);
        return fmt::format("{}_x{}", name_, index);
    }

    const Model& model_;
    const Subgraph& subgraph_;
    const std::string name_;
    std::vector<std::string> roles_;  // of operands: their first positions among inputs and outputs
    std::string* text_ = nullptr;
};

}  // namespace

std::string graphDump(const Model& model) {
    std::string text = "digraph model {\n  compound=true;\n";
    if (model.relaxComputationFloat32toFloat16) {
        text += "  label=\"float32 may be computed as float16\";\n";
    }
    std::string references;
    SubgraphDump(model, model.main, "main").write(text, references);
    for (std::size_t index = 0; index < model.referenced.size(); ++index) {
        fmt::format_to(std::back_inserter(text),
                       "  subgraph cluster_r{0} {{\n  label=\"referenced subgraph {0}\";\n"
                       "  r{0}_entry [shape=point];\n",
                       index);
        SubgraphDump(model, model.referenced[index], fmt::format("r{}", index))
            .write(text, references);
        text += "  }\n";
    }
    return text + references + "}\n";
}

}  // namespace nnburst
