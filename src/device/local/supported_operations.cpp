// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/supported_operations.h"

#include <algorithm>
#include <optional>

#include "exec/graph/control_flow_check.h"
#include "exec/graph/model_check.h"
#include "model/invalid.h"

namespace nnburst::device {

namespace {

/// The type by which a variant decides: that of the first input.
std::optional<OperandType> dataType(const Subgraph& subgraph, const Operation& operation) {
    return operation.inputs.empty() ? std::nullopt
                                    : std::optional(subgraph.operands[operation.inputs[0]].type);
}

/// A valid model's operations, of which the executor can run the main ones.
class Support {
  public:
    Support(const Model& model, DriverVariant variant)
        : model_(model), variant_(variant), referenced_(model.referenced.size()) {}

    bool has(const Subgraph& subgraph, const Operation& operation) {
        if (exec::isControlFlow(operation.type)) {
            if (variant_ == DriverVariant::MINIMAL) {
                return false;
            }
            const auto subgraphs = exec::referencedSubgraphs(subgraph, operation);
            return std::all_of(subgraphs.begin(), subgraphs.end(),
                               [this](std::uint32_t index) { return hasAllOf(index); });
        }
        const std::optional<OperandType> type = dataType(subgraph, operation);
        switch (variant_) {
            case DriverVariant::FULL:
                return true;
            case DriverVariant::FLOAT:
                return type == OperandType::TENSOR_FLOAT32;
            case DriverVariant::QUANT:
                return type == OperandType::TENSOR_QUANT8_ASYMM ||
                       type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
            case DriverVariant::MINIMAL:
                return operation.type == OperationType::ADD ||
                       operation.type == OperationType::CONCATENATION ||
                       operation.type == OperationType::CONV_2D ||
                       operation.type == OperationType::DEPTHWISE_CONV_2D;
        }
        return false;
    }

  private:
    /// Subgraphs do not refer to each other in a circle: the executor has checked that.
    bool hasAllOf(std::uint32_t index) {
        if (!referenced_[index]) {
            const Subgraph& subgraph = model_.referenced[index];
            referenced_[index] =
                std::all_of(subgraph.operations.begin(), subgraph.operations.end(),
                            [&](const Operation& operation) { return has(subgraph, operation); });
        }
        return *referenced_[index];
    }

    const Model& model_;
    const DriverVariant variant_;
    std::vector<std::optional<bool>> referenced_;
};

}  // namespace

Result<std::vector<bool>> supportedOperations(const Model& model, HalVersion version,
                                              DriverVariant variant, GrowingCharge& memory) {
    if (!supportsExtensions(version) && !model.extensionNameToPrefix.empty()) {
        return invalid("HAL {} does not know vendor extensions", toString(version));
    }
    NNBURST_TRY_ASSIGN(const auto operations, exec::ModelCheck(model, &memory).operations());
    for (std::size_t index = 0; index < operations.size(); ++index) {
        // An operation with operands that it must not have makes the whole model invalid.
        if (!operations[index] &&
            operations[index].error().status == ErrorStatus::INVALID_ARGUMENT) {
            return invalid("operation {}: {}", index, operations[index].error().message);
        }
    }
    // A model that is relaxed is so in each of its operations.
    const bool isExpressible =
        supportsRelaxedComputation(version) || !model.relaxComputationFloat32toFloat16;
    Support support(model, variant);
    std::vector<bool> supported;
    for (std::size_t index = 0; index < operations.size(); ++index) {
        supported.push_back(isExpressible && operations[index] && *operations[index] <= version &&
                            support.has(model.main, model.main.operations[index]));
    }
    if (version != kLatestHalVersion &&
        std::find(supported.begin(), supported.end(), false) == supported.end()) {
        // A model of which all operations are supported must be preparable.
        NNBURST_TRY(compliantWith(version, model));
    }
    return supported;
}

Result<> checkSupported(const Model& model, HalVersion version, DriverVariant variant,
                        GrowingCharge& memory) {
    if (version != kLatestHalVersion) {
        NNBURST_TRY(compliantWith(version, model));
    }
    if (variant == DriverVariant::FULL) {
        NNBURST_TRY(exec::requiredVersion(model, &memory));
        return {};
    }
    NNBURST_TRY_ASSIGN(const std::vector<bool> supported,
                       supportedOperations(model, version, variant, memory));
    const auto first = std::find(supported.begin(), supported.end(), false);
    if (first != supported.end()) {
        const auto index = static_cast<std::size_t>(first - supported.begin());
        return invalid("operation {} ({}): this variant of the driver does not support it", index,
                       toString(model.main.operations[index].type));
    }
    return {};
}

}  // namespace nnburst::device

namespace nnburst {

const char* toString(DriverVariant variant) noexcept {
    switch (variant) {
        case DriverVariant::FULL:
            return "full";
        case DriverVariant::FLOAT:
            return "float";
        case DriverVariant::QUANT:
            return "quant";
        case DriverVariant::MINIMAL:
            return "minimal";
    }
    return "unknown variant";
}

}  // namespace nnburst
