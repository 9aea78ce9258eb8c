// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnapi/model_assembly.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <utility>

#include "nnapi/device.h"
#include "nnburst/hal_version.h"
#include "nnburst/type_queries.h"
#include "nnburst/validation.h"

namespace nnburst::nnapi {

namespace {

/// Enough for the elements of every type.
constexpr std::size_t kValueAlignmentBytes = 16;

bool isWrittenByOperation(OperandLifeTime lifetime) {
    return lifetime == OperandLifeTime::TEMPORARY_VARIABLE ||
           lifetime == OperandLifeTime::SUBGRAPH_OUTPUT;
}

/// Makes the sizes of axes unknown in a model of one operation, but for those of channels with
/// scales and of the condition of an IF.
void forgetSizes(Subgraph& subgraph) {
    const bool hasCondition = subgraph.operations.front().type == OperationType::IF;
    for (Operand& operand : subgraph.operands) {
        const bool areNeeded = operand.type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL ||
                               (hasCondition && operand.type == OperandType::TENSOR_BOOL8);
        if (!areNeeded) {
            std::fill(operand.dimensions.begin(), operand.dimensions.end(), 0U);
        }
    }
}

/// A model of one operation, for checkOperation.
class OperationProbe {
  public:
    OperationProbe(const Subgraph& subgraph, std::span<const Model* const> referenced)
        : subgraph_(subgraph), referenced_(referenced) {}

    [[nodiscard]] Model build(const Operation& operation) {
        Operation probed{operation.type, {}, {}};
        for (const std::uint32_t output : operation.outputs) {
            probed.outputs.push_back(add(output, OperandLifeTime::SUBGRAPH_OUTPUT));
        }
        for (const std::uint32_t input : operation.inputs) {
            probed.inputs.push_back(add(input, OperandLifeTime::SUBGRAPH_INPUT));
        }
        model_.main.operations.push_back(std::move(probed));
        if (model_.main.inputIndexes.empty()) {
            // A model needs an input.
            model_.main.inputIndexes.push_back(
                static_cast<std::uint32_t>(model_.main.operands.size()));
            model_.main.operands.push_back(
                {.type = OperandType::INT32, .lifetime = OperandLifeTime::SUBGRAPH_INPUT});
        }
        const std::vector<std::uint32_t> consumers = countConsumers(model_.main);
        for (std::size_t index = 0; index < consumers.size(); ++index) {
            model_.main.operands[index].numberOfConsumers = consumers[index];
        }
        declareExtensions(model_);
        return std::move(model_);
    }

  private:
    /// Adds operand `index` of the subgraph, once; gives its index in the probe.
    std::uint32_t add(std::uint32_t index, OperandLifeTime lifetime) {
        const auto [known, isNew] =
            indices_.try_emplace(index, static_cast<std::uint32_t>(model_.main.operands.size()));
        if (!isNew) {
            return known->second;
        }
        Operand operand = subgraph_.operands[index];
        if (lifetime == OperandLifeTime::SUBGRAPH_OUTPUT) {
            model_.main.outputIndexes.push_back(known->second);
        } else if (operand.lifetime == OperandLifeTime::SUBGRAPH) {
            lifetime = OperandLifeTime::SUBGRAPH;
        } else if (operand.lifetime == OperandLifeTime::NO_VALUE) {
            lifetime = OperandLifeTime::NO_VALUE;
        } else {
            model_.main.inputIndexes.push_back(known->second);
        }
        operand.lifetime = lifetime;
        operand.location = {};
        if (lifetime == OperandLifeTime::SUBGRAPH) {
            const std::uint32_t reference = subgraph_.operands[index].location.offset;
            operand.location.offset = addReferenced(model_, *referenced_[reference]);
        }
        model_.main.operands.push_back(std::move(operand));
        return known->second;
    }

    const Subgraph& subgraph_;
    std::span<const Model* const> referenced_;
    Model model_;
    std::map<std::uint32_t, std::uint32_t> indices_;
};

}  // namespace

DataLocation appendValue(Model& model, std::span<const std::byte> bytes) {
    std::vector<std::uint8_t>& values = model.operandValues;
    const std::size_t offset =
        (values.size() + kValueAlignmentBytes - 1) / kValueAlignmentBytes * kValueAlignmentBytes;
    values.resize(offset + bytes.size());
    std::transform(bytes.begin(), bytes.end(), values.begin() + static_cast<std::ptrdiff_t>(offset),
                   [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
    return {0, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(bytes.size())};
}

std::uint32_t poolIndexOf(Model& model, const SharedRegion& region) {
    const auto found = std::find(model.pools.begin(), model.pools.end(), region);
    const auto index = static_cast<std::uint32_t>(found - model.pools.begin());
    if (found == model.pools.end()) {
        model.pools.push_back(region);
    }
    return index;
}

std::uint32_t addReferenced(Model& model, const Model& value) {
    const auto first = static_cast<std::uint32_t>(model.referenced.size());
    const DataLocation values =
        appendValue(model, std::as_bytes(std::span<const std::uint8_t>(value.operandValues)));
    model.referenced.push_back(value.main);
    model.referenced.insert(model.referenced.end(), value.referenced.begin(),
                            value.referenced.end());
    for (std::size_t index = first; index < model.referenced.size(); ++index) {
        for (Operand& operand : model.referenced[index].operands) {
            if (operand.lifetime == OperandLifeTime::CONSTANT_COPY) {
                operand.location.offset += values.offset;
            } else if (operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE) {
                operand.location.poolIndex =
                    poolIndexOf(model, value.pools[operand.location.poolIndex]);
            } else if (operand.lifetime == OperandLifeTime::SUBGRAPH) {
                operand.location.offset += first + 1;
            }
        }
    }
    return first;
}

void declareExtensions(Model& model) {
    std::set<std::uint32_t> prefixes;
    const auto collect = [&](const Subgraph& subgraph) {
        for (const Operand& operand : subgraph.operands) {
            prefixes.insert(static_cast<std::uint32_t>(operand.type) >> kExtensionTypeBits);
        }
        for (const Operation& operation : subgraph.operations) {
            prefixes.insert(static_cast<std::uint32_t>(operation.type) >> kExtensionTypeBits);
        }
    };
    collect(model.main);
    std::for_each(model.referenced.begin(), model.referenced.end(), collect);
    model.extensionNameToPrefix.clear();
    for (const std::uint32_t prefix : prefixes) {
        if (const std::string* name = Devices::get().extensions().nameOf(prefix)) {
            model.extensionNameToPrefix.push_back({*name, static_cast<std::uint16_t>(prefix)});
        }
    }
}

std::optional<std::vector<std::uint32_t>> executionOrder(const Subgraph& subgraph) {
    const auto count = static_cast<std::uint32_t>(subgraph.operations.size());
    std::vector<std::uint32_t> missingInputs(count, 0);
    std::vector<std::vector<std::uint32_t>> readers(subgraph.operands.size());
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t index = 0; index < count; ++index) {
        for (const std::uint32_t input : subgraph.operations[index].inputs) {
            if (isWrittenByOperation(subgraph.operands[input].lifetime)) {
                ++missingInputs[index];
                readers[input].push_back(index);
            }
        }
        if (missingInputs[index] == 0) {
            ready.push(index);
        }
    }
    std::vector<std::uint32_t> order;
    while (!ready.empty()) {
        const std::uint32_t next = ready.top();
        ready.pop();
        order.push_back(next);
        for (const std::uint32_t output : subgraph.operations[next].outputs) {
            for (const std::uint32_t reader : std::exchange(readers[output], {})) {
                if (--missingInputs[reader] == 0) {
                    ready.push(reader);
                }
            }
        }
    }
    if (order.size() != count) {
        return std::nullopt;
    }
    return order;
}

Status checkOperation(const Subgraph& subgraph, const Operation& operation,
                      std::span<const Model* const> referenced) {
    if (operation.type == OperationType::OEM_OPERATION || isExtension(operation.type)) {
        return {};  // only the vendor knows
    }
    Model probe = OperationProbe(subgraph, referenced).build(operation);
    const auto version = minimumVersion(probe);
    if (version) {
        return {};
    }
    // Types and ranks count here. Whether sizes fit each other, devices say.
    forgetSizes(probe.main);
    if (minimumVersion(probe)) {
        return {};
    }
    return badData("{}", version.error().message);
}

}  // namespace nnburst::nnapi
