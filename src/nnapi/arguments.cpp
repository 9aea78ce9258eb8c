// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnapi/arguments.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include "nnapi/operand_type.h"
#include "nnapi/staged_values.h"

namespace nnburst::nnapi {

namespace {

const char* nameOf(bool isOutput) {
    return isOutput ? "output" : "input";
}

}  // namespace

Arguments::Arguments(const Compilation& compilation)
    : compilation_(compilation),
      inputs_(compilation.model().main.inputIndexes.size()),
      outputs_(compilation.model().main.outputIndexes.size()) {}

const Operand& Arguments::operand(bool isOutput, std::size_t index) const {
    const Subgraph& main = compilation_.model().main;
    return main.operands[isOutput ? main.outputIndexes[index] : main.inputIndexes[index]];
}

Status Arguments::checkIndex(bool isOutput, std::int32_t index) const {
    const std::size_t count = isOutput ? outputs_.size() : inputs_.size();
    if (index < 0 || static_cast<std::size_t>(index) >= count) {
        return badData("{} {}: must be one of {}", nameOf(isOutput), index, count);
    }
    return {};
}

Status Arguments::checkUnset(const Argument& argument) const {
    if (argument.kind != Kind::UNSET) {
        return badState("the argument is set already");
    }
    return {};
}

Status Arguments::setPadded(bool isPadded) {
    if (isAnySet_) {
        return badState("an input or output is set already");
    }
    isPadded_ = isPadded;
    return {};
}

Status Arguments::setTypeAndLength(const Operand& operand, const ANeuralNetworksOperandType* type,
                                   std::uint64_t length, Argument& argument) const {
    argument.type = operand.type;
    argument.hasType = type != nullptr;
    argument.dimensions = type == nullptr ? operand.dimensions : dimensionsOf(*type);
    const std::uint64_t needed = valueBytes(operand.type, argument.dimensions).value_or(0);
    if (needed != 0 && (isPadded_ ? length < needed : length != needed)) {
        return badData("length {}: must be {}{}", length, isPadded_ ? "at least " : "", needed);
    }
    argument.length = static_cast<std::uint32_t>(needed == 0 ? length : needed);
    return {};
}

Status Arguments::setPointer(bool isOutput, std::int32_t index,
                             const ANeuralNetworksOperandType* type, void* buffer,
                             std::size_t length) {
    NNBURST_NNAPI_TRY(checkIndex(isOutput, index));
    const auto position = static_cast<std::size_t>(index);
    const Operand& operand = this->operand(isOutput, position);
    // An output may have dimensions that only the execution finds.
    const bool mustBeKnown = !isOutput && buffer != nullptr;
    NNBURST_NNAPI_TRY(checkArgumentType(operand, type, mustBeKnown));
    if (length > kMaximumLength) {
        return badData("length {}: must be at most {}", length, kMaximumLength);
    }
    Argument& argument = isOutput ? outputs_[position] : inputs_[position];
    NNBURST_NNAPI_TRY(checkUnset(argument));
    if ((buffer == nullptr) != (length == 0)) {
        return badData("length {}: must be 0 for a null pointer alone", length);
    }
    Argument set;
    if (buffer == nullptr) {
        set.kind = Kind::OMITTED;
    } else {
        NNBURST_NNAPI_TRY(setTypeAndLength(operand, type, length, set));
        set.kind = Kind::POINTER;
        set.pointer = buffer;
    }
    argument = std::move(set);
    isAnySet_ = true;
    return {};
}

Status Arguments::setMemory(bool isOutput, std::int32_t index,
                            const ANeuralNetworksOperandType* type,
                            const std::shared_ptr<Memory>& memory, std::size_t offset,
                            std::size_t length) {
    NNBURST_NNAPI_TRY(checkIndex(isOutput, index));
    const auto position = static_cast<std::size_t>(index);
    const Operand& operand = this->operand(isOutput, position);
    NNBURST_NNAPI_TRY(checkArgumentType(operand, type, !isOutput));
    const MemoryRole role{compilation_.id(), isOutput, static_cast<std::uint32_t>(index)};
    NNBURST_NNAPI_TRY(memory->checkArgument(role, type, offset, length));
    Argument& argument = isOutput ? outputs_[position] : inputs_[position];
    NNBURST_NNAPI_TRY(checkUnset(argument));
    Argument set;
    const std::uint64_t bytes = memory->hasRoles() ? memory->sizeBytes() : length;
    NNBURST_NNAPI_TRY(setTypeAndLength(operand, type, bytes, set));
    set.kind = Kind::MEMORY;
    set.memory = memory;
    set.offset = static_cast<std::uint32_t>(memory->offset() + offset);
    argument = std::move(set);
    isAnySet_ = true;
    return {};
}

Status Arguments::checkComplete() const {
    const auto isUnset = [](const Argument& argument) { return argument.kind == Kind::UNSET; };
    for (const bool isOutput : {false, true}) {
        const std::vector<Argument>& arguments = isOutput ? outputs_ : inputs_;
        const auto unset = std::find_if(arguments.begin(), arguments.end(), isUnset);
        if (unset != arguments.end()) {
            return badData("{} {} is not set", nameOf(isOutput), unset - arguments.begin());
        }
    }
    return {};
}

Status Arguments::checkContents() const {
    for (const Argument& input : inputs_) {
        if (input.kind == Kind::MEMORY) {
            NNBURST_NNAPI_TRY(input.memory->checkContents(input.dimensions));
        }
    }
    return {};
}

Status Arguments::checkOutputDimensions() const {
    for (std::size_t index = 0; index < outputs_.size(); ++index) {
        const Argument& output = outputs_[index];
        const bool hasValue = output.kind == Kind::POINTER || output.kind == Kind::MEMORY;
        if (hasValue && !areDimensionsKnown(output.type, output.dimensions)) {
            return badData("output {}: its dimensions must be known", index);
        }
    }
    return {};
}

std::uint32_t Arguments::poolOf(const SharedRegion& region) {
    const RequestPool pool = region;
    const auto found = std::find(request_.pools.begin(), request_.pools.end(), pool);
    const auto index = static_cast<std::uint32_t>(found - request_.pools.begin());
    if (found == request_.pools.end()) {
        request_.pools.push_back(pool);
    }
    return index;
}

Status Arguments::createStaging() {
    std::uint64_t size = 0;
    for (const std::vector<Argument>* arguments : {&inputs_, &outputs_}) {
        for (const Argument& argument : *arguments) {
            if (argument.kind == Kind::POINTER) {
                size = placeAfter(size) + argument.length;
            }
        }
    }
    if (size == 0) {
        return {};
    }
    if (size > kMaximumLength) {
        return refused(ANEURALNETWORKS_OUT_OF_MEMORY,
                       "inputs and outputs of {} bytes together: must be at most {}", size,
                       kMaximumLength);
    }
    auto mapping = compilation_.stagingMemory().take(size);
    if (!mapping) {
        return refused(ANEURALNETWORKS_OUT_OF_MEMORY, "{}", mapping.error().message);
    }
    staging_ = *std::move(mapping);
    return {};
}

RequestArgument Arguments::place(bool isOutput, std::size_t index, std::uint64_t& staged) {
    const Argument& argument = isOutput ? outputs_[index] : inputs_[index];
    if (argument.kind == Kind::OMITTED) {
        return {.hasNoValue = true};
    }
    DataLocation location{0, argument.offset, argument.length};
    if (argument.kind == Kind::MEMORY) {
        location.poolIndex = poolOf(argument.memory->region());
    } else {
        staged = placeAfter(staged);
        location.poolIndex = poolOf(staging_.region());
        location.offset = static_cast<std::uint32_t>(staged);
        (isOutput ? stagedOutputs_ : stagedInputs_).push_back({index, staging_.data() + staged});
        staged += argument.length;
    }
    return {.location = location,
            .dimensions = argument.hasType ? argument.dimensions : Dimensions()};
}

Status Arguments::makeRequest() {
    request_ = Request();  // an attempt for which the memory was too short may have left parts
    stagedInputs_.clear();
    stagedOutputs_.clear();
    NNBURST_NNAPI_TRY(createStaging());
    std::uint64_t staged = 0;
    for (std::size_t index = 0; index < inputs_.size(); ++index) {
        request_.inputs.push_back(place(false, index, staged));
    }
    for (std::size_t index = 0; index < outputs_.size(); ++index) {
        request_.outputs.push_back(place(true, index, staged));
    }
    hasRequest_ = true;
    return {};
}

void Arguments::stageInputs() noexcept {
    for (const Staged& staged : stagedInputs_) {
        const Argument& input = inputs_[staged.argument];
        std::memcpy(staged.staging, input.pointer, input.length);
    }
}

Status Arguments::checkGivenDimensions(std::size_t index, const Dimensions& given) const {
    const Dimensions& known = outputDimensions(index);
    const OperandType type = operand(true, index).type;
    if (!isTensorType(type) && !given.empty()) {
        return refused(ANEURALNETWORKS_OP_FAILED,
                       "output {}: the device gives {} dimensions: a scalar has none", index,
                       given.size());
    }
    if (!known.empty() && given.size() != known.size()) {
        return refused(ANEURALNETWORKS_OP_FAILED,
                       "output {}: the device gives {} dimensions: must be {}", index, given.size(),
                       known.size());
    }
    for (std::size_t axis = 0; axis < known.size(); ++axis) {
        if (known[axis] != 0 && given[axis] != known[axis]) {
            return refused(ANEURALNETWORKS_OP_FAILED,
                           "output {}: the device gives dimension {} of axis {}: must be {}", index,
                           given[axis], axis, known[axis]);
        }
    }
    if (Status status = checkValueSize(type, given); !status.isOk()) {
        return refused(ANEURALNETWORKS_OP_FAILED, "output {}: the device gives {}", index,
                       status.message);
    }
    return {};
}

Status Arguments::checkCompleteValue(std::size_t index, const OutputShape& shape) const {
    const Argument& output = outputs_[index];
    if (output.kind == Kind::OMITTED) {
        return {};
    }
    const bool hasRank = !isTensorType(output.type) || !shape.dimensions.empty();
    const std::uint64_t bytes = valueBytes(output.type, shape.dimensions).value_or(0);
    if (!hasRank || !shape.isSufficient || bytes > output.length) {
        return refused(ANEURALNETWORKS_OP_FAILED,
                       "output {}: the device gives a value that is incomplete, or has more than "
                       "the {} bytes of its memory",
                       index, output.length);
    }
    return {};
}

Status Arguments::checkShapes(std::span<const OutputShape> shapes, bool hasSucceeded) const {
    if (!shapes.empty() && shapes.size() != outputs_.size()) {
        return refused(ANEURALNETWORKS_OP_FAILED,
                       "the device gives the shapes of {} outputs: must be {}", shapes.size(),
                       outputs_.size());
    }
    for (std::size_t index = 0; index < shapes.size(); ++index) {
        Status status = checkGivenDimensions(index, shapes[index].dimensions);
        if (status.isOk() && hasSucceeded) {
            status = checkCompleteValue(index, shapes[index]);
        }
        if (!status.isOk()) {
            return status;
        }
    }
    return {};
}

Status Arguments::takeOutputs(std::span<const OutputShape> shapes) {
    for (const Staged& staged : stagedOutputs_) {
        const Argument& output = outputs_[staged.argument];
        std::uint64_t length = output.length;
        if (staged.argument < shapes.size()) {
            const auto bytes = valueBytes(output.type, shapes[staged.argument].dimensions);
            length = std::min(length, bytes.value_or(length));
        }
        std::memcpy(output.pointer, staged.staging, length);
    }
    for (std::size_t index = 0; index < outputs_.size(); ++index) {
        Argument& output = outputs_[index];
        if (output.kind != Kind::MEMORY) {
            continue;
        }
        const bool hasShape = index < shapes.size();
        if (!output.memory->setContents(hasShape ? shapes[index].dimensions : output.dimensions)) {
            return refused(ANEURALNETWORKS_OP_FAILED,
                           "output {}: the memory has other dimensions than the value", index);
        }
    }
    return {};
}

void Arguments::expectOutputs() {
    for (const Argument& output : outputs_) {
        if (output.kind == Kind::MEMORY && output.memory->hasRoles()) {
            output.memory->expectContents();
        }
    }
    areOutputsExpected_ = true;
}

void Arguments::endExpectation() noexcept {
    if (!std::exchange(areOutputsExpected_, false)) {
        return;
    }
    for (const Argument& output : outputs_) {
        if (output.kind == Kind::MEMORY && output.memory->hasRoles()) {
            output.memory->endExpectation();
        }
    }
}

void Arguments::clearOutputs() {
    for (const Argument& output : outputs_) {
        if (output.kind == Kind::MEMORY && output.memory->hasRoles()) {
            output.memory->clearContents();
        }
    }
}

}  // namespace nnburst::nnapi
