// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/submodel.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "nnburst/validation.h"

namespace nnburst::runtime {

namespace {

/// Constants start at multiples of this, which suits elements of every type.
constexpr std::size_t kAlignmentBytes = 16;

/// Collects what a submodel takes from the whole model.
class SubmodelMaker {
  public:
    SubmodelMaker(const Model& whole, std::span<const OperandUse> uses,
                  std::span<const std::uint32_t> operations)
        : whole_(whole), uses_(uses), operations_(operations) {
        isInSubmodel_.resize(whole.main.operations.size(), false);
        for (const std::uint32_t operation : operations) {
            isInSubmodel_[operation] = true;
        }
    }

    Submodel make() {
        submodel_.model.relaxComputationFloat32toFloat16 = whole_.relaxComputationFloat32toFloat16;
        for (const std::uint32_t index : operations_) {
            const Operation& operation = whole_.main.operations[index];
            noteExtension(static_cast<std::uint32_t>(operation.type));
            Operation copy{.type = operation.type, .inputs = {}, .outputs = {}};
            for (const std::uint32_t input : operation.inputs) {
                copy.inputs.push_back(operandOf(input));
            }
            for (const std::uint32_t output : operation.outputs) {
                copy.outputs.push_back(operandOf(output));
            }
            submodel_.model.main.operations.push_back(std::move(copy));
        }
        if (submodel_.inputs.empty()) {
            (void)operandOf(whole_.main.inputIndexes.front());
        }
        Subgraph& main = submodel_.model.main;
        const std::vector<std::uint32_t> consumers = countConsumers(main);
        for (std::size_t index = 0; index < main.operands.size(); ++index) {
            main.operands[index].numberOfConsumers = consumers[index];
        }
        for (const ExtensionNameAndPrefix& extension : whole_.extensionNameToPrefix) {
            if (prefixes_.count(extension.prefix) != 0) {
                submodel_.model.extensionNameToPrefix.push_back(extension);
            }
        }
        return std::move(submodel_);
    }

  private:
    /// The operand of the submodel that is `index` of the whole model.
    std::uint32_t operandOf(std::uint32_t index) {
        Subgraph& main = submodel_.model.main;
        const auto [place, isNew] =
            operands_.try_emplace(index, static_cast<std::uint32_t>(main.operands.size()));
        if (!isNew) {
            return place->second;
        }
        Operand operand = whole_.main.operands[index];
        noteExtension(static_cast<std::uint32_t>(operand.type));
        if (isGiven(operand)) {
            takeValue(operand);
        } else if (uses_[index].producer == kNoOperation || !isInSubmodel_[uses_[index].producer]) {
            operand.lifetime = OperandLifeTime::SUBGRAPH_INPUT;
            main.inputIndexes.push_back(place->second);
            submodel_.inputs.push_back(index);
        } else if (isNeededOutside(index)) {
            operand.lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
            main.outputIndexes.push_back(place->second);
            submodel_.outputs.push_back(index);
        }
        main.operands.push_back(std::move(operand));
        return place->second;
    }

    [[nodiscard]] bool isNeededOutside(std::uint32_t index) const {
        const std::vector<std::uint32_t>& consumers = uses_[index].consumers;
        return whole_.main.operands[index].lifetime == OperandLifeTime::SUBGRAPH_OUTPUT ||
               std::any_of(consumers.begin(), consumers.end(),
                           [this](std::uint32_t consumer) { return !isInSubmodel_[consumer]; });
    }

    /// Brings the value of `operand` into the submodel.
    void takeValue(Operand& operand) {
        Model& model = submodel_.model;
        DataLocation& location = operand.location;
        if (operand.lifetime == OperandLifeTime::CONSTANT_COPY) {
            const std::size_t start = (model.operandValues.size() + kAlignmentBytes - 1) /
                                      kAlignmentBytes * kAlignmentBytes;
            model.operandValues.resize(start);
            const auto source = whole_.operandValues.begin() + location.offset;
            model.operandValues.insert(model.operandValues.end(), source, source + location.length);
            location.offset = static_cast<std::uint32_t>(start);
        } else if (operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE) {
            const auto [pool, isNew] = pools_.try_emplace(
                location.poolIndex, static_cast<std::uint32_t>(model.pools.size()));
            if (isNew) {
                model.pools.push_back(whole_.pools[location.poolIndex]);
            }
            location.poolIndex = pool->second;
        } else if (operand.lifetime == OperandLifeTime::SUBGRAPH) {
            location.offset = referencedOf(location.offset);
        }
    }

    /// The subgraph of the submodel that is `index` of the whole model. Subgraphs refer to each
    /// other without circles.
    std::uint32_t referencedOf(std::uint32_t index) {
        const auto known = referenced_.find(index);
        if (known != referenced_.end()) {
            return known->second;
        }
        Subgraph subgraph = whole_.referenced[index];
        for (Operand& operand : subgraph.operands) {
            noteExtension(static_cast<std::uint32_t>(operand.type));
            takeValue(operand);
        }
        for (const Operation& operation : subgraph.operations) {
            noteExtension(static_cast<std::uint32_t>(operation.type));
        }
        const auto place = static_cast<std::uint32_t>(submodel_.model.referenced.size());
        submodel_.model.referenced.push_back(std::move(subgraph));
        referenced_.emplace(index, place);
        return place;
    }

    void noteExtension(std::uint32_t type) {
        if (type >> kExtensionTypeBits != 0) {
            prefixes_.insert(static_cast<std::uint16_t>(type >> kExtensionTypeBits));
        }
    }

    const Model& whole_;
    const std::span<const OperandUse> uses_;
    const std::span<const std::uint32_t> operations_;
    std::vector<bool> isInSubmodel_;
    Submodel submodel_;
    // What was taken, by its index in the whole model.
    std::map<std::uint32_t, std::uint32_t> operands_;
    std::map<std::uint32_t, std::uint32_t> pools_;
    std::map<std::uint32_t, std::uint32_t> referenced_;
    std::set<std::uint16_t> prefixes_;
};

}  // namespace

Submodel makeSubmodel(const Model& whole, std::span<const OperandUse> uses,
                      std::span<const std::uint32_t> operations) {
    return SubmodelMaker(whole, uses, operations).make();
}

Model interfaceOf(const Model& model) {
    Model interface;
    interface.extensionNameToPrefix = model.extensionNameToPrefix;
    const auto take = [&](const std::vector<std::uint32_t>& indexes,
                          std::vector<std::uint32_t>& its) {
        for (const std::uint32_t index : indexes) {
            its.push_back(static_cast<std::uint32_t>(interface.main.operands.size()));
            interface.main.operands.push_back(model.main.operands[index]);
        }
    };
    take(model.main.inputIndexes, interface.main.inputIndexes);
    take(model.main.outputIndexes, interface.main.outputIndexes);
    return interface;
}

}  // namespace nnburst::runtime
