// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnapi/memory_description.h"

#include <utility>

#include "nnapi/operand_type.h"

namespace nnburst::nnapi {

Status MemoryDescription::checkOperand(const Operand& operand) const {
    if (!roles_.roles.empty() &&
        (operand.type != roles_.operand.type || operand.scale != roles_.operand.scale ||
         operand.zeroPoint != roles_.operand.zeroPoint ||
         operand.extraParams != roles_.operand.extraParams)) {
        return badData("another operand type than that of an earlier use");
    }
    if (!isTensorType(operand.type) && !roles_.dimensions.empty()) {
        return badData("a scalar: the description has dimensions");
    }
    return {};
}

Status MemoryDescription::addRole(const Compilation& compilation, bool isOutput,
                                  std::uint32_t index, float frequency) {
    if (isFinished_) {
        return badState("the description is finished");
    }
    if (!compilation.isValid()) {
        return badData("the compilation is not finished, or failed");
    }
    const Subgraph& main = compilation.model().main;
    const auto& indexes = isOutput ? main.outputIndexes : main.inputIndexes;
    if (index >= indexes.size()) {
        return badData("{} {}: must be one of {}", isOutput ? "output" : "input", index,
                       indexes.size());
    }
    const MemoryRole role{compilation.id(), isOutput, index};
    if (roles_.roles.count(role) != 0) {
        return badData("{} {}: must be named once", isOutput ? "output" : "input", index);
    }
    const Operand& operand = main.operands[indexes[index]];
    NNBURST_NNAPI_TRY(checkOperand(operand));
    auto combined = combineDimensions(roles_.dimensions, operand.dimensions);
    if (!combined) {
        return badData("{} {}: its dimensions contradict those of the description",
                       isOutput ? "output" : "input", index);
    }
    NNBURST_NNAPI_TRY(checkValueSize(operand.type, *combined));
    if (!(frequency > 0.0F) || frequency > 1.0F) {
        return badData("frequency {}: must be greater than 0 and at most 1", frequency);
    }
    roles_.roles.insert(role);
    roles_.operand = operand;
    roles_.dimensions = *std::move(combined);
    return {};
}

Status MemoryDescription::setDimensions(const Dimensions& dimensions) {
    if (isFinished_) {
        return badState("the description is finished");
    }
    if (!roles_.roles.empty() && !isTensorType(roles_.operand.type) && !dimensions.empty()) {
        return badData("{} dimensions: a scalar has none", dimensions.size());
    }
    auto combined = combineDimensions(roles_.dimensions, dimensions);
    if (!combined) {
        return badData("the dimensions contradict those of the description");
    }
    if (!roles_.roles.empty()) {
        NNBURST_NNAPI_TRY(checkValueSize(roles_.operand.type, *combined));
    }
    roles_.dimensions = *std::move(combined);
    return {};
}

Status MemoryDescription::finish() {
    if (isFinished_) {
        return badState("the description is finished");
    }
    if (roles_.roles.empty()) {
        return badData("the description names no use: must name at least one");
    }
    isFinished_ = true;
    return {};
}

Status MemoryDescription::allocate(std::shared_ptr<Memory>& memory) const {
    if (!isFinished_) {
        return badState("the description is not finished");
    }
    return Memory::forRoles(roles_, memory);
}

}  // namespace nnburst::nnapi

using nnburst::nnapi::answer;
using nnburst::nnapi::refuseNull;
using nnburst::nnapi::Status;

int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc** desc) {
    if (desc == nullptr) {
        return refuseNull(__func__);
    }
    *desc = nullptr;
    return answer(__func__, [&]() -> Status {
        *desc = new ANeuralNetworksMemoryDesc;
        return {};
    });
}

void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc* desc) {
    delete desc;
}

int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc* desc,
                                           const ANeuralNetworksCompilation* compilation,
                                           uint32_t index, float frequency) {
    if (desc == nullptr || compilation == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] {
        return desc->description.addRole(*compilation->compilation, false, index, frequency);
    });
}

int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc* desc,
                                            const ANeuralNetworksCompilation* compilation,
                                            uint32_t index, float frequency) {
    if (desc == nullptr || compilation == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] {
        return desc->description.addRole(*compilation->compilation, true, index, frequency);
    });
}

int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc* desc, uint32_t rank,
                                            const uint32_t* dimensions) {
    if (desc == nullptr || (dimensions == nullptr && rank > 0)) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] {
        return desc->description.setDimensions({dimensions, dimensions + rank});
    });
}

int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc* desc) {
    if (desc == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] { return desc->description.finish(); });
}

int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc* desc,
                                         ANeuralNetworksMemory** memory) {
    if (memory != nullptr) {
        *memory = nullptr;
    }
    if (desc == nullptr || memory == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&]() -> Status {
        auto created = std::make_unique<ANeuralNetworksMemory>();
        Status status = desc->description.allocate(created->memory);
        if (status.isOk()) {
            *memory = created.release();
        }
        return status;
    });
}
