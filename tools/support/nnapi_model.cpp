// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/nnapi_model.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>

namespace nnburst::tools {
namespace {

ErrorStatus statusOf(int code) noexcept {
    switch (code) {
        case ANEURALNETWORKS_BAD_DATA:
        case ANEURALNETWORKS_UNEXPECTED_NULL:
            return ErrorStatus::INVALID_ARGUMENT;
        case ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE:
            return ErrorStatus::OUTPUT_INSUFFICIENT_SIZE;
        case ANEURALNETWORKS_UNAVAILABLE_DEVICE:
        case ANEURALNETWORKS_DEAD_OBJECT:
            return ErrorStatus::DEVICE_UNAVAILABLE;
        case ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT:
            return ErrorStatus::MISSED_DEADLINE_TRANSIENT;
        case ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT:
            return ErrorStatus::MISSED_DEADLINE_PERSISTENT;
        case ANEURALNETWORKS_OUT_OF_MEMORY:
        case ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT:
            return ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT;
        case ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT:
            return ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT;
        default:
            return ErrorStatus::GENERAL_FAILURE;
    }
}

const char* nameOf(int code) noexcept {
    static constexpr const char* kNames[] = {
        "NO_ERROR",
        "OUT_OF_MEMORY",
        "INCOMPLETE",
        "UNEXPECTED_NULL",
        "BAD_DATA",
        "OP_FAILED",
        "BAD_STATE",
        "UNMAPPABLE",
        "OUTPUT_INSUFFICIENT_SIZE",
        "UNAVAILABLE_DEVICE",
        "MISSED_DEADLINE_TRANSIENT",
        "MISSED_DEADLINE_PERSISTENT",
        "RESOURCE_EXHAUSTED_TRANSIENT",
        "RESOURCE_EXHAUSTED_PERSISTENT",
        "DEAD_OBJECT",
    };
    return code >= 0 && code < std::ssize(kNames) ? kNames[code] : "an unknown result code";
}

}  // namespace

Result<> nnapiResult(int code, const char* what) {
    if (code == ANEURALNETWORKS_NO_ERROR) {
        return {};
    }
    return failure(statusOf(code), fmt::format("{} returned {} ({})", what, nameOf(code), code));
}

Result<NnapiObject<ANeuralNetworksMemory>> makeNnapiMemory(const NnapiFunctions& functions,
                                                           const Region& region) {
    const int mode = ::fcntl(region.fd(), F_GETFL);
    const bool isReadOnly = mode >= 0 && (mode & O_ACCMODE) == O_RDONLY;
    ANeuralNetworksMemory* memory = nullptr;
    NNBURST_TRY(nnapiResult(functions.ANeuralNetworksMemory_createFromFd(
                                region.sizeBytes(), isReadOnly ? PROT_READ : PROT_READ | PROT_WRITE,
                                region.fd(), 0, &memory),
                            "ANeuralNetworksMemory_createFromFd"));
    return NnapiObject<ANeuralNetworksMemory>(memory, functions.ANeuralNetworksMemory_free);
}

ANeuralNetworksOperandType toNnapi(const Operand& operand, const Dimensions& dimensions) noexcept {
    return {.type = static_cast<std::int32_t>(operand.type),
            .dimensionCount = static_cast<std::uint32_t>(dimensions.size()),
            .dimensions = dimensions.empty() ? nullptr : dimensions.data(),
            .scale = operand.scale,
            .zeroPoint = operand.zeroPoint};
}

/// Builds the subgraphs of one model.
class NnapiModel::Builder {
  public:
    Builder(const NnapiFunctions& functions, const Model& model)
        : functions_(functions), model_(model), referenced_(model.referenced.size()) {}

    Result<NnapiModel> build() {
        built_.operandValues_ = model_.operandValues;
        for (const SharedRegion& pool : model_.pools) {
            NNBURST_TRY_ASSIGN(auto memory, makeNnapiMemory(functions_, *pool));
            built_.pools_.push_back(std::move(memory));
        }
        NNBURST_TRY_ASSIGN(auto main, buildSubgraph(model_.main));
        built_.subgraphs_.push_back(std::move(main));
        return std::move(built_);
    }

  private:
    /// A subgraph that other subgraphs refer to.
    struct Referenced {
        bool isBeingBuilt = false;
        ANeuralNetworksModel* model = nullptr;
    };

    Result<NnapiObject<ANeuralNetworksModel>> buildSubgraph(const Subgraph& subgraph) {
        ANeuralNetworksModel* created = nullptr;
        NNBURST_TRY(nnapiResult(functions_.ANeuralNetworksModel_create(&created),
                                "ANeuralNetworksModel_create"));
        NnapiObject<ANeuralNetworksModel> model(created, functions_.ANeuralNetworksModel_free);
        for (std::size_t i = 0; i < subgraph.operands.size(); ++i) {
            NNBURST_TRY(addOperand(created, static_cast<std::int32_t>(i), subgraph.operands[i]));
        }
        for (const Operation& operation : subgraph.operations) {
            NNBURST_TRY(addOperation(created, operation));
        }
        NNBURST_TRY(
            nnapiResult(functions_.ANeuralNetworksModel_identifyInputsAndOutputs(
                            created, sizeOf(subgraph.inputIndexes), subgraph.inputIndexes.data(),
                            sizeOf(subgraph.outputIndexes), subgraph.outputIndexes.data()),
                        "ANeuralNetworksModel_identifyInputsAndOutputs"));
        NNBURST_TRY(nnapiResult(functions_.ANeuralNetworksModel_relaxComputationFloat32toFloat16(
                                    created, model_.relaxComputationFloat32toFloat16),
                                "ANeuralNetworksModel_relaxComputationFloat32toFloat16"));
        NNBURST_TRY(nnapiResult(functions_.ANeuralNetworksModel_finish(created),
                                "ANeuralNetworksModel_finish"));
        return model;
    }

    static std::uint32_t sizeOf(const std::vector<std::uint32_t>& indexes) noexcept {
        return static_cast<std::uint32_t>(indexes.size());
    }

    /// The extension of a type, or null for a type of the HAL.
    [[nodiscard]] const ExtensionNameAndPrefix* extensionOf(std::int32_t type) const {
        const auto prefix = static_cast<std::uint32_t>(type) >> kExtensionTypeBits;
        const auto found = std::ranges::find(model_.extensionNameToPrefix, prefix,
                                             &ExtensionNameAndPrefix::prefix);
        const bool isFound = prefix != 0 && found != model_.extensionNameToPrefix.end();
        return isFound ? &*found : nullptr;
    }

    static std::uint16_t typeInExtension(std::int32_t type) noexcept {
        return static_cast<std::uint16_t>(static_cast<std::uint32_t>(type) &
                                          ((1U << kExtensionTypeBits) - 1));
    }

    Result<> addOperand(ANeuralNetworksModel* model, std::int32_t index, const Operand& operand) {
        ANeuralNetworksOperandType type = toNnapi(operand, operand.dimensions);
        if (const ExtensionNameAndPrefix* extension = extensionOf(type.type)) {
            NNBURST_TRY(nnapiResult(
                functions_.ANeuralNetworksModel_getExtensionOperandType(
                    model, extension->name.c_str(), typeInExtension(type.type), &type.type),
                "ANeuralNetworksModel_getExtensionOperandType"));
        }
        NNBURST_TRY(nnapiResult(functions_.ANeuralNetworksModel_addOperand(model, &type),
                                "ANeuralNetworksModel_addOperand"));
        NNBURST_TRY(setExtraParams(model, index, operand));
        return setValue(model, index, operand);
    }

    Result<> setExtraParams(ANeuralNetworksModel* model, std::int32_t index,
                            const Operand& operand) {
        if (const auto* channels = std::get_if<SymmPerChannelQuantParams>(&operand.extraParams)) {
            const ANeuralNetworksSymmPerChannelQuantParams params{
                .channelDim = channels->channelDim,
                .scaleCount = static_cast<std::uint32_t>(channels->scales.size()),
                .scales = channels->scales.data()};
            return nnapiResult(functions_.ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
                                   model, index, &params),
                               "ANeuralNetworksModel_setOperandSymmPerChannelQuantParams");
        }
        if (const auto* data = std::get_if<std::vector<std::uint8_t>>(&operand.extraParams)) {
            return nnapiResult(functions_.ANeuralNetworksModel_setOperandExtensionData(
                                   model, index, data->data(), data->size()),
                               "ANeuralNetworksModel_setOperandExtensionData");
        }
        return {};
    }

    Result<> setValue(ANeuralNetworksModel* model, std::int32_t index, const Operand& operand) {
        const DataLocation& location = operand.location;
        switch (operand.lifetime) {
            case OperandLifeTime::CONSTANT_COPY: {
                const std::span<const std::uint8_t> values = built_.operandValues_;
                if (location.offset > values.size() ||
                    location.length > values.size() - location.offset) {
                    return failure(
                        ErrorStatus::INVALID_ARGUMENT,
                        fmt::format("operand {}: offset {} + length {} exceeds the "
                                    "operand values ({} bytes)",
                                    index, location.offset, location.length, values.size()));
                }
                return nnapiResult(
                    functions_.ANeuralNetworksModel_setOperandValue(
                        model, index, values.data() + location.offset, location.length),
                    "ANeuralNetworksModel_setOperandValue");
            }
            case OperandLifeTime::CONSTANT_REFERENCE:
                if (location.poolIndex >= built_.pools_.size()) {
                    return failure(ErrorStatus::INVALID_ARGUMENT,
                                   fmt::format("operand {}: pool {}: the model has {}", index,
                                               location.poolIndex, built_.pools_.size()));
                }
                return nnapiResult(functions_.ANeuralNetworksModel_setOperandValueFromMemory(
                                       model, index, built_.pools_[location.poolIndex].get(),
                                       location.offset, location.length),
                                   "ANeuralNetworksModel_setOperandValueFromMemory");
            case OperandLifeTime::NO_VALUE:
                return nnapiResult(
                    functions_.ANeuralNetworksModel_setOperandValue(model, index, nullptr, 0),
                    "ANeuralNetworksModel_setOperandValue");
            case OperandLifeTime::SUBGRAPH: {
                NNBURST_TRY_ASSIGN(const ANeuralNetworksModel* referenced,
                                   buildReferenced(location.offset));
                return nnapiResult(functions_.ANeuralNetworksModel_setOperandValueFromModel(
                                       model, index, referenced),
                                   "ANeuralNetworksModel_setOperandValueFromModel");
            }
            default:
                return {};
        }
    }

    /// Builds a referenced subgraph the first time that it is asked for.
    Result<ANeuralNetworksModel*> buildReferenced(std::uint32_t index) {
        if (index >= referenced_.size() || referenced_[index].isBeingBuilt) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           fmt::format("referenced subgraph {}: must be one of {} and must not "
                                       "refer to itself",
                                       index, referenced_.size()));
        }
        if (referenced_[index].model == nullptr) {
            referenced_[index].isBeingBuilt = true;
            NNBURST_TRY_ASSIGN(auto subgraph, buildSubgraph(model_.referenced[index]));
            referenced_[index] = {.isBeingBuilt = false, .model = subgraph.get()};
            built_.subgraphs_.push_back(std::move(subgraph));
        }
        return referenced_[index].model;
    }

    Result<> addOperation(ANeuralNetworksModel* model, const Operation& operation) {
        auto type = static_cast<ANeuralNetworksOperationType>(operation.type);
        if (const ExtensionNameAndPrefix* extension = extensionOf(type)) {
            NNBURST_TRY(
                nnapiResult(functions_.ANeuralNetworksModel_getExtensionOperationType(
                                model, extension->name.c_str(), typeInExtension(type), &type),
                            "ANeuralNetworksModel_getExtensionOperationType"));
        }
        return nnapiResult(functions_.ANeuralNetworksModel_addOperation(
                               model, type, sizeOf(operation.inputs), operation.inputs.data(),
                               sizeOf(operation.outputs), operation.outputs.data()),
                           "ANeuralNetworksModel_addOperation");
    }

    const NnapiFunctions& functions_;
    const Model& model_;
    std::vector<Referenced> referenced_;
    NnapiModel built_;
};

NnapiModel::~NnapiModel() {
    while (!subgraphs_.empty()) {  // a model is freed before those that it refers to
        subgraphs_.pop_back();
    }
}

Result<NnapiModel> NnapiModel::build(const NnapiFunctions& functions, const Model& model) {
    return Builder(functions, model).build();
}

}  // namespace nnburst::tools
