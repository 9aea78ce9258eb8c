// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "exec/graph/model_check.h"
#include "log/verbose.h"
#include "model/invalid.h"
#include "model/operand_info.h"
#include "runtime/default_arguments.h"
#include "runtime/submodel.h"

namespace nnburst::runtime {

namespace {

bool isKnown(HalVersion version, const Operand& operand) {
    return since(operand.type) <= version &&
           (supportsUnknownRank(version) || !isTensor(operand.type) || !operand.dimensions.empty());
}

/// Devices that give no output shapes cannot say what an operand in between has become.
bool hasKnownShape(HalVersion version, const Operand& operand) {
    return supportsOutputShapes(version) || isFullySpecified(operand.type, operand.dimensions);
}

/// The operations of `model` that `version` knows.
Result<std::vector<std::uint32_t>> operationsKnownTo(HalVersion version, const Model& model) {
    NNBURST_TRY_ASSIGN(const auto versions, exec::ModelCheck(model).operations());
    std::vector<std::uint32_t> known;
    for (std::uint32_t index = 0; index < versions.size(); ++index) {
        if (!versions[index]) {
            if (versions[index].error().status == ErrorStatus::INVALID_ARGUMENT) {
                return invalid("operation {}: {}", index, versions[index].error().message);
            }
            continue;
        }
        const Operation& operation = model.main.operations[index];
        const std::vector<Operand>& operands = model.main.operands;
        const bool isFit =
            *versions[index] <= version && !isExtension(operation.type) &&
            std::all_of(operation.inputs.begin(), operation.inputs.end(),
                        [&](std::uint32_t input) { return isKnown(version, operands[input]); }) &&
            std::all_of(operation.outputs.begin(), operation.outputs.end(),
                        [&](std::uint32_t output) {
                            return isKnown(version, operands[output]) &&
                                   hasKnownShape(version, operands[output]);
                        });
        if (isFit) {
            known.push_back(index);
        }
    }
    return known;
}

/// `model` with the same operands and operations, and fewer arguments.
Model shortened(HalVersion version, Model model) {
    model = withoutDefaultArguments(std::move(model));
    if (!supportsRelaxedComputation(version)) {
        model.relaxComputationFloat32toFloat16 = false;  // a permission, which may remain unused
    }
    return model;
}

}  // namespace

Model expressedFor(HalVersion version, Model model) {
    return withoutUnusedConstants(shortened(version, std::move(model)));
}

Result<std::vector<bool>> supportedOperationsOf(Device& device, const DeviceInfo& info,
                                                const Model& model,
                                                std::span<const OperandUse> uses) {
    if (info.version == kLatestHalVersion) {
        return device.getSupportedOperations(model);
    }
    std::vector<bool> supported(model.main.operations.size(), false);
    const Model expressed = shortened(info.version, model);
    NNBURST_TRY_ASSIGN(const std::vector<std::uint32_t> known,
                       operationsKnownTo(info.version, expressed));
    if (known.empty()) {
        return supported;
    }
    const Submodel shown = makeSubmodel(expressed, uses, known);
    const auto answer = device.getSupportedOperations(shown.model);
    if (!answer) {
        if (answer.error().status != ErrorStatus::INVALID_ARGUMENT) {
            return tl::unexpected<Error>(answer.error());
        }
        NNBURST_VLOG(PARTITIONING, "device {} runs nothing: {}", info.name, answer.error().message);
        return supported;
    }
    for (std::size_t i = 0; i < known.size() && i < answer->size(); ++i) {
        supported[known[i]] = (*answer)[i];
    }
    return supported;
}

}  // namespace nnburst::runtime
