// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/model_signature.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/operand_info.h"
#include "nnburst/tflite.h"

namespace nnburst {
namespace {

std::vector<NamedOperand> operandsOf(const Subgraph& graph,
                                     const std::vector<std::uint32_t>& indexes, const char* prefix,
                                     const std::vector<std::string>& names) {
    std::vector<NamedOperand> result;
    for (const std::uint32_t index : indexes) {
        const Operand& operand = graph.operands[index];
        const std::size_t position = result.size();
        result.push_back({.name = position < names.size() ? names[position]
                                                          : fmt::format("{}{}", prefix, position),
                          .type = operand.type,
                          .dimensions = operand.dimensions,
                          .scale = operand.scale,
                          .zeroPoint = operand.zeroPoint});
    }
    return result;
}

}  // namespace

ModelSignature signatureOf(const Model& model) {
    return {.inputs = operandsOf(model.main, model.main.inputIndexes, "input", {}),
            .outputs = operandsOf(model.main, model.main.outputIndexes, "output", {}),
            .states = {}};
}

ModelSignature signatureOf(const TfliteModel& model) {
    const Subgraph& graph = model.model.main;
    return {.inputs = operandsOf(graph, graph.inputIndexes, "input", model.inputNames),
            .outputs = operandsOf(graph, graph.outputIndexes, "output", model.outputNames),
            .states = model.states};
}

std::string toString(const NamedOperand& operand) {
    std::string text = fmt::format("{} \"{}\"", toString(operand.type), operand.name);
    if (!isScalar(operand.type)) {
        text += fmt::format(" of dimensions {}", dimensionsText(operand.dimensions));
    }
    return text;
}

}  // namespace nnburst
