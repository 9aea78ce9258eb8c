// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "changed_model.h"

#include <array>
#include <bit>

#include "device/hal_models.h"
#include "exec/xnnpack/random_graph.h"
#include "model/operand_info.h"
#include "stress/attack_models.h"
#include "support/consumers.h"

namespace nnburst::fuzz {

namespace {

constexpr std::uint64_t kMaximumModelBytes = 32 << 20;
constexpr std::uint32_t kGraphs = 4096;

Model takeValidModel(ByteSource& bytes) {
    switch (bytes.take<std::uint8_t>() % 16) {
        case 0:
            return stress::makeNestedBranches(3, 1.0F);
        case 1:
            return stress::makeNestedLoops(2, 1.0F);
        case 2:
            return stress::makeDoublingLoop(1.0F);
        case 3:
            return test::makeReshapeModel();
        case 4:
            return test::makeBranchModel();
        default:
            return exec::makeRandomGraph(bytes.take<std::uint16_t>() % kGraphs);
    }
}

void change(std::vector<std::uint32_t>& indexes, std::size_t operands, ByteSource& bytes) {
    const auto index = static_cast<std::uint32_t>(bytes.below(operands + 1));
    switch (bytes.take<std::uint8_t>() % 4) {
        case 0:
            indexes.push_back(index);
            break;
        case 1:
            if (!indexes.empty()) {
                indexes.pop_back();
            }
            break;
        default:
            if (!indexes.empty()) {
                indexes[bytes.below(indexes.size())] = index;
            }
    }
}

void changeDimensions(Operand& operand, ByteSource& bytes) {
    switch (bytes.take<std::uint8_t>() % 4) {
        case 0:
            operand.dimensions.push_back(takeSize(bytes));
            break;
        case 1:
            if (!operand.dimensions.empty()) {
                operand.dimensions.pop_back();
            }
            break;
        default:
            if (!operand.dimensions.empty()) {
                operand.dimensions[bytes.below(operand.dimensions.size())] = takeSize(bytes);
            }
    }
}

void changeOperand(Operand& operand, ByteSource& bytes) {
    switch (bytes.take<std::uint8_t>() % 8) {
        case 0:
            operand.type = static_cast<OperandType>(bytes.take<std::uint8_t>() % 18);
            break;
        case 1:
            operand.scale = std::bit_cast<float>(bytes.take<std::uint32_t>());
            break;
        case 2:
            operand.zeroPoint = bytes.take<std::int32_t>();
            break;
        case 3:
            operand.lifetime = static_cast<OperandLifeTime>(bytes.take<std::uint8_t>() % 8);
            break;
        case 4:
            operand.location = {.poolIndex = bytes.take<std::uint8_t>(),
                                .offset = takeSize(bytes),
                                .length = takeSize(bytes)};
            break;
        case 5:
            operand.extraParams =
                SymmPerChannelQuantParams{.scales = std::vector<float>(bytes.below(20), 0.5F),
                                          .channelDim = static_cast<std::uint32_t>(bytes.below(6))};
            break;
        default:
            changeDimensions(operand, bytes);
    }
}

void changeOperation(Subgraph& graph, Operation& operation, ByteSource& bytes) {
    switch (bytes.take<std::uint8_t>() % 4) {
        case 0:
            operation.type = static_cast<OperationType>(bytes.take<std::uint8_t>() % 104);
            break;
        case 1:
            change(operation.outputs, graph.operands.size(), bytes);
            break;
        case 2:
            std::swap(operation, graph.operations[bytes.below(graph.operations.size())]);
            break;
        default:
            change(operation.inputs, graph.operands.size(), bytes);
    }
}

/// The graph that a change is about.
Subgraph& takeGraph(Model& model, ByteSource& bytes) {
    const std::size_t place = bytes.below(model.referenced.size() + 1);
    return place == 0 ? model.main : model.referenced[place - 1];
}

void changeModel(Model& model, ByteSource& bytes) {
    Subgraph& graph = takeGraph(model, bytes);
    const auto what = bytes.take<std::uint8_t>() % 16;
    if (what < 6) {
        // Scalars (strides, axes, sizes) and weights.
        if (!model.operandValues.empty()) {
            const std::size_t at = bytes.below(model.operandValues.size());
            model.operandValues[at] = bytes.take<std::uint8_t>();
        }
    } else if (what < 10 && !graph.operands.empty()) {
        changeOperand(graph.operands[bytes.below(graph.operands.size())], bytes);
    } else if (what < 14 && !graph.operations.empty()) {
        changeOperation(graph, graph.operations[bytes.below(graph.operations.size())], bytes);
    } else if (what == 14) {
        change(graph.inputIndexes, graph.operands.size(), bytes);
    } else {
        change(graph.outputIndexes, graph.operands.size(), bytes);
    }
}

}  // namespace

std::uint32_t takeSize(ByteSource& bytes) {
    constexpr std::array<std::uint32_t, 8> kUnusual{0,          1,          127,        65536,
                                                    0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x10001};
    const auto choice = bytes.take<std::uint8_t>();
    return choice < 200 ? choice % 17 : kUnusual[choice % kUnusual.size()];
}

Model takeModel(ByteSource& bytes) {
    Model model = takeValidModel(bytes);
    const std::size_t changes = bytes.below(kMaximumChanges + 1);
    for (std::size_t i = 0; i < changes && !bytes.isEmpty(); ++i) {
        changeModel(model, bytes);
    }
    const bool staysMiscounted = bytes.take<std::uint8_t>() % 16 == 15;
    const auto isIndexGood = [](const Subgraph& graph) {
        return std::ranges::all_of(graph.operations, [&](const Operation& operation) {
            return std::ranges::all_of(operation.inputs, [&](std::uint32_t index) {
                return index < graph.operands.size();
            });
        });
    };
    if (!staysMiscounted && isIndexGood(model.main) &&
        std::ranges::all_of(model.referenced, isIndexGood)) {
        test::recountConsumers(model);
    }
    return model;
}

bool isTooLarge(const Model& model) {
    std::uint64_t total = 0;
    const auto add = [&total](const Subgraph& graph) {
        for (const Operand& operand : graph.operands) {
            total += std::min(operandBytes(operand.type, operand.dimensions).value_or(0),
                              kMaximumModelBytes);
        }
    };
    add(model.main);
    std::ranges::for_each(model.referenced, add);
    return total >= kMaximumModelBytes;
}

}  // namespace nnburst::fuzz
