// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_run/model_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "nnburst/type_queries.h"

namespace nnburst::run {

namespace {

struct Constants {
    std::uint64_t elements = 0;
    std::uint64_t bytes = 0;
};

std::uint64_t bytesOf(const Operand& operand) {
    return operandBytes(operand.type, operand.dimensions).value_or(0);
}

bool isConstant(const Operand& operand) {
    return operand.lifetime == OperandLifeTime::CONSTANT_COPY ||
           operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE;
}

void count(const Subgraph& subgraph, Constants& constants, std::uint64_t& temporaryBytes,
           std::map<std::string, std::size_t>& operations) {
    for (const Operand& operand : subgraph.operands) {
        if (isConstant(operand) && isTensor(operand.type)) {
            constants.bytes += bytesOf(operand);
            constants.elements +=
                bytesOf(operand) / std::max<std::size_t>(elementBytes(operand.type), 1);
        } else if (operand.lifetime == OperandLifeTime::TEMPORARY_VARIABLE) {
            temporaryBytes += bytesOf(operand);
        }
    }
    for (const Operation& operation : subgraph.operations) {
        ++operations[isExtension(operation.type) ? "operation of an extension"
                                                 : toString(operation.type)];
    }
}

std::string kilobytes(std::uint64_t bytes) {
    return bytes < 10'000 ? fmt::format("{} bytes", bytes)
                          : fmt::format("{:.0f} kB", static_cast<double>(bytes) * 1e-3);
}

}  // namespace

std::string operandText(const Operand& operand) {
    std::string text = toString(operand.type);
    if (!operand.dimensions.empty()) {
        std::vector<std::string> sizes;
        for (const std::uint32_t size : operand.dimensions) {
            sizes.push_back(size == 0 ? "?" : std::to_string(size));
        }
        text += fmt::format(" {}", fmt::join(sizes, "x"));
    }
    if (operand.scale != 0.0F) {
        text += fmt::format(", scale {:g}, zero point {}", operand.scale, operand.zeroPoint);
    }
    return text;
}

std::string summaryOf(const TfliteModel& model) {
    const Subgraph& main = model.model.main;
    std::string text;
    for (std::size_t i = 0; i < model.inputNames.size(); ++i) {
        text += fmt::format("input {} \"{}\": {}\n", i, model.inputNames[i],
                            operandText(main.operands[main.inputIndexes[i]]));
    }
    for (std::size_t i = 0; i < model.outputNames.size(); ++i) {
        text += fmt::format("output {} \"{}\": {}\n", i, model.outputNames[i],
                            operandText(main.operands[main.outputIndexes[i]]));
    }
    for (std::size_t i = 0; i < model.states.size(); ++i) {
        text += fmt::format("state {}: {}, from each step to the next\n", i,
                            operandText(main.operands[main.inputIndexes[model.states[i].input]]));
    }
    for (const TfliteSignature& signature : model.signatures) {
        text += fmt::format("signature \"{}\": {} to {}\n", signature.name,
                            fmt::join(signature.inputNames, ", "),
                            fmt::join(signature.outputNames, ", "));
    }
    Constants constants;
    std::uint64_t temporaryBytes = 0;
    std::map<std::string, std::size_t> operations;
    count(main, constants, temporaryBytes, operations);
    for (const Subgraph& subgraph : model.model.referenced) {
        count(subgraph, constants, temporaryBytes, operations);
    }
    std::vector<std::pair<std::string, std::size_t>> sorted(operations.begin(), operations.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::size_t total = 0;
    std::vector<std::string> counts;
    for (const auto& [type, number] : sorted) {
        total += number;
        counts.push_back(fmt::format("{} {}", number, type));
    }
    text +=
        fmt::format("{} operations{}{}: {}\n", total, model.model.referenced.empty() ? "" : " in ",
                    model.model.referenced.empty()
                        ? ""
                        : fmt::format("{} graphs", model.model.referenced.size() + 1),
                    fmt::join(counts, ", "));
    text += fmt::format(
        "{:.3g} million parameters in {}; values between operations: {} before "
        "they share memory\n",
        static_cast<double>(constants.elements) * 1e-6, kilobytes(constants.bytes),
        kilobytes(temporaryBytes));
    return text;
}

}  // namespace nnburst::run
