// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/graph/constants.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "log/assert.h"
#include "memory/checked_math.h"
#include "model/invalid.h"
#include "model/operand_info.h"

namespace nnburst::exec {

namespace {

/// Values of these types are multiplied and added, never used as an index or a size.
bool isWeightType(OperandType type) noexcept {
    switch (type) {
        case OperandType::TENSOR_FLOAT32:
        case OperandType::TENSOR_FLOAT16:
        case OperandType::TENSOR_QUANT8_ASYMM:
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
        case OperandType::TENSOR_QUANT8_SYMM:
        case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
            return true;
        default:
            return false;
    }
}

bool isConstant(const Operand& operand) noexcept {
    return operand.lifetime == OperandLifeTime::CONSTANT_COPY ||
           operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE;
}

/// Whether `load` copies the value of `operand`, a constant of the valid `model`.
bool isCopiedAtOnce(const Model& model, const Operand& operand) {
    const DataLocation& location = operand.location;
    if (operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE &&
        model.pools[location.poolIndex]->isForeign()) {
        return true;
    }
    // Mappings and operand values start at a multiple of the size of every element.
    const std::size_t element = elementBytes(operand.type);
    const bool isAligned = element != 0 && location.offset % element == 0;
    return !isWeightType(operand.type) || location.length <= Constants::kSmallTensorBytes ||
           !isAligned;
}

tl::unexpected<Error> tooManyCopies() {
    return failure(ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT,
                   fmt::format("the model's constants need more than {} bytes of copies",
                               Constants::kMaximumCopiedBytes));
}

}  // namespace

Result<std::uint64_t> Constants::bytesToCopy(const Model& model) {
    std::uint64_t bytes = 0;
    const auto add = [&](const Subgraph& subgraph) {
        for (const Operand& operand : subgraph.operands) {
            bytes +=
                isConstant(operand) && isCopiedAtOnce(model, operand) ? operand.location.length : 0;
        }
    };
    add(model.main);
    std::for_each(model.referenced.begin(), model.referenced.end(), add);
    if (bytes > kMaximumCopiedBytes) {
        return tooManyCopies();
    }
    return bytes;
}

Result<Constants> Constants::load(const Model& model, const Subgraph& subgraph,
                                  std::span<const std::uint32_t> dropped) {
    Constants constants;
    constants.values_.resize(subgraph.operands.size());
    constants.mappings_.resize(model.pools.size());
    for (const std::uint32_t operand : dropped) {
        NNBURST_ASSERT(operand < constants.values_.size(), "operand {} of {}", operand,
                       constants.values_.size());
        constants.values_[operand].isDropped = true;
    }
    for (std::uint32_t index = 0; index < subgraph.operands.size(); ++index) {
        const Operand& operand = subgraph.operands[index];
        constants.valueBytes_ += isConstant(operand) ? operand.location.length : 0;
        if (constants.values_[index].isDropped) {
            continue;
        }
        const DataLocation& location = operand.location;
        std::byte* source = nullptr;
        std::uint64_t sourceBytes = 0;
        if (operand.lifetime == OperandLifeTime::CONSTANT_COPY) {
            // Never written to: OperandView has no type for constants.
            source =
                reinterpret_cast<std::byte*>(const_cast<std::uint8_t*>(model.operandValues.data()));
            sourceBytes = model.operandValues.size();
        } else if (operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE) {
            NNBURST_ASSERT(location.poolIndex < model.pools.size(),
                           "operand {} of a valid model lies in pool {} of {}", index,
                           location.poolIndex, model.pools.size());
            const Region& pool = *model.pools[location.poolIndex];
            if (pool.isForeign()) {
                NNBURST_TRY(constants.copy(index, pool, location));
                continue;
            }
            Mapping& mapping = constants.mappings_[location.poolIndex];
            if (mapping.data() == nullptr) {
                NNBURST_TRY_ASSIGN(mapping, Mapping::map(model.pools[location.poolIndex],
                                                         MappingAccess::READ_ONLY));
            }
            source = mapping.data();
            sourceBytes = mapping.sizeBytes();
        } else {
            continue;
        }
        if (!fitsInside(location.offset, location.length, sourceBytes)) {
            return invalid("operand {}: offset {} + length {} exceeds the {} bytes that hold it",
                           index, location.offset, location.length, sourceBytes);
        }
        Value& value = constants.values_[index];
        value.data = source + location.offset;
        value.sizeBytes = location.length;
        if (isCopiedAtOnce(model, operand)) {
            NNBURST_TRY(constants.keep(index));
        }
    }
    return constants;
}

Result<> Constants::keep(std::uint32_t operand) {
    NNBURST_ASSERT(operand < values_.size(), "operand {} of {}", operand, values_.size());
    Value& value = values_[operand];
    if (value.isDropped) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("the value of constant operand {} is needed again, but was "
                                   "dropped when it had been packed",
                                   operand));
    }
    if (value.data == nullptr || value.isCopied) {
        return {};
    }
    NNBURST_TRY(countCopy(value.sizeBytes));
    NNBURST_TRY_ASSIGN(AlignedBuffer copy, AlignedBuffer::allocate(value.sizeBytes));
    std::memcpy(copy.data(), value.data, value.sizeBytes);
    value.data = copy.data();
    value.isCopied = true;
    copies_.push_back(std::move(copy));
    return {};
}

Result<> Constants::copy(std::uint32_t operand, const Region& pool, const DataLocation& location) {
    NNBURST_TRY_ASSIGN(AlignedBuffer value, AlignedBuffer::allocate(location.length));
    NNBURST_TRY(pool.read(location.offset, {value.data(), location.length}));
    return adopt(operand, std::move(value), location.length);
}

Result<> Constants::adopt(std::uint32_t operand, AlignedBuffer value, std::uint64_t sizeBytes) {
    NNBURST_ASSERT(operand < values_.size(), "operand {} of {}", operand, values_.size());
    NNBURST_ASSERT(sizeBytes <= std::numeric_limits<std::uint32_t>::max(),
                   "operand {} has {} bytes", operand, sizeBytes);
    NNBURST_TRY(countCopy(sizeBytes));
    values_[operand] = {
        .data = value.data(), .sizeBytes = static_cast<std::uint32_t>(sizeBytes), .isCopied = true};
    copies_.push_back(std::move(value));
    return {};
}

bool Constants::hasRoomForResults(std::uint64_t sizeBytes) const noexcept {
    constexpr std::uint64_t kOfAnyModel = std::uint64_t{16} << 20;
    constexpr std::uint64_t kForEachByte = 12;  // of bytes that are dequantized and then transposed
    return resultBytes_ + sizeBytes <= kOfAnyModel + kForEachByte * valueBytes_;
}

Result<> Constants::adoptResult(std::uint32_t operand, AlignedBuffer value,
                                std::uint64_t sizeBytes) {
    resultBytes_ += sizeBytes;
    return adopt(operand, std::move(value), sizeBytes);
}

Result<std::uint32_t> Constants::add(AlignedBuffer value, std::uint64_t sizeBytes) {
    const auto operand = static_cast<std::uint32_t>(values_.size());
    values_.emplace_back();
    NNBURST_TRY(adopt(operand, std::move(value), sizeBytes));
    return operand;
}

Result<> Constants::countCopy(std::uint64_t sizeBytes) {
    copiedBytes_ += sizeBytes;
    if (copiedBytes_ > kMaximumCopiedBytes) {
        return tooManyCopies();
    }
    return {};
}

Result<> Constants::keepAll() {
    for (std::uint32_t operand = 0; operand < values_.size(); ++operand) {
        NNBURST_TRY(keep(operand));
    }
    return {};
}

void Constants::dropSources() {
    for (Value& value : values_) {
        if (value.data != nullptr && !value.isCopied) {
            value.data = nullptr;
            value.isDropped = true;
        }
    }
    mappings_.clear();
    mappings_.shrink_to_fit();
}

}  // namespace nnburst::exec
