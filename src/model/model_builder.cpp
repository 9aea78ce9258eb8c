// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/model_builder.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "model/invalid.h"
#include "nnburst/type_queries.h"
#include "nnburst/validation.h"

namespace nnburst {

namespace {

constexpr std::uint64_t kCopyAlignmentBytes = 16;       // of heap memory, where operandValues lie
constexpr std::uint64_t kReferenceAlignmentBytes = 64;  // a cache line

constexpr std::uint64_t roundUp(std::uint64_t value, std::uint64_t multiple) noexcept {
    return (value + multiple - 1) / multiple * multiple;
}

/// Makes the operands that have no value yet inputs and outputs, and counts the readers of each.
void finishInterface(Subgraph& subgraph, std::vector<std::uint32_t> inputs,
                     std::vector<std::uint32_t> outputs) {
    const auto setLifetime = [&](const std::vector<std::uint32_t>& indexes,
                                 OperandLifeTime lifetime) {
        for (const std::uint32_t index : indexes) {
            if (index < subgraph.operands.size() &&
                subgraph.operands[index].lifetime == OperandLifeTime::TEMPORARY_VARIABLE) {
                subgraph.operands[index].lifetime = lifetime;
            }
        }
    };
    setLifetime(inputs, OperandLifeTime::SUBGRAPH_INPUT);
    setLifetime(outputs, OperandLifeTime::SUBGRAPH_OUTPUT);
    subgraph.inputIndexes = std::move(inputs);
    subgraph.outputIndexes = std::move(outputs);
    const std::vector<std::uint32_t> consumers = countConsumers(subgraph);
    for (std::size_t index = 0; index < consumers.size(); ++index) {
        subgraph.operands[index].numberOfConsumers = consumers[index];
    }
}

}  // namespace

std::uint32_t ModelBuilder::addTensor(OperandType type, Dimensions dimensions, float scale,
                                      std::int32_t zeroPoint) {
    const auto index = static_cast<std::uint32_t>(model_.main.operands.size());
    Operand& operand = model_.main.operands.emplace_back();
    operand.type = type;
    operand.dimensions = std::move(dimensions);
    operand.scale = scale;
    operand.zeroPoint = zeroPoint;
    return index;
}

std::uint32_t ModelBuilder::addConstant(OperandType type, Dimensions dimensions,
                                        std::span<const std::byte> bytes, float scale,
                                        std::int32_t zeroPoint, OperandExtraParams extraParams) {
    const std::uint32_t index = addTensor(type, std::move(dimensions), scale, zeroPoint);
    Operand& constant = operand(index);
    constant.extraParams = std::move(extraParams);
    constant.lifetime = bytes.size() < kReferenceThresholdBytes
                            ? OperandLifeTime::CONSTANT_COPY
                            : OperandLifeTime::CONSTANT_REFERENCE;
    constants_.push_back({kMain, index, {bytes.begin(), bytes.end()}});
    return index;
}

std::uint32_t ModelBuilder::addScalar(std::int32_t value) {
    return addConstant(OperandType::INT32, {}, std::as_bytes(std::span(&value, 1)));
}

std::uint32_t ModelBuilder::addScalar(float value) {
    return addConstant(OperandType::FLOAT32, {}, std::as_bytes(std::span(&value, 1)));
}

std::uint32_t ModelBuilder::addScalar(bool value) {
    const std::byte byte{value};
    return addConstant(OperandType::BOOL, {}, std::span(&byte, 1));
}

std::uint32_t ModelBuilder::addOmitted(OperandType type) {
    const std::uint32_t index = addTensor(type, {});
    operand(index).lifetime = OperandLifeTime::NO_VALUE;
    operand(index).scale = isQuantized(type) ? 1.0F : 0.0F;  // must be above 0 all the same
    return index;
}

std::uint32_t ModelBuilder::addSubgraphReference(std::uint32_t referenced) {
    const std::uint32_t index = addTensor(OperandType::SUBGRAPH, {});
    operand(index).lifetime = OperandLifeTime::SUBGRAPH;
    operand(index).location.offset = referenced;
    return index;
}

void ModelBuilder::addExtension(std::string name, std::uint16_t prefix) {
    model_.extensionNameToPrefix.push_back({.name = std::move(name), .prefix = prefix});
}

void ModelBuilder::addOperation(OperationType type, std::vector<std::uint32_t> inputs,
                                std::vector<std::uint32_t> outputs) {
    model_.main.operations.push_back({type, std::move(inputs), std::move(outputs)});
}

std::uint32_t ModelBuilder::addReferenced(ModelBuilder subgraph, std::vector<std::uint32_t> inputs,
                                          std::vector<std::uint32_t> outputs) {
    assert(subgraph.model_.referenced.empty());
    const std::size_t index = model_.referenced.size();
    finishInterface(subgraph.model_.main, std::move(inputs), std::move(outputs));
    model_.referenced.push_back(std::move(subgraph.model_.main));
    for (Constant& constant : subgraph.constants_) {
        constants_.push_back({index, constant.operand, std::move(constant.bytes)});
    }
    return static_cast<std::uint32_t>(index);
}

Operand& ModelBuilder::operand(std::uint32_t index) {
    assert(index < model_.main.operands.size());
    return model_.main.operands[index];
}

Operand& ModelBuilder::owner(const Constant& constant) {
    Subgraph& subgraph =
        constant.subgraph == kMain ? model_.main : model_.referenced[constant.subgraph];
    return subgraph.operands[constant.operand];
}

/// Gives the constants of this lifetime their locations, one after the other. Returns the bytes
/// that they take together.
Result<std::uint64_t> ModelBuilder::layOut(OperandLifeTime lifetime, std::uint64_t alignmentBytes) {
    std::uint64_t end = 0;
    for (const Constant& constant : constants_) {
        if (owner(constant).lifetime != lifetime) {
            continue;
        }
        const std::uint64_t offset = roundUp(end, alignmentBytes);
        end = offset + constant.bytes.size();
        if (end > UINT32_MAX) {
            return invalid("operand {}: offset {} + length {} of its constant: must be at most {}",
                           constant.operand, offset, constant.bytes.size(), UINT32_MAX);
        }
        owner(constant).location = {.offset = static_cast<std::uint32_t>(offset),
                                    .length = static_cast<std::uint32_t>(constant.bytes.size())};
    }
    return end;
}

void ModelBuilder::copyConstants(OperandLifeTime lifetime, std::span<std::byte> destination) {
    for (const Constant& constant : constants_) {
        if (owner(constant).lifetime == lifetime) {
            std::ranges::copy(constant.bytes,
                              destination.begin() + owner(constant).location.offset);
        }
    }
}

Result<> ModelBuilder::placeConstants() {
    NNBURST_TRY_ASSIGN(const std::uint64_t copiedBytes,
                       layOut(OperandLifeTime::CONSTANT_COPY, kCopyAlignmentBytes));
    model_.operandValues.resize(copiedBytes);
    copyConstants(OperandLifeTime::CONSTANT_COPY,
                  std::as_writable_bytes(std::span(model_.operandValues)));

    NNBURST_TRY_ASSIGN(const std::uint64_t referencedBytes,
                       layOut(OperandLifeTime::CONSTANT_REFERENCE, kReferenceAlignmentBytes));
    if (referencedBytes != 0) {
        NNBURST_TRY_ASSIGN(SharedRegion region, Region::create(referencedBytes));
        NNBURST_TRY_ASSIGN(const Mapping mapping, Mapping::map(region));
        copyConstants(OperandLifeTime::CONSTANT_REFERENCE, mapping.bytes());
        model_.pools.push_back(std::move(region));
    }
    return {};
}

Result<Model> ModelBuilder::build(std::vector<std::uint32_t> inputs,
                                  std::vector<std::uint32_t> outputs) {
    ModelBuilder finished = std::exchange(*this, ModelBuilder());
    NNBURST_TRY(finished.placeConstants());
    finishInterface(finished.model_.main, std::move(inputs), std::move(outputs));
    NNBURST_TRY(validateModel(finished.model_));
    return std::move(finished.model_);
}

}  // namespace nnburst
