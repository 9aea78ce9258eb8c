// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnapi/model.h"

#include <android/NeuralNetworksExtensions.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "nnapi/device.h"
#include "nnapi/model_assembly.h"
#include "nnapi/operand_type.h"
#include "nnapi/operation_check.h"
#include "nnapi/staged_values.h"
#include "nnburst/log_message.h"
#include "nnburst/type_queries.h"
#include "nnburst/validation.h"

namespace nnburst::nnapi {

namespace {

std::span<const std::byte> bytesAt(const void* bytes, std::size_t length) {
    return {static_cast<const std::byte*>(bytes), length};
}

Status checkOperandList(const char* name, std::span<const std::uint32_t> indexes,
                        std::size_t operands) {
    for (const std::uint32_t index : indexes) {
        if (index >= operands) {
            return badData("{} operand {}: must be one of {} operands", name, index, operands);
        }
    }
    return {};
}

bool isVendorType(OperationType type) {
    return isExtension(type) || type == OperationType::OEM_OPERATION;
}

}  // namespace

Status ModelCollector::checkOpen() const {
    if (finished_ != nullptr || isInvalid_) {
        return badState("the model is {}", isInvalid_ ? "not valid" : "finished");
    }
    return {};
}

Status ModelCollector::checkIndex(std::int32_t index) const {
    if (index < 0 || static_cast<std::size_t>(index) >= model_.main.operands.size()) {
        return badData("operand {}: must be one of {} operands", index,
                       model_.main.operands.size());
    }
    return {};
}

Status ModelCollector::addOperand(const ANeuralNetworksOperandType& type) {
    NNBURST_NNAPI_TRY(checkOpen());
    NNBURST_NNAPI_TRY(checkOperandType(type, false));
    if (model_.main.operands.size() >= kMaximumOperands) {
        return badData("operand {}: a model has at most {}", model_.main.operands.size(),
                       kMaximumOperands);
    }
    model_.main.operands.push_back({.type = static_cast<OperandType>(type.type),
                                    .dimensions = dimensionsOf(type),
                                    .scale = type.scale,
                                    .zeroPoint = type.zeroPoint});
    return {};
}

void ModelCollector::forgetValue(std::uint32_t operand) {
    if (model_.main.operands[operand].lifetime != OperandLifeTime::CONSTANT_REFERENCE) {
        return;  // nothing is kept: a search for each operand would take quadratic time
    }
    keptValues_.erase(
        std::remove_if(keptValues_.begin(), keptValues_.end(),
                       [&](const KeptValue& value) { return value.operand == operand; }),
        keptValues_.end());
}

Status ModelCollector::checkLength(const Operand& operand, std::size_t length) const {
    if (isTensorType(operand.type) &&
        (operand.dimensions.empty() ||
         std::count(operand.dimensions.begin(), operand.dimensions.end(), 0U) != 0)) {
        return badData("an operand with unknown dimensions: a constant's must be known");
    }
    if (length > kMaximumLength) {
        return badData("length {}: must be at most {}", length, kMaximumLength);
    }
    const auto needed = valueBytes(operand.type, operand.dimensions);
    if (needed && *needed != length) {
        return badData("length {}: must be {}", length, *needed);
    }
    return {};
}

Status ModelCollector::setValue(std::int32_t index, const void* buffer, std::size_t length) {
    NNBURST_NNAPI_TRY(checkOpen());
    NNBURST_NNAPI_TRY(checkIndex(index));
    const auto position = static_cast<std::uint32_t>(index);
    Operand& operand = model_.main.operands[position];
    if (buffer == nullptr) {
        forgetValue(position);
        operand.lifetime = OperandLifeTime::NO_VALUE;
        operand.location = {};
        return {};
    }
    NNBURST_NNAPI_TRY(checkLength(operand, length));
    forgetValue(position);
    if (length <= ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES) {
        operand.location = appendValue(model_, bytesAt(buffer, length));
        operand.lifetime = OperandLifeTime::CONSTANT_COPY;
    } else {
        keptValues_.push_back({buffer, position, static_cast<std::uint32_t>(length)});
        operand.location = {};  // copyKeptValues sets it
        operand.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
    }
    return {};
}

Status ModelCollector::setValueFromMemory(std::int32_t index, const Memory& memory,
                                          std::size_t offset, std::size_t length) {
    NNBURST_NNAPI_TRY(checkOpen());
    NNBURST_NNAPI_TRY(checkIndex(index));
    const auto position = static_cast<std::uint32_t>(index);
    Operand& operand = model_.main.operands[position];
    NNBURST_NNAPI_TRY(checkLength(operand, length));
    NNBURST_NNAPI_TRY(memory.checkConstant(offset, length));
    forgetValue(position);
    operand.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
    operand.location = {poolIndexOf(model_, memory.region()),
                        static_cast<std::uint32_t>(memory.offset() + offset),
                        static_cast<std::uint32_t>(length)};
    return {};
}

Status ModelCollector::setValueFromModel(std::int32_t index, const ModelCollector& value) {
    NNBURST_NNAPI_TRY(checkOpen());
    if (value.finished_ == nullptr) {
        return badState("the model that is the value is not finished, or not valid");
    }
    NNBURST_NNAPI_TRY(checkIndex(index));
    const auto position = static_cast<std::uint32_t>(index);
    Operand& operand = model_.main.operands[position];
    if (operand.type != OperandType::SUBGRAPH) {
        return badData("operand {} ({}): must be of type ANEURALNETWORKS_MODEL", index,
                       toString(operand.type));
    }
    const auto known = std::find(referenced_.begin(), referenced_.end(), value.finished_);
    operand.lifetime = OperandLifeTime::SUBGRAPH;
    operand.location = {0, static_cast<std::uint32_t>(known - referenced_.begin()), 0};
    if (known == referenced_.end()) {
        referenced_.push_back(value.finished_);
    }
    return {};
}

Status ModelCollector::setChannelScales(std::int32_t index,
                                        const ANeuralNetworksSymmPerChannelQuantParams& params) {
    NNBURST_NNAPI_TRY(checkOpen());
    NNBURST_NNAPI_TRY(checkIndex(index));
    Operand& operand = model_.main.operands[static_cast<std::size_t>(index)];
    if (operand.type != OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL) {
        return badData("operand {}: must be of type TENSOR_QUANT8_SYMM_PER_CHANNEL", index);
    }
    if (params.channelDim >= operand.dimensions.size()) {
        return badData("channelDim {}: must be one of {} axes", params.channelDim,
                       operand.dimensions.size());
    }
    if (params.scales == nullptr || params.scaleCount != operand.dimensions[params.channelDim]) {
        return badData("{} scales: must be {}, the size of axis {}",
                       params.scales == nullptr ? 0 : params.scaleCount,
                       operand.dimensions[params.channelDim], params.channelDim);
    }
    const std::span<const float> scales(params.scales, params.scaleCount);
    for (const float scale : scales) {
        if (!(scale > 0.0F) || !std::isfinite(scale)) {
            return badData("scale {}: must be finite and greater than 0", scale);
        }
    }
    operand.extraParams =
        SymmPerChannelQuantParams{{scales.begin(), scales.end()}, params.channelDim};
    return {};
}

Status ModelCollector::setExtensionData(std::int32_t index, std::span<const std::uint8_t> data,
                                        bool isNull) {
    NNBURST_NNAPI_TRY(checkOpen());
    NNBURST_NNAPI_TRY(checkIndex(index));
    Operand& operand = model_.main.operands[static_cast<std::size_t>(index)];
    if (isNull != data.empty()) {
        return badData("length {}: must be 0 for a null pointer alone", data.size());
    }
    if (!isExtension(operand.type)) {
        return badData("operand {}: must be of an extension type", index);
    }
    if (isNull) {
        operand.extraParams = std::monostate();
    } else {
        operand.extraParams = std::vector<std::uint8_t>(data.begin(), data.end());
    }
    return {};
}

Status ModelCollector::checkOperation(const Operation& operation) const {
    const Subgraph& main = model_.main;
    NNBURST_NNAPI_TRY(checkOperandList("input", operation.inputs, main.operands.size()));
    NNBURST_NNAPI_TRY(checkOperandList("output", operation.outputs, main.operands.size()));
    if (isExtension(operation.type)) {
        const std::uint32_t prefix =
            static_cast<std::uint32_t>(operation.type) >> kExtensionTypeBits;
        if (Devices::get().extensions().nameOf(prefix) == nullptr) {
            return badData("operation type {:#x}: must be of an extension of a device",
                           static_cast<std::uint32_t>(operation.type));
        }
    } else if (!isHalType(operation.type)) {
        return badData("operation type {}: must be an OperationCode up to level 5",
                       static_cast<std::int32_t>(operation.type));
    }
    std::vector<const Model*> referenced;
    referenced.reserve(referenced_.size());
    for (const SharedFinishedModel& model : referenced_) {
        referenced.push_back(&model->model);
    }
    return nnapi::checkOperation(main, operation, referenced);
}

Status ModelCollector::addOperation(std::int32_t type, std::span<const std::uint32_t> inputs,
                                    std::span<const std::uint32_t> outputs) {
    NNBURST_NNAPI_TRY(checkOpen());
    Operation operation{static_cast<OperationType>(type),
                        {inputs.begin(), inputs.end()},
                        {outputs.begin(), outputs.end()}};
    NNBURST_NNAPI_TRY(checkOperation(operation));
    if (model_.main.operations.size() >= kMaximumOperations) {
        return badData("operation {}: a model has at most {}", model_.main.operations.size(),
                       kMaximumOperations);
    }
    model_.main.operations.push_back(std::move(operation));
    return {};
}

Status ModelCollector::identify(std::span<const std::uint32_t> inputs,
                                std::span<const std::uint32_t> outputs) {
    NNBURST_NNAPI_TRY(checkOpen());
    std::vector<Operand>& operands = model_.main.operands;
    NNBURST_NNAPI_TRY(checkOperandList("input", inputs, operands.size()));
    NNBURST_NNAPI_TRY(checkOperandList("output", outputs, operands.size()));
    if (isIdentified_) {
        return badData("inputs and outputs are named already: must be named once");
    }
    std::map<std::uint32_t, OperandLifeTime> named;
    for (const auto& [indexes, lifetime] : {std::pair(inputs, OperandLifeTime::SUBGRAPH_INPUT),
                                            std::pair(outputs, OperandLifeTime::SUBGRAPH_OUTPUT)}) {
        for (const std::uint32_t index : indexes) {
            if (operands[index].lifetime != OperandLifeTime::TEMPORARY_VARIABLE) {
                return badData("operand {}: must not have a value", index);
            }
            if (!named.try_emplace(index, lifetime).second) {
                return badData("operand {}: must be named once", index);
            }
        }
    }
    for (const auto& [index, lifetime] : named) {
        operands[index].lifetime = lifetime;
    }
    model_.main.inputIndexes.assign(inputs.begin(), inputs.end());
    model_.main.outputIndexes.assign(outputs.begin(), outputs.end());
    isIdentified_ = true;
    return {};
}

Status ModelCollector::setRelaxed(bool isRelaxed) {
    NNBURST_NNAPI_TRY(checkOpen());
    model_.relaxComputationFloat32toFloat16 = isRelaxed;
    return {};
}

Status ModelCollector::copyKeptValues() {
    if (keptValues_.empty()) {
        return {};
    }
    std::uint64_t size = 0;
    for (const KeptValue& value : keptValues_) {
        DataLocation& location = model_.main.operands[value.operand].location;
        size = placeAfter(size);
        if (size + value.length > kMaximumLength) {
            return refused(ANEURALNETWORKS_OUT_OF_MEMORY,
                           "constants of more than {} bytes together", kMaximumLength);
        }
        location = {0, static_cast<std::uint32_t>(size), value.length};
        size += value.length;
    }
    auto region = Region::create(size);
    if (!region) {
        return refused(ANEURALNETWORKS_OUT_OF_MEMORY, "{}", region.error().message);
    }
    const std::uint32_t pool = poolIndexOf(model_, *region);
    for (const KeptValue& value : keptValues_) {
        DataLocation& location = model_.main.operands[value.operand].location;
        location.poolIndex = pool;
        const Result<> written =
            (*region)->write(location.offset, bytesAt(value.bytes, value.length));
        if (!written) {
            return refused(ANEURALNETWORKS_OUT_OF_MEMORY, "{}", written.error().message);
        }
    }
    keptValues_.clear();
    return {};
}

Status ModelCollector::finish() {
    NNBURST_NNAPI_TRY(checkOpen());
    NNBURST_NNAPI_TRY(copyKeptValues());
    auto finished = std::make_shared<FinishedModel>();
    isInvalid_ = true;  // until all is checked
    auto order = executionOrder(model_.main);
    if (!order) {
        return badData("operations wait for each other, or for an operand that nothing writes");
    }
    Model& model = finished->model;
    model = std::move(model_);
    finished->addedOrder = *std::move(order);
    std::vector<Operation> operations;
    operations.reserve(finished->addedOrder.size());
    for (const std::uint32_t index : finished->addedOrder) {
        operations.push_back(std::move(model.main.operations[index]));
    }
    model.main.operations = std::move(operations);
    // A model to which no operand refers any more is left out.
    std::vector<std::optional<std::uint32_t>> references(referenced_.size());
    const std::vector<std::uint32_t> consumers = countConsumers(model.main);
    for (std::size_t index = 0; index < model.main.operands.size(); ++index) {
        Operand& operand = model.main.operands[index];
        operand.numberOfConsumers = consumers[index];
        if (operand.lifetime == OperandLifeTime::SUBGRAPH) {
            const FinishedModel& value = *referenced_[operand.location.offset];
            std::optional<std::uint32_t>& reference = references[operand.location.offset];
            if (!reference) {
                reference = addReferenced(model, value.model);
                finished->hasVendorOperation |= value.hasVendorOperation;
            }
            operand.location.offset = *reference;
        }
    }
    declareExtensions(model);
    finished->hasVendorOperation |=
        std::any_of(model.main.operations.begin(), model.main.operations.end(),
                    [](const Operation& operation) { return isVendorType(operation.type); });
    if (const Result<> valid = validateModel(model); !valid) {
        return badData("{}", valid.error().message);
    }
    isInvalid_ = false;
    finished_ = std::move(finished);
    return {};
}

}  // namespace nnburst::nnapi

using nnburst::nnapi::answer;
using nnburst::nnapi::badData;
using nnburst::nnapi::badState;
using nnburst::nnapi::Devices;
using nnburst::nnapi::refuseNull;
using nnburst::nnapi::Status;

int ANeuralNetworksModel_create(ANeuralNetworksModel** model) {
    if (model == nullptr) {
        return refuseNull(__func__);
    }
    *model = nullptr;
    return answer(__func__, [&]() -> Status {
        *model = new ANeuralNetworksModel;
        return {};
    });
}

void ANeuralNetworksModel_free(ANeuralNetworksModel* model) {
    delete model;
}

int ANeuralNetworksModel_finish(ANeuralNetworksModel* model) {
    if (model == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] { return model->collector.finish(); });
}

int ANeuralNetworksModel_addOperand(ANeuralNetworksModel* model,
                                    const ANeuralNetworksOperandType* type) {
    if (model == nullptr || type == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] { return model->collector.addOperand(*type); });
}

int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel* model, int32_t index,
                                         const void* buffer, size_t length) {
    if (model == nullptr || (buffer == nullptr && length != 0)) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] { return model->collector.setValue(index, buffer, length); });
}

int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
    ANeuralNetworksModel* model, int32_t index,
    const ANeuralNetworksSymmPerChannelQuantParams* channelQuant) {
    if (model == nullptr || channelQuant == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__,
                  [&] { return model->collector.setChannelScales(index, *channelQuant); });
}

int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel* model, int32_t index,
                                                   const ANeuralNetworksMemory* memory,
                                                   size_t offset, size_t length) {
    if (model == nullptr || memory == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] {
        return model->collector.setValueFromMemory(index, *memory->memory, offset, length);
    });
}

int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel* model, int32_t index,
                                                  const ANeuralNetworksModel* value) {
    if (model == nullptr || value == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__,
                  [&] { return model->collector.setValueFromModel(index, value->collector); });
}

int ANeuralNetworksModel_addOperation(ANeuralNetworksModel* model,
                                      ANeuralNetworksOperationType type, uint32_t inputCount,
                                      const uint32_t* inputs, uint32_t outputCount,
                                      const uint32_t* outputs) {
    if (model == nullptr || inputs == nullptr || outputs == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] {
        return model->collector.addOperation(type, {inputs, inputCount}, {outputs, outputCount});
    });
}

int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel* model, uint32_t inputCount,
                                                  const uint32_t* inputs, uint32_t outputCount,
                                                  const uint32_t* outputs) {
    if (model == nullptr || inputs == nullptr || outputs == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] {
        return model->collector.identify({inputs, inputCount}, {outputs, outputCount});
    });
}

int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel* model, bool allow) {
    if (model == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] { return model->collector.setRelaxed(allow); });
}

int ANeuralNetworksModel_getSupportedOperationsForDevices(
    const ANeuralNetworksModel* model, const ANeuralNetworksDevice* const* devices,
    uint32_t numDevices, bool* supportedOps) {
    if (model == nullptr || devices == nullptr || supportedOps == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&]() -> Status {
        std::vector<std::size_t> indices;
        NNBURST_NNAPI_TRY(Devices::get().select({devices, numDevices}, indices));
        const auto& finished = model->collector.finished();
        if (finished == nullptr) {
            return badState("the model is not finished, or not valid");
        }
        std::fill_n(supportedOps, finished->addedOrder.size(), false);
        for (const std::size_t device : indices) {
            const auto supported =
                Devices::get().runtime()->supportedOperations(finished->model, device);
            if (!supported) {  // as on Android: it runs nothing of the model
                nnburst::logMessage(nnburst::LogLevel::WARNING, supported.error().message);
                continue;
            }
            for (std::size_t index = 0; index < supported->size(); ++index) {
                supportedOps[finished->addedOrder[index]] |= (*supported)[index];
            }
        }
        return {};
    });
}

namespace {

/// Gives the type that `code` of an extension has in models.
int getExtensionType(const char* function, const char* extensionName, uint16_t code,
                     int32_t* type) {
    return answer(function, [&]() -> Status {
        const auto prefix = Devices::get().extensions().prefixOf(extensionName);
        if (!prefix) {
            return badData("extension {}: no device has it", extensionName);
        }
        *type = static_cast<int32_t>(std::uint32_t{*prefix} << nnburst::kExtensionTypeBits | code);
        return {};
    });
}

}  // namespace

int ANeuralNetworksModel_getExtensionOperandType(ANeuralNetworksModel* model,
                                                 const char* extensionName,
                                                 uint16_t operandCodeWithinExtension,
                                                 int32_t* type) {
    if (model == nullptr || extensionName == nullptr || type == nullptr) {
        return refuseNull(__func__);
    }
    return getExtensionType(__func__, extensionName, operandCodeWithinExtension, type);
}

int ANeuralNetworksModel_getExtensionOperationType(ANeuralNetworksModel* model,
                                                   const char* extensionName,
                                                   uint16_t operationCodeWithinExtension,
                                                   ANeuralNetworksOperationType* type) {
    if (model == nullptr || extensionName == nullptr || type == nullptr) {
        return refuseNull(__func__);
    }
    return getExtensionType(__func__, extensionName, operationCodeWithinExtension, type);
}

int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel* model, int32_t index,
                                                 const void* data, size_t length) {
    if (model == nullptr || (data == nullptr && length != 0)) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] {
        return model->collector.setExtensionData(
            index, {static_cast<const std::uint8_t*>(data), length}, data == nullptr);
    });
}
