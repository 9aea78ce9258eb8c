// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/graph_dump.h"

#include <fmt/format.h>

#include "model/operand_info.h"

namespace nnburst {

namespace {

std::string typeText(OperandType type) {
    return isExtension(type) ? fmt::format("extension 0x{:x}", static_cast<std::uint32_t>(type))
                             : std::string(toString(type));
}

std::string typeText(OperationType type) {
    return isExtension(type) ? fmt::format("extension 0x{:x}", static_cast<std::uint32_t>(type))
                             : std::string(toString(type));
}

std::string quantizationText(const Operand& operand) {
    if (const auto* quant = std::get_if<SymmPerChannelQuantParams>(&operand.extraParams)) {
        return fmt::format("\\n{} scales along {}", quant->scales.size(), quant->channelDim);
    }
    return operand.scale == 0.0F && operand.zeroPoint == 0
               ? std::string()
               : fmt::format("\\n{:g} * (q - {})", operand.scale, operand.zeroPoint);
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

/// Writes one subgraph. `name` begins the names of its nodes.
class SubgraphDump {
  public:
    SubgraphDump(const Subgraph& subgraph, std::string name, std::string& text)
        : subgraph_(subgraph), name_(std::move(name)), text_(text) {}

    void write() {
        for (std::size_t index = 0; index < subgraph_.operands.size(); ++index) {
            writeOperand(index);
        }
        for (std::size_t index = 0; index < subgraph_.operations.size(); ++index) {
            writeOperation(index);
        }
    }

  private:
    template <class... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(text_), "  ");
        fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
        text_ += '\n';
    }

    void writeOperand(std::size_t index) {
        const Operand& operand = subgraph_.operands[index];
        line("{}_v{} [shape=box, style=filled, fillcolor={}, label=\"{}: {}\\n{}{}\\n{}\"];", name_,
             index, colorOf(operand.lifetime), index, typeText(operand.type),
             dimensionsText(operand.dimensions), quantizationText(operand),
             toString(operand.lifetime));
        if (operand.lifetime == OperandLifeTime::SUBGRAPH) {
            line("{}_v{} -> r{}_entry [style=dashed];", name_, index, operand.location.offset);
        }
    }

    void writeOperation(std::size_t index) {
        const Operation& operation = subgraph_.operations[index];
        line("{}_o{} [shape=ellipse, label=\"{}: {}\"];", name_, index, index,
             typeText(operation.type));
        for (std::size_t input = 0; input < operation.inputs.size(); ++input) {
            line("{} -> {}_o{} [label=\"{}\"];", operandNode(operation.inputs[input]), name_, index,
                 input);
        }
        for (std::size_t output = 0; output < operation.outputs.size(); ++output) {
            line("{}_o{} -> {} [label=\"{}\"];", name_, index,
                 operandNode(operation.outputs[output]), output);
        }
    }

    [[nodiscard]] std::string operandNode(std::uint32_t index) const {
        return index < subgraph_.operands.size() ? fmt::format("{}_v{}", name_, index)
                                                 : fmt::format("\"no operand {}\"", index);
    }

    const Subgraph& subgraph_;
    const std::string name_;
    std::string& text_;
};

}  // namespace

std::string graphDump(const Model& model) {
    std::string text = "digraph model {\n";
    if (model.relaxComputationFloat32toFloat16) {
        text += "  label=\"float32 may be computed as float16\";\n";
    }
    SubgraphDump(model.main, "main", text).write();
    for (std::size_t index = 0; index < model.referenced.size(); ++index) {
        fmt::format_to(std::back_inserter(text),
                       "  subgraph cluster_r{0} {{\n  label=\"referenced subgraph {0}\";\n"
                       "  r{0}_entry [shape=point];\n",
                       index);
        SubgraphDump(model.referenced[index], fmt::format("r{}", index), text).write();
        text += "  }\n";
    }
    text += "}\n";
    return text;
}

}  // namespace nnburst
