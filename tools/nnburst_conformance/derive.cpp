// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_conformance/derive.h"

#include <algorithm>
#include <span>

#include "nnburst/memory.h"

namespace nnburst::conformance {

namespace {

bool isUnsigned(const Operand& operand) noexcept {
    return operand.type == OperandType::TENSOR_QUANT8_ASYMM;
}

template <class Byte>
void flipSigns(std::span<Byte> elements) noexcept {
    for (Byte& element : elements) {
        element ^= Byte{0x80};
    }
}

bool isExcepted(OperationType type) noexcept {
    switch (type) {
        case OperationType::HASHTABLE_LOOKUP:
        case OperationType::LSH_PROJECTION:
        case OperationType::PAD_V2:
        case OperationType::CAST:
        case OperationType::QUANTIZED_16BIT_LSTM:
            return true;
        default:
            return false;
    }
}

/// Copies the model's pools, because constants in them are changed.
Result<std::vector<SharedRegion>> copyPools(const std::vector<SharedRegion>& pools) {
    std::vector<SharedRegion> copies;
    for (const SharedRegion& pool : pools) {
        NNBURST_TRY_ASSIGN(const SharedRegion copy, Region::create(pool->sizeBytes()));
        NNBURST_TRY_ASSIGN(const Mapping from, Mapping::map(pool));
        NNBURST_TRY_ASSIGN(const Mapping to, Mapping::map(copy));
        std::ranges::copy(from.bytes(), to.bytes().begin());
        copies.push_back(copy);
    }
    return copies;
}

/// Makes the operands of one of the model's subgraphs, and the values of its constants, signed.
Result<> makeSigned(Model& model, Subgraph& subgraph) {
    for (Operand& operand : subgraph.operands) {
        if (!isUnsigned(operand)) {
            continue;
        }
        const DataLocation& location = operand.location;
        if (operand.lifetime == OperandLifeTime::CONSTANT_COPY) {
            flipSigns(std::span(model.operandValues).subspan(location.offset, location.length));
        } else if (operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE) {
            NNBURST_TRY_ASSIGN(const Mapping mapping,
                               Mapping::map(model.pools[location.poolIndex]));
            flipSigns(mapping.bytes().subspan(location.offset, location.length));
        }
        operand.type = OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
        operand.zeroPoint -= 128;
    }
    return {};
}

}  // namespace

std::optional<VectorExample> withOpenOutputs(const VectorExample& example) {
    const auto isFixed = [](const Operation& operation) {
        return operation.type == OperationType::RANK || operation.type == OperationType::IF ||
               operation.type == OperationType::WHILE;
    };
    const std::vector<Operation>& operations = example.model.main.operations;
    if (std::any_of(operations.begin(), operations.end(), isFixed)) {
        return std::nullopt;
    }
    VectorExample derived = example;
    for (const std::uint32_t index : derived.model.main.outputIndexes) {
        Dimensions& dimensions = derived.model.main.operands[index].dimensions;
        std::fill(dimensions.begin(), dimensions.end(), 0);
    }
    return derived;
}

Result<std::optional<VectorExample>> withSignedOperands(const VectorExample& example) {
    const Subgraph& main = example.model.main;
    if (main.operations.size() != 1 || isExcepted(main.operations[0].type) ||
        std::none_of(main.operands.begin(), main.operands.end(), isUnsigned)) {
        return std::optional<VectorExample>();
    }
    VectorExample derived = example;
    Model& model = derived.model;
    NNBURST_TRY_ASSIGN(model.pools, copyPools(example.model.pools));
    for (std::size_t i = 0; i < derived.inputs.size(); ++i) {
        if (isUnsigned(model.main.operands[model.main.inputIndexes[i]])) {
            flipSigns(std::span(derived.inputs[i]));
        }
    }
    for (VectorOutput& output : derived.outputs) {
        if (output.type == OperandType::TENSOR_QUANT8_ASYMM) {
            flipSigns(std::span(output.expected));
            output.type = OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
        }
    }
    NNBURST_TRY(makeSigned(model, model.main));
    for (Subgraph& subgraph : model.referenced) {
        NNBURST_TRY(makeSigned(model, subgraph));
    }
    return std::optional(std::move(derived));
}

}  // namespace nnburst::conformance
