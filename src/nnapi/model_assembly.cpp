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
#include "nnburst/type_queries.h"

namespace nnburst::nnapi {

namespace {

/// Enough for the elements of every type.
constexpr std::size_t kValueAlignmentBytes = 16;

bool isWrittenByOperation(OperandLifeTime lifetime) {
    return lifetime == OperandLifeTime::TEMPORARY_VARIABLE ||
           lifetime == OperandLifeTime::SUBGRAPH_OUTPUT;
}

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

}  // namespace nnburst::nnapi
