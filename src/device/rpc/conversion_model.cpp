// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>

#include "device/rpc/conversion.h"
#include "device/rpc/descriptors.h"
#include "device/rpc/kj_conversions.h"
#include "device/rpc/message_lists.h"
#include "device/rpc/rpc_limits.h"
#include "memory/local_file.h"
#include "nnburst/validation.h"

namespace nnburst::device {

namespace {

unsigned sizeOf(const auto& container) noexcept {
    return static_cast<unsigned>(container.size());
}

kj::ArrayPtr<const kj::byte> bytesOf(const std::vector<std::uint8_t>& bytes) noexcept {
    return {bytes.data(), bytes.size()};
}

void toMessage(const Operand& operand, rpc::Operand::Builder builder) {
    builder.setType(static_cast<std::int32_t>(operand.type));
    numbersToMessage(operand.dimensions, builder.initDimensions(sizeOf(operand.dimensions)));
    builder.setNumberOfConsumers(operand.numberOfConsumers);
    builder.setScale(operand.scale);
    builder.setZeroPoint(operand.zeroPoint);
    builder.setLifetime(static_cast<std::int32_t>(operand.lifetime));
    auto location = builder.initLocation();
    location.setPoolIndex(operand.location.poolIndex);
    location.setOffset(operand.location.offset);
    location.setLength(operand.location.length);
    if (const auto* quant = std::get_if<SymmPerChannelQuantParams>(&operand.extraParams)) {
        auto params = builder.getExtraParams().initChannelQuant();
        numbersToMessage(quant->scales, params.initScales(sizeOf(quant->scales)));
        params.setChannelDim(quant->channelDim);
    } else if (const auto* bytes = std::get_if<std::vector<std::uint8_t>>(&operand.extraParams)) {
        builder.getExtraParams().setExtension(bytesOf(*bytes));
    }
}

void toMessage(const Subgraph& subgraph, rpc::Subgraph::Builder builder) {
    auto operands = builder.initOperands(sizeOf(subgraph.operands));
    for (unsigned i = 0; i < operands.size(); ++i) {
        toMessage(subgraph.operands[i], operands[i]);
    }
    auto operations = builder.initOperations(sizeOf(subgraph.operations));
    for (unsigned i = 0; i < operations.size(); ++i) {
        const Operation& operation = subgraph.operations[i];
        operations[i].setType(static_cast<std::int32_t>(operation.type));
        numbersToMessage(operation.inputs, operations[i].initInputs(sizeOf(operation.inputs)));
        numbersToMessage(operation.outputs, operations[i].initOutputs(sizeOf(operation.outputs)));
    }
    numbersToMessage(subgraph.inputIndexes,
                     builder.initInputIndexes(sizeOf(subgraph.inputIndexes)));
    numbersToMessage(subgraph.outputIndexes,
                     builder.initOutputIndexes(sizeOf(subgraph.outputIndexes)));
}

Result<OperandExtraParams> extraParamsFromMessage(rpc::Operand::ExtraParams::Reader reader) {
    switch (reader.which()) {
        case rpc::Operand::ExtraParams::NONE:
            return OperandExtraParams();
        case rpc::Operand::ExtraParams::CHANNEL_QUANT: {
            const auto params = reader.getChannelQuant();
            return OperandExtraParams(
                SymmPerChannelQuantParams{.scales = numbersFromMessage<float>(params.getScales()),
                                          .channelDim = params.getChannelDim()});
        }
        case rpc::Operand::ExtraParams::EXTENSION: {
            const auto bytes = reader.getExtension();
            return OperandExtraParams(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
        }
    }
    return failure(ErrorStatus::INVALID_ARGUMENT,
                   fmt::format("operand with extra parameters of the unknown kind {}",
                               static_cast<unsigned>(reader.which())));
}

Result<Operand> operandFromMessage(rpc::Operand::Reader reader) {
    Operand operand;
    operand.type = static_cast<OperandType>(reader.getType());  // validateModel knows the types
    const auto dimensions = reader.getDimensions();
    NNBURST_TRY(
        checkCount(dimensions.size(), kMaximumDeclaredDimensions, "dimensions of an operand"));
    operand.dimensions = numbersFromMessage<std::uint32_t>(dimensions);
    operand.numberOfConsumers = reader.getNumberOfConsumers();
    operand.scale = reader.getScale();
    operand.zeroPoint = reader.getZeroPoint();
    operand.lifetime = static_cast<OperandLifeTime>(reader.getLifetime());  // as with the type
    const auto location = reader.getLocation();
    operand.location = {.poolIndex = location.getPoolIndex(),
                        .offset = location.getOffset(),
                        .length = location.getLength()};
    NNBURST_TRY_ASSIGN(operand.extraParams, extraParamsFromMessage(reader.getExtraParams()));
    return operand;
}

Result<Subgraph> subgraphFromMessage(rpc::Subgraph::Reader reader) {
    const auto operands = reader.getOperands();
    const auto operations = reader.getOperations();
    NNBURST_TRY(checkCount(operands.size(), kMaximumOperands, "operands of a subgraph"));
    NNBURST_TRY(checkCount(operations.size(), kMaximumOperations, "operations of a subgraph"));
    Subgraph subgraph;
    subgraph.operands.reserve(operands.size());
    for (const auto operand : operands) {
        NNBURST_TRY_ASSIGN(Operand read, operandFromMessage(operand));
        subgraph.operands.push_back(std::move(read));
    }
    subgraph.operations.reserve(operations.size());
    for (const auto operation : operations) {
        subgraph.operations.push_back(
            {.type = static_cast<OperationType>(operation.getType()),  // as with operands
             .inputs = numbersFromMessage<std::uint32_t>(operation.getInputs()),
             .outputs = numbersFromMessage<std::uint32_t>(operation.getOutputs())});
    }
    subgraph.inputIndexes = numbersFromMessage<std::uint32_t>(reader.getInputIndexes());
    subgraph.outputIndexes = numbersFromMessage<std::uint32_t>(reader.getOutputIndexes());
    return subgraph;
}

}  // namespace

std::uint64_t structureBytes(rpc::Model::Reader reader) {
    const auto bytesOf = [](rpc::Subgraph::Reader subgraph) {
        return subgraph.getOperands().size() * std::uint64_t{sizeof(Operand)} +
               subgraph.getOperations().size() * std::uint64_t{sizeof(Operation)};
    };
    std::uint64_t bytes = bytesOf(reader.getMain());
    const auto referenced = reader.getReferenced();
    for (unsigned i = 0; i < std::min<std::size_t>(referenced.size(), kMaximumSubgraphs); ++i) {
        bytes += bytesOf(referenced[i]);
    }
    return bytes;
}

Result<Model> structureFromMessage(rpc::Model::Reader reader) {
    Model model;
    NNBURST_TRY_ASSIGN(model.main, subgraphFromMessage(reader.getMain()));
    const auto referenced = reader.getReferenced();
    NNBURST_TRY(checkCount(referenced.size(), kMaximumSubgraphs, "referenced subgraphs"));
    model.referenced.reserve(referenced.size());
    for (const auto subgraph : referenced) {
        NNBURST_TRY_ASSIGN(Subgraph read, subgraphFromMessage(subgraph));
        model.referenced.push_back(std::move(read));
    }
    if (reader.getOperandValues().isInline()) {
        const auto bytes = reader.getOperandValues().getInline();
        model.operandValues.assign(bytes.begin(), bytes.end());
    }
    model.relaxComputationFloat32toFloat16 = reader.getRelaxComputationFloat32toFloat16();
    const auto extensions = reader.getExtensionNameToPrefix();
    NNBURST_TRY(checkCount(extensions.size(), std::size_t{1} << 16, "extension prefixes"));
    model.extensionNameToPrefix.reserve(extensions.size());
    for (const auto extension : extensions) {
        model.extensionNameToPrefix.push_back(
            {.name = fromMessage(extension.getName()), .prefix = extension.getPrefix()});
    }
    return model;
}

namespace {

/// The operand values, if they are too large to travel in a message, or null.
Result<SharedRegion> shareOperandValues(const Model& model) {
    if (model.operandValues.size() < kSharedOperandValuesBytes) {
        return SharedRegion();
    }
    if (model.operandValues.size() > kMaximumOperandValuesBytes) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT,
                       fmt::format("model with {} bytes of operand values: at most {} can be sent "
                                   "to a driver process; put large constants into memory pools",
                                   model.operandValues.size(), kMaximumOperandValuesBytes));
    }
    NNBURST_TRY_ASSIGN(SharedRegion region, Region::create(model.operandValues.size()));
    NNBURST_TRY_ASSIGN(const Mapping mapping, Mapping::map(region));
    std::memcpy(mapping.data(), model.operandValues.data(), model.operandValues.size());
    return region;
}

/// The memory of `pool`, copied if it is a file that a driver process would refuse.
Result<SharedRegion> sharePool(const SharedRegion& pool) {
    if (!pool->isForeign() || checkLocalFile(pool->fd(), "model pool")) {
        return pool;
    }
    NNBURST_TRY_ASSIGN(SharedRegion copy, Region::create(pool->sizeBytes()));
    NNBURST_TRY_ASSIGN(const Mapping mapping, Mapping::map(copy));
    NNBURST_TRY(pool->read(0, mapping.bytes()));
    return copy;
}

}  // namespace

Result<SharedModelMemory> shareMemory(const Model& model) {
    if (model.pools.size() > kMaximumPoolsPerMessage) {
        return failure(
            ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT,
            fmt::format("model with {} memory pools: at most {} can be sent to a driver process",
                        model.pools.size(), kMaximumPoolsPerMessage));
    }
    SharedModelMemory memory;
    for (std::size_t i = 0; i < model.pools.size(); ++i) {
        if (!model.pools[i]) {
            return failure(ErrorStatus::INVALID_ARGUMENT, fmt::format("model pool {} is null", i));
        }
        NNBURST_TRY_ASSIGN(memory.pools.emplace_back(), sharePool(model.pools[i]));
    }
    NNBURST_TRY_ASSIGN(memory.operandValues, shareOperandValues(model));
    return memory;
}

Result<> toMessage(const Model& model, const SharedModelMemory& memory,
                   rpc::Model::Builder builder) {
    if (memory.operandValues) {
        toMessage(memory.operandValues, builder.getOperandValues().initShared());
    } else {
        builder.getOperandValues().setInline(bytesOf(model.operandValues));
    }
    auto pools = builder.initPools(sizeOf(memory.pools));
    for (unsigned i = 0; i < pools.size(); ++i) {
        toMessage(memory.pools[i], pools[i]);
    }
    return structureToMessage(model, builder);
}

Result<> structureToMessage(const Model& model, rpc::Model::Builder builder) {
    toMessage(model.main, builder.initMain());
    auto referenced = builder.initReferenced(sizeOf(model.referenced));
    for (unsigned i = 0; i < referenced.size(); ++i) {
        toMessage(model.referenced[i], referenced[i]);
    }
    builder.setRelaxComputationFloat32toFloat16(model.relaxComputationFloat32toFloat16);
    auto extensions = builder.initExtensionNameToPrefix(sizeOf(model.extensionNameToPrefix));
    for (unsigned i = 0; i < extensions.size(); ++i) {
        const std::string& name = model.extensionNameToPrefix[i].name;
        extensions[i].setName(
            {name.c_str(), name.size()});  // zeros in it are for the driver to see
        extensions[i].setPrefix(model.extensionNameToPrefix[i].prefix);
    }
    const std::uint64_t sizeBytes = builder.asReader().totalSize().wordCount * sizeof(capnp::word);
    if (sizeBytes > kMaximumMessageBytes) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT,
                       fmt::format("model of {} bytes without its constants: at most {} can be "
                                   "sent to a driver process",
                                   sizeBytes, kMaximumMessageBytes));
    }
    return {};
}

kj::Promise<Result<ReceivedModel>> receiveModel(Model structure, rpc::Model::Reader reader,
                                                const SharedPeer& peer) {
    ReceivedModel received{.model = std::move(structure)};
    // The operand values come along as one more region at the end, empty if they are not shared.
    const auto pools = reader.getPools();
    if (Result<> count = checkCount(pools.size(), kMaximumPoolsPerMessage, "memory pools");
        !count) {
        return failureOf<ReceivedModel>(count);
    }
    const bool isShared = reader.getOperandValues().isShared();
    auto regions =
        kj::heapArrayBuilder<kj::Promise<Result<SharedRegion>>>(pools.size() + (isShared ? 1 : 0));
    for (const auto pool : pools) {
        regions.add(receiveRegion(pool, peer));
    }
    if (isShared) {
        regions.add(receiveRegion(reader.getOperandValues().getShared(), peer));
    }
    return joinRegions(regions.finish(), peer)
        .then([received = std::move(received), isShared](
                  Result<std::vector<SharedRegion>> joined) mutable -> Result<ReceivedModel> {
            NNBURST_TRY_ASSIGN(received.model.pools, std::move(joined));
            if (isShared) {
                received.operandValues = std::move(received.model.pools.back());
                received.model.pools.pop_back();
                if (!received.operandValues) {
                    return failure(ErrorStatus::INVALID_ARGUMENT,
                                   "model with shared operand values but without their memory");
                }
                NNBURST_TRY(checkCount(received.operandValues->sizeBytes(),
                                       kMaximumOperandValuesBytes, "bytes of operand values"));
            }
            const auto missing =
                std::find(received.model.pools.begin(), received.model.pools.end(), nullptr);
            if (missing != received.model.pools.end()) {
                return failure(ErrorStatus::INVALID_ARGUMENT,
                               fmt::format("model pool {} has no memory",
                                           missing - received.model.pools.begin()));
            }
            return std::move(received);
        });
}

Result<Model> completeModel(ReceivedModel received) {
    if (received.operandValues) {
        received.model.operandValues.resize(received.operandValues->sizeBytes());
        NNBURST_TRY(received.operandValues->read(
            0, std::as_writable_bytes(std::span(received.model.operandValues))));
    }
    return std::move(received.model);
}

}  // namespace nnburst::device
