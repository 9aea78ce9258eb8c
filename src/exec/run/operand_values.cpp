// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/operand_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "exec/plan/arena.h"
#include "log/assert.h"
#include "memory/interruptible.h"

namespace nnburst::exec {

OperandValues::OperandValues(const Graph& graph)
    : graph_(graph), shapes_(graph), values_(graph.subgraph.operands.size()) {
    const std::vector<std::uint32_t>& outputs = graph.subgraph.outputIndexes;
    for (std::uint32_t output = 0; output < outputs.size(); ++output) {
        values_[outputs[output]].output = output;
    }
}

Result<> OperandValues::begin(std::span<const GraphInput> inputs, GraphOutputs& outputs,
                              TimeLimit& timeLimit, Account* account) {
    NNBURST_ASSERT(inputs.size() == graph_.subgraph.inputIndexes.size(),
                   "{} inputs; the graph has {}", inputs.size(),
                   graph_.subgraph.inputIndexes.size());
    outputs_ = &outputs;
    timeLimit_ = &timeLimit;
    account_ = account;
    for (std::size_t input = 0; input < inputs.size(); ++input) {
        const GraphInput& given = inputs[input];
        const std::uint32_t operand = graph_.subgraph.inputIndexes[input];
        NNBURST_TRY(shapes_.setInputShape(input, given.shape, given.isOmitted));
        Value& value = values_[operand];
        value.data = given.data;
        if (value.isPrivate && !given.isOmitted) {
            NNBURST_TRY(reserve(operand, sizeBytes(operand)));
            write(operand, given.data);
            if (timeLimit.isOver()) {
                return {};
            }
        }
        shapes_.setValue(operand, value.data);
    }
    return {};
}

std::byte* OperandValues::data(std::uint32_t operand) const noexcept {
    std::byte* const constant = graph_.constants.data(operand);
    return constant != nullptr ? constant : values_[operand].data;
}

std::uint64_t OperandValues::sizeBytes(std::uint32_t operand) const {
    return exec::sizeBytes(shapes_.operand(operand));
}

Result<std::byte*> OperandValues::reserveTemporary(ChargedBuffer& buffer, std::uint64_t sizeBytes) {
    NNBURST_ASSERT(buffer.capacityBytes() <= ownBytes_, "a temporary has {} bytes of {}",
                   buffer.capacityBytes(), ownBytes_);
    const std::uint64_t others = ownBytes_ - buffer.capacityBytes();
    const std::uint64_t most = kMaximumArenaBytes - std::min(others, kMaximumArenaBytes);
    if (sizeBytes > most) {
        return failure(
            ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT,
            fmt::format("temporary operands need more than {} bytes", kMaximumArenaBytes));
    }
    auto reserved = buffer.reserve(sizeBytes, account_, most);
    ownBytes_ = others + buffer.capacityBytes();
    return reserved;
}

Result<> OperandValues::reserve(std::uint32_t operand, std::uint64_t sizeBytes) {
    Value& value = values_[operand];
    NNBURST_TRY_ASSIGN(value.data, reserveTemporary(value.own, sizeBytes));
    shapes_.setValue(operand, value.data);
    return {};
}

Result<bool> OperandValues::placeInOutput(std::uint32_t operand) {
    Value& value = values_[operand];
    if (value.output == kNoOutput || value.isPrivate) {
        return false;
    }
    NNBURST_TRY_ASSIGN(std::byte* const data,
                       outputs_->place(value.output, shapes_.shape(operand), sizeBytes(operand)));
    if (data == nullptr) {
        return false;
    }
    value.data = data;
    shapes_.setValue(operand, data);
    return true;
}

Result<> OperandValues::place(std::uint32_t operand) {
    NNBURST_TRY_ASSIGN(const bool isPlaced, placeInOutput(operand));
    return isPlaced ? Result<>() : reserve(operand, sizeBytes(operand));
}

Result<bool> OperandValues::placeIfNeeded(std::uint32_t operand) {
    NNBURST_TRY_ASSIGN(const bool isPlaced, placeInOutput(operand));
    if (isPlaced) {
        return true;
    }
    const Value& value = values_[operand];
    const bool isRead = graph_.subgraph.operands[operand].numberOfConsumers != 0;
    if (value.output != kNoOutput && outputs_->wants(value.output) && !isRead) {
        return false;
    }
    NNBURST_TRY(reserve(operand, sizeBytes(operand)));
    return true;
}

void OperandValues::write(std::uint32_t operand, const std::byte* value) const {
    copy(operand, value, data(operand));
}

void OperandValues::copy(std::uint32_t operand, const std::byte* from, std::byte* to) const {
    (void)copyBytes(to, from, sizeBytes(operand),
                    [this](std::size_t work) { return timeLimit_->isOverAfter(work); });
}

Result<> OperandValues::publish(std::uint32_t operand) {
    const Value& value = values_[operand];
    if (value.output == kNoOutput) {
        return {};
    }
    NNBURST_TRY_ASSIGN(std::byte * data,
                       outputs_->place(value.output, shapes_.shape(operand), sizeBytes(operand)));
    if (data != nullptr) {
        copy(operand, value.data, data);
    }
    return {};
}

void OperandValues::releaseScratch() const noexcept {
    for (const Value& value : values_) {
        value.own.release();
    }
}

}  // namespace nnburst::exec
