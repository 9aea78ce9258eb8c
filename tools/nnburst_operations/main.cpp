// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// nnburst-operations: prints docs/operations.md, the table of operations, from the code: for each
/// operation its first HAL version, the types that its check accepts, and the types that XNNPACK
/// covers. Types are found by trying the operations of the examples in the given files.
///
///     nnburst-operations DIR... > docs/operations.md

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "exec/graph/graph.h"
#include "exec/graph/shape_inference.h"
#include "exec/operation/operation.h"
#include "exec/reference/operations.h"
#include "exec/run/engine.h"
#include "exec/xnnpack/backend.h"
#include "nnburst/validation.h"
#include "vectors/vector_file.h"

namespace nnburst {

namespace {

/// The types of one operation that were found in the examples.
struct Found {
    std::set<std::string> types;         ///< of the first tensor among its inputs
    std::set<std::string> xnnpackTypes;  ///< those for which XNNPACK has an operator
};

using Table = std::map<OperationType, Found>;

/// "float32" for TENSOR_FLOAT32.
std::string shortName(OperandType type) {
    switch (type) {
        case OperandType::TENSOR_FLOAT32:
            return "float32";
        case OperandType::TENSOR_FLOAT16:
            return "float16";
        case OperandType::TENSOR_INT32:
            return "int32";
        case OperandType::TENSOR_BOOL8:
            return "bool8";
        case OperandType::TENSOR_QUANT8_ASYMM:
            return "quant8";
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
            return "quant8 signed";
        case OperandType::TENSOR_QUANT8_SYMM:
            return "quant8 symmetric";
        case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
            return "quant8 per channel";
        case OperandType::TENSOR_QUANT16_ASYMM:
            return "quant16";
        case OperandType::TENSOR_QUANT16_SYMM:
            return "quant16 symmetric";
        default:
            return toString(type);
    }
}

/// The operation with other types: float16 for float32, signed for unsigned 8 bits.
exec::OperationInstance inSiblingTypes(const exec::OperationInstance& given) {
    exec::OperationInstance sibling = given;
    const auto change = [](exec::OperandView& operand) {
        switch (operand.type) {
            case OperandType::TENSOR_FLOAT32:
                operand.type = OperandType::TENSOR_FLOAT16;
                break;
            case OperandType::FLOAT32:
                operand.type = OperandType::FLOAT16;
                break;
            case OperandType::TENSOR_QUANT8_ASYMM:
                operand.type = OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
                operand.zeroPoint -= 128;
                break;
            default:
                break;
        }
    };
    std::for_each(sibling.inputs.begin(), sibling.inputs.end(), change);
    std::for_each(sibling.outputs.begin(), sibling.outputs.end(), change);
    return sibling;
}

void collectOperation(const exec::OperationInstance& operation, bool isPlanned, Table& table) {
    if (!exec::findOperation(operation.type)->check(operation.view())) {
        return;
    }
    Found& found = table[operation.type];
    const std::string type = shortName(operation.inputs[0].type);
    found.types.insert(type);
    exec::xnnpack::OperatorCache operators;
    if (isPlanned) {
        const auto step = exec::xnnpack::makeStep(operation.view(), {.operators = &operators});
        if (step && *step != nullptr) {
            found.xnnpackTypes.insert(type);
        }
    }
}

void collect(const VectorExample& example, Table& table) {
    const auto graph = exec::Graph::create(example.model, example.model.main);
    if (example.expectsFailure || !validateModel(example.model) || !graph) {
        return;
    }
    exec::ShapeInference shapes(**graph);
    const std::vector<Operation>& operations = example.model.main.operations;
    for (std::size_t index = 0; index < operations.size(); ++index) {
        if (!shapes.visit(index) || operations[index].inputs.empty()) {
            continue;
        }
        const auto isKnown = [&](std::uint32_t operand) { return shapes.isKnown(operand); };
        const Operation& operation = operations[index];
        const bool isPlanned =
            shapes.isDecidedByShapes(index) &&
            std::all_of(operation.inputs.begin(), operation.inputs.end(), isKnown) &&
            std::all_of(operation.outputs.begin(), operation.outputs.end(), isKnown);
        const exec::OperationInstance instance = shapes.operation(index);
        collectOperation(instance, isPlanned, table);
        collectOperation(inSiblingTypes(instance), isPlanned, table);
    }
}

const char* noteOn(OperationType type) {
    switch (type) {
        case OperationType::RESHAPE:
        case OperationType::SQUEEZE:
        case OperationType::EXPAND_DIMS:
            return "a placement, not a step, where shapes are known beforehand";
        case OperationType::CONCATENATION:
            return "a placement, not a step, where parts follow each other in memory";
        case OperationType::IF:
        case OperationType::WHILE:
            return "interpreted";
        case OperationType::BOX_WITH_NMS_LIMIT:
        case OperationType::GENERATE_PROPOSALS:
            return "interpreted: its output shapes are known when it has run";
        default:
            return "";
    }
}

void print(const Table& table) {
    fmt::print(
        "# Operations\n\n"
        "Made by `nnburst-operations DIR > docs/operations.md`, where DIR has examples of "
        "operations. "
        "Every operation of HAL 1.0 to {} has a\nreference kernel (`src/exec/reference/`) for "
        "every "
        "type and corner that its section of the HAL allows; XNNPACK (`src/exec/xnnpack/`) "
        "runs\nwhat "
        "it covers.\n\n"
        "*Examples* are the types of the first input in the examples, with float16 beside float32 "
        "and signed beside unsigned 8 bits:\nnot all that an operation takes. *XNNPACK* are those "
        "of them for which it has an operator, in some cases at least. float16\nruns there as "
        "float32, NCHW as NHWC, and unsigned convolutions with a filter a channel as signed "
        "ones.\n\n"
        "| code | operation | since | examples | XNNPACK | notes |\n|---:|---|---|---|---|---|\n",
        toString(kLatestHalVersion));
    for (const OperationType type : kOperationTypes) {
        const exec::OperationDefinition& definition = *exec::findOperation(type);
        const auto entry = table.find(type);
        const Found found = entry == table.end() ? Found() : entry->second;
        fmt::print("| {} | {} | {} | {} | {} | {} |\n", static_cast<std::int32_t>(type),
                   toString(type), toString(definition.since), fmt::join(found.types, ", "),
                   fmt::join(found.xnnpackTypes, ", "), noteOn(type));
    }
}

}  // namespace
}  // namespace nnburst

int main(int argc, char** argv) {
    constexpr const char* kUsage = "usage: nnburst-operations DIR...\n";
    if (argc == 2 && std::string_view(argv[1]) == "--help") {
        fmt::print("{}", kUsage);
        return 0;
    }
    if (argc < 2) {
        fmt::print(stderr, "{}", kUsage);
        return 2;
    }
    if (const auto engine = nnburst::exec::Engine::create({}); !engine) {
        fmt::print(stderr, "nnburst-operations: {}\n", engine.error().message);
        return 1;
    }
    nnburst::Table table;
    try {
        for (int i = 1; i < argc; ++i) {
            for (const auto& file : nnburst::vectorFiles(argv[i])) {
                nnburst::forEachExample(file, std::nullopt,
                                        [&](const auto& example) { collect(example, table); });
            }
        }
    } catch (const std::exception& exception) {
        fmt::print(stderr, "nnburst-operations: {}\n", exception.what());
        return 1;
    }
    nnburst::print(table);
    return 0;
}
