// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/validation.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "memory/checked_math.h"
#include "model/extension_registry.h"
#include "model/invalid.h"
#include "model/operand_info.h"

namespace nnburst {

namespace {

template <class Type>
std::string typeName(Type type) {
    return isExtension(type) ? fmt::format("extension type {:#x}", static_cast<std::uint32_t>(type))
                             : toString(type);
}

/// Which extension prefixes a model declares, by prefix.
using DeclaredPrefixes = std::vector<bool>;

/// What the checks of subgraphs, operands and operations refer to.
struct Context {
    const Model& model;
    DeclaredPrefixes prefixes;
};

// ---- Extensions

/// Checks that each name has one prefix and each prefix one name.
Result<DeclaredPrefixes> checkExtensions(std::span<const ExtensionNameAndPrefix> extensions) {
    DeclaredPrefixes prefixes(std::size_t{UINT16_MAX} + 1, false);
    std::vector<std::string_view> names;
    for (std::size_t index = 0; index < extensions.size(); ++index) {
        const auto& [name, prefix] = extensions[index];
        if (!isExtensionName(name)) {
            return invalid(
                "extension {}: its name must have lower-case letters, digits, underscores and at "
                "least one period, nothing else",
                index);
        }
        if (prefix == 0 || prefixes[prefix]) {
            return invalid("extension {}: prefix {}: must not be 0 or that of another extension",
                           index, prefix);
        }
        prefixes[prefix] = true;
        names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    if (std::adjacent_find(names.begin(), names.end()) != names.end()) {
        return invalid("extension names: two are equal; must be different");
    }
    return prefixes;
}

/// Checks that the prefix in an extension's type is one that the model declares.
template <class Type>
Result<> checkPrefix(const Context& context, Type type) {
    const std::uint32_t prefix = static_cast<std::uint32_t>(type) >> kExtensionTypeBits;
    if (!context.prefixes[prefix]) {
        return invalid("prefix {}: must be one that the model declares", prefix);
    }
    return {};
}

// ---- Operands

Result<> checkConstant(const Operand& operand, std::string_view place, std::uint64_t placeBytes) {
    const DataLocation& location = operand.location;
    if (!fitsInside(location.offset, location.length, placeBytes)) {
        return invalid("offset {} + length {} exceeds {} ({} bytes)", location.offset,
                       location.length, place, placeBytes);
    }
    const std::size_t element = elementBytes(operand.type);
    if (element == 0) {
        return {};  // only its vendor knows the size
    }
    if (!isFullySpecified(operand.type, operand.dimensions)) {
        return invalid("dimensions {}: must all be known for a constant",
                       dimensionsText(operand.dimensions));
    }
    const auto bytes = operandBytes(operand.type, operand.dimensions);
    if (location.length != bytes) {
        return invalid("length {}: must be {} bytes, the size of dimensions {}", location.length,
                       *bytes, dimensionsText(operand.dimensions));
    }
    return {};
}

/// Checks lifetime and location, which decide where the value comes from.
Result<> checkSource(const Model& model, const Operand& operand) {
    const DataLocation& location = operand.location;
    if ((operand.lifetime == OperandLifeTime::SUBGRAPH) !=
        (operand.type == OperandType::SUBGRAPH)) {
        return invalid("lifetime {}: must be SUBGRAPH for type SUBGRAPH and only for it",
                       toString(operand.lifetime));
    }
    switch (operand.lifetime) {
        case OperandLifeTime::TEMPORARY_VARIABLE:
        case OperandLifeTime::SUBGRAPH_INPUT:
        case OperandLifeTime::SUBGRAPH_OUTPUT:
        case OperandLifeTime::NO_VALUE:
            if (location != DataLocation{}) {
                return invalid("pool {}, offset {}, length {}: must be 0 for lifetime {}",
                               location.poolIndex, location.offset, location.length,
                               toString(operand.lifetime));
            }
            return {};
        case OperandLifeTime::CONSTANT_COPY:
            if (location.poolIndex != 0) {
                return invalid("pool {}: must be 0 for lifetime CONSTANT_COPY", location.poolIndex);
            }
            return checkConstant(operand, "the model's operand values", model.operandValues.size());
        case OperandLifeTime::CONSTANT_REFERENCE:
            if (location.poolIndex >= model.pools.size()) {
                return invalid("pool {}: must be one of the model's {} pools", location.poolIndex,
                               model.pools.size());
            }
            return checkConstant(operand, fmt::format("pool {}", location.poolIndex),
                                 model.pools[location.poolIndex]->sizeBytes());
        case OperandLifeTime::SUBGRAPH:
            if (location.poolIndex != 0 || location.length != 0) {
                return invalid("pool {}, length {}: must be 0 for lifetime SUBGRAPH",
                               location.poolIndex, location.length);
            }
            if (location.offset >= model.referenced.size()) {
                return invalid("subgraph {}: must be one of the {} referenced subgraphs",
                               location.offset, model.referenced.size());
            }
            return {};
    }
    return invalid("lifetime {}: must be one of HAL 1.3",
                   static_cast<std::int32_t>(operand.lifetime));
}

Result<> checkOperand(const Context& context, const Operand& operand) {
    NNBURST_TRY(checkOperandType(operand));
    if (isExtension(operand.type)) {
        NNBURST_TRY(checkPrefix(context, operand.type));
    }
    return checkSource(context.model, operand);
}

// ---- Subgraphs

/// Checks the list of a subgraph's inputs or outputs: exactly the operands of that lifetime.
Result<> checkInterface(const Subgraph& subgraph, std::string_view list,
                        std::span<const std::uint32_t> indexes, OperandLifeTime lifetime) {
    std::vector<bool> isListed(subgraph.operands.size(), false);
    for (std::size_t index = 0; index < indexes.size(); ++index) {
        const std::uint32_t operand = indexes[index];
        if (operand >= subgraph.operands.size()) {
            return invalid("{} {}: operand {}: must be one of {} operands", list, index, operand,
                           subgraph.operands.size());
        }
        if (subgraph.operands[operand].lifetime != lifetime) {
            return invalid("{} {}: operand {}: lifetime {}: must be {}", list, index, operand,
                           toString(subgraph.operands[operand].lifetime), toString(lifetime));
        }
        if (isListed[operand]) {
            return invalid("{} {}: operand {}: must be listed only once", list, index, operand);
        }
        isListed[operand] = true;
    }
    for (std::size_t operand = 0; operand < subgraph.operands.size(); ++operand) {
        if (subgraph.operands[operand].lifetime == lifetime && !isListed[operand]) {
            return invalid("operand {}: lifetime {}: must be listed among the {}s", operand,
                           toString(lifetime), list);
        }
    }
    return {};
}

/// Whether an operation must write the operand before anything reads it.
bool isWritten(OperandLifeTime lifetime) noexcept {
    return lifetime == OperandLifeTime::TEMPORARY_VARIABLE ||
           lifetime == OperandLifeTime::SUBGRAPH_OUTPUT;
}

/// Checks one operation. `hasValue` says which operands have a value: before the call without,
/// after it with the operation's outputs.
Result<> checkOperation(const Context& context, const Subgraph& subgraph,
                        const Operation& operation, std::vector<bool>& hasValue) {
    if (isExtension(operation.type)) {
        NNBURST_TRY(checkPrefix(context, operation.type));
    } else if (!isHalType(operation.type)) {
        return invalid("type {}: must be one of HAL 1.3 or of an extension",
                       static_cast<std::int32_t>(operation.type));
    }
    for (std::size_t input = 0; input < operation.inputs.size(); ++input) {
        const std::uint32_t operand = operation.inputs[input];
        if (operand >= subgraph.operands.size()) {
            return invalid("input {}: operand {}: must be one of {} operands", input, operand,
                           subgraph.operands.size());
        }
        if (!hasValue[operand]) {
            return invalid("input {}: operand {}: must be written by an earlier operation", input,
                           operand);
        }
    }
    for (std::size_t output = 0; output < operation.outputs.size(); ++output) {
        const std::uint32_t operand = operation.outputs[output];
        if (operand >= subgraph.operands.size()) {
            return invalid("output {}: operand {}: must be one of {} operands", output, operand,
                           subgraph.operands.size());
        }
        if (const OperandLifeTime lifetime = subgraph.operands[operand].lifetime;
            !isWritten(lifetime)) {
            return invalid(
                "output {}: operand {}: lifetime {}: must be TEMPORARY_VARIABLE or "
                "SUBGRAPH_OUTPUT",
                output, operand, toString(lifetime));
        }
        if (hasValue[operand]) {
            return invalid("output {}: operand {}: must be written only once", output, operand);
        }
        hasValue[operand] = true;
    }
    return {};
}

Result<> checkOperations(const Context& context, const Subgraph& subgraph) {
    std::vector<bool> hasValue(subgraph.operands.size());
    std::transform(subgraph.operands.begin(), subgraph.operands.end(), hasValue.begin(),
                   [](const Operand& operand) { return !isWritten(operand.lifetime); });
    for (std::size_t index = 0; index < subgraph.operations.size(); ++index) {
        const Operation& operation = subgraph.operations[index];
        const Result<> result = checkOperation(context, subgraph, operation, hasValue);
        if (!result) {
            return invalid("operation {} ({}): {}", index, typeName(operation.type),
                           result.error().message);
        }
    }
    const auto missing = std::find(hasValue.begin(), hasValue.end(), false);
    if (missing != hasValue.end()) {
        return invalid("operand {}: must be written by an operation", missing - hasValue.begin());
    }
    return {};
}

/// HAL 1.3 OperandLifeTime::SUBGRAPH: each reference is an input of at least one IF or WHILE.
Result<> checkSubgraphsAreRun(const Subgraph& subgraph) {
    std::vector<bool> isRun(subgraph.operands.size(), false);
    for (const Operation& operation : subgraph.operations) {
        if (operation.type == OperationType::IF || operation.type == OperationType::WHILE) {
            for (const std::uint32_t input : operation.inputs) {
                isRun[input] = true;
            }
        }
    }
    for (std::size_t index = 0; index < subgraph.operands.size(); ++index) {
        if (subgraph.operands[index].lifetime == OperandLifeTime::SUBGRAPH && !isRun[index]) {
            return invalid("operand {} (SUBGRAPH): must be an input of an IF or WHILE", index);
        }
    }
    return {};
}

Result<> checkConsumers(const Subgraph& subgraph) {
    const std::vector<std::uint32_t> counts = countConsumers(subgraph);
    for (std::size_t index = 0; index < counts.size(); ++index) {
        if (subgraph.operands[index].numberOfConsumers != counts[index]) {
            return invalid(
                "operand {}: numberOfConsumers {}: must be {}, the times that it is an input of "
                "an operation",
                index, subgraph.operands[index].numberOfConsumers, counts[index]);
        }
    }
    return {};
}

Result<> checkSubgraph(const Context& context, const Subgraph& subgraph) {
    if (subgraph.inputIndexes.empty()) {
        return invalid("no inputs: must have at least one");
    }
    if (subgraph.outputIndexes.empty()) {
        return invalid("no outputs: must have at least one");
    }
    if (subgraph.operands.size() > kMaximumOperands) {
        return invalid("{} operands: must be at most {}", subgraph.operands.size(),
                       kMaximumOperands);
    }
    if (subgraph.operations.empty() || subgraph.operations.size() > kMaximumOperations) {
        return invalid("{} operations: must be 1 to {}", subgraph.operations.size(),
                       kMaximumOperations);
    }
    for (std::size_t index = 0; index < subgraph.operands.size(); ++index) {
        const Operand& operand = subgraph.operands[index];
        const Result<> result = checkOperand(context, operand);
        if (!result) {
            return invalid("operand {} ({}): {}", index, typeName(operand.type),
                           result.error().message);
        }
    }
    NNBURST_TRY(
        checkInterface(subgraph, "input", subgraph.inputIndexes, OperandLifeTime::SUBGRAPH_INPUT));
    NNBURST_TRY(checkInterface(subgraph, "output", subgraph.outputIndexes,
                               OperandLifeTime::SUBGRAPH_OUTPUT));
    NNBURST_TRY(checkOperations(context, subgraph));
    NNBURST_TRY(checkSubgraphsAreRun(subgraph));
    return checkConsumers(subgraph);
}

/// Calls visit(index) for each reference of `subgraph` to a referenced subgraph.
template <class Visit>
void forEachReference(const Subgraph& subgraph, Visit&& visit) {
    for (const Operand& operand : subgraph.operands) {
        if (operand.lifetime == OperandLifeTime::SUBGRAPH) {
            visit(operand.location.offset);
        }
    }
}

/// Checks that no referenced subgraph contains itself: repeatedly removes subgraphs that no
/// remaining one refers to; those that remain refer to each other in a circle. References are known
/// to be in range.
Result<> checkNoRecursion(std::span<const Subgraph> referenced) {
    std::vector<std::size_t> referenceCounts(referenced.size(), 0);
    for (const Subgraph& subgraph : referenced) {
        forEachReference(subgraph, [&](std::uint32_t target) { ++referenceCounts[target]; });
    }
    std::vector<std::size_t> removable;
    for (std::size_t index = 0; index < referenced.size(); ++index) {
        if (referenceCounts[index] == 0) {
            removable.push_back(index);
        }
    }
    while (!removable.empty()) {
        const std::size_t index = removable.back();
        removable.pop_back();
        forEachReference(referenced[index], [&](std::uint32_t target) {
            if (--referenceCounts[target] == 0) {
                removable.push_back(target);
            }
        });
    }
    const auto circular = std::find_if(referenceCounts.begin(), referenceCounts.end(),
                                       [](std::size_t count) { return count != 0; });
    if (circular != referenceCounts.end()) {
        return invalid(
            "referenced subgraph {}: must not refer to itself, or be referred to by one that "
            "does",
            circular - referenceCounts.begin());
    }
    return {};
}

/// HAL 1.3 Model::referenced: the main subgraph or another referenced subgraph refers to each.
Result<> checkAllReferenced(const Model& model) {
    std::vector<bool> isReferenced(model.referenced.size(), false);
    const auto mark = [&](std::uint32_t target) { isReferenced[target] = true; };
    forEachReference(model.main, mark);
    for (const Subgraph& subgraph : model.referenced) {
        forEachReference(subgraph, mark);
    }
    const auto missing = std::find(isReferenced.begin(), isReferenced.end(), false);
    if (missing != isReferenced.end()) {
        return invalid("referenced subgraph {}: no other subgraph refers to it; one must",
                       missing - isReferenced.begin());
    }
    return {};
}

}  // namespace

std::vector<std::uint32_t> countConsumers(const Subgraph& subgraph) {
    std::vector<std::uint32_t> counts(subgraph.operands.size(), 0);
    for (const Operation& operation : subgraph.operations) {
        for (const std::uint32_t input : operation.inputs) {
            if (input < counts.size()) {
                ++counts[input];
            }
        }
    }
    return counts;
}

Result<> validateModel(const Model& model) {
    if (model.referenced.size() > kMaximumSubgraphs) {
        return invalid("model with {} referenced subgraphs: must be at most {}",
                       model.referenced.size(), kMaximumSubgraphs);
    }
    if (model.pools.size() > kMaximumPools) {
        return invalid("model with {} pools: must be at most {}", model.pools.size(),
                       kMaximumPools);
    }
    const auto noMemory = std::find(model.pools.begin(), model.pools.end(), nullptr);
    if (noMemory != model.pools.end()) {
        return invalid("model pool {}: no memory; must be a region",
                       noMemory - model.pools.begin());
    }
    NNBURST_TRY_ASSIGN(DeclaredPrefixes prefixes, checkExtensions(model.extensionNameToPrefix));
    const Context context{model, std::move(prefixes)};
    if (const Result<> result = checkSubgraph(context, model.main); !result) {
        return invalid("main subgraph: {}", result.error().message);
    }
    for (std::size_t index = 0; index < model.referenced.size(); ++index) {
        if (const Result<> result = checkSubgraph(context, model.referenced[index]); !result) {
            return invalid("referenced subgraph {}: {}", index, result.error().message);
        }
    }
    NNBURST_TRY(checkNoRecursion(model.referenced));
    return checkAllReferenced(model);
}

}  // namespace nnburst
