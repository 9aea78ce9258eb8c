// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/hal_version.h"

#include <algorithm>
#include <array>

#include "exec/graph/model_check.h"
#include "exec/operation/operation.h"
#include "log/logger.h"
#include "model/invalid.h"
#include "model/operand_info.h"
#include "model/version_rules.h"
#include "nnburst/capabilities.h"
#include "nnburst/validation.h"

namespace nnburst {

namespace {

tl::unexpected<Error> unknownTo(HalVersion version, const std::string& what) {
    return invalid("HAL {} does not know {}", toString(version), what);
}

bool usesExtension(const Model& model) {
    const auto uses = [](const Subgraph& subgraph) {
        return std::any_of(subgraph.operands.begin(), subgraph.operands.end(),
                           [](const Operand& operand) { return isExtension(operand.type); }) ||
               std::any_of(subgraph.operations.begin(), subgraph.operations.end(),
                           [](const Operation& operation) { return isExtension(operation.type); });
    };
    return uses(model.main) || std::any_of(model.referenced.begin(), model.referenced.end(), uses);
}

/// The performance of HAL 1.0 and 1.1 in the form of later versions.
std::vector<OperandPerformance> operandPerformanceOf(const PerformanceInfo& float32,
                                                     const PerformanceInfo& quantized8) {
    return {{.type = OperandType::FLOAT32, .info = float32},
            {.type = OperandType::INT32, .info = quantized8},
            {.type = OperandType::UINT32, .info = quantized8},
            {.type = OperandType::TENSOR_FLOAT32, .info = float32},
            {.type = OperandType::TENSOR_INT32, .info = quantized8},
            {.type = OperandType::TENSOR_QUANT8_ASYMM, .info = quantized8}};
}

}  // namespace

Result<HalVersion> minimumVersion(const Model& model) {
    NNBURST_TRY(validateModel(model));
    return exec::requiredVersion(model);
}

Result<> compliantWith(HalVersion version, const Model& model) {
    NNBURST_TRY_ASSIGN(const HalVersion needed, minimumVersion(model));
    if (needed <= version) {
        return {};
    }
    if (!supportsRelaxedComputation(version) && model.relaxComputationFloat32toFloat16) {
        return unknownTo(version, "relaxed computation of float32");
    }
    if (!supportsExtensions(version) && !model.extensionNameToPrefix.empty()) {
        return unknownTo(version, "vendor extensions");
    }
    NNBURST_TRY_ASSIGN(const auto operations, exec::ModelCheck(model).operations());
    for (std::size_t index = 0; index < operations.size(); ++index) {
        if (*operations[index] > version) {
            return invalid("operation {} ({}) with these operands needs HAL {}; this is HAL {}",
                           index, toString(model.main.operations[index].type),
                           toString(*operations[index]), toString(version));
        }
    }
    // What is left is an operand: no operation has refused its type or its unknown rank.
    for (std::size_t index = 0; index < model.main.operands.size(); ++index) {
        const Operand& operand = model.main.operands[index];
        if (since(operand.type) > version) {
            return unknownTo(
                version, fmt::format("the type of operand {}, {}", index, toString(operand.type)));
        }
    }
    return unknownTo(version, "tensors of unknown rank");
}

Result<> compliantWith(HalVersion version, const Request& request) {
    if (supportsBuffers(version)) {
        return {};
    }
    for (std::size_t pool = 0; pool < request.pools.size(); ++pool) {
        if (std::holds_alternative<BufferToken>(request.pools[pool])) {
            return unknownTo(version,
                             fmt::format("driver-managed buffers (request pool {})", pool));
        }
    }
    return {};
}

Result<> compliantWith(HalVersion version, const Model& model, const Request& request) {
    NNBURST_TRY(validateRequest(model, request));
    NNBURST_TRY(compliantWith(version, request));
    for (std::size_t index = 0; index < request.outputs.size(); ++index) {
        NNBURST_TRY(checkOutput(version, index,
                                model.main.operands[model.main.outputIndexes[index]],
                                request.outputs[index]));
    }
    return {};
}

Result<> compliantWith(HalVersion version, const Capabilities& capabilities) {
    const Capabilities known = convertTo(version, capabilities);
    if (known == capabilities) {
        return {};
    }
    const auto refused = [version](const char* what) {
        return invalid("HAL {} has no separate performance value for {}", toString(version), what);
    };
    for (const OperandPerformance& entry : capabilities.operandPerformance) {
        if (lookup(known.operandPerformance, entry.type) != entry.info) {
            return refused(toString(entry.type));
        }
    }
    if (known.relaxedFloat32toFloat16PerformanceScalar !=
            capabilities.relaxedFloat32toFloat16PerformanceScalar ||
        known.relaxedFloat32toFloat16PerformanceTensor !=
            capabilities.relaxedFloat32toFloat16PerformanceTensor) {
        return refused(
            "relaxed computation, or only one value for its scalars and "
            "tensors");
    }
    if (known.ifPerformance != capabilities.ifPerformance ||
        known.whilePerformance != capabilities.whilePerformance) {
        return refused("IF and WHILE");
    }
    return invalid("capabilities without a performance value for an operand type; HAL {} has all",
                   toString(version));
}

Result<Model> convertTo(HalVersion version, const Model& model) {
    Model converted = model;
    if (!supportsRelaxedComputation(version) && converted.relaxComputationFloat32toFloat16) {
        logger().warn("HAL {} has no relaxed computation: the model is computed in full precision",
                      toString(version));
        converted.relaxComputationFloat32toFloat16 = false;
    }
    if (!supportsExtensions(version) && !converted.extensionNameToPrefix.empty() &&
        !usesExtension(converted)) {
        logger().warn("HAL {} has no extensions: {} names that the model does not use are dropped",
                      toString(version), converted.extensionNameToPrefix.size());
        converted.extensionNameToPrefix.clear();
    }
    NNBURST_TRY(compliantWith(version, converted));
    return converted;
}

Result<Request> convertTo(HalVersion version, const Request& request) {
    NNBURST_TRY(compliantWith(version, request));
    return request;
}

Capabilities convertTo(HalVersion version, const Capabilities& capabilities) {
    switch (version) {
        case HalVersion::V1_0:
            return toCanonical(toV1_0(capabilities));
        case HalVersion::V1_1:
            return toCanonical(toV1_1(capabilities));
        case HalVersion::V1_2:
            return toCanonical(toV1_2(capabilities));
        case HalVersion::V1_3:
            break;
    }
    return capabilities;
}

ErrorStatus convertTo(HalVersion version, ErrorStatus status) noexcept {
    switch (status) {
        case ErrorStatus::MISSED_DEADLINE_TRANSIENT:
        case ErrorStatus::MISSED_DEADLINE_PERSISTENT:
        case ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT:
        case ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT:
            return supportsDeadlineAndResourceErrors(version) ? status
                                                              : ErrorStatus::GENERAL_FAILURE;
        default:
            return status;
    }
}

CapabilitiesV1_0 toV1_0(const Capabilities& capabilities) {
    return {
        .float32Performance = lookup(capabilities.operandPerformance, OperandType::TENSOR_FLOAT32),
        .quantized8Performance =
            lookup(capabilities.operandPerformance, OperandType::TENSOR_QUANT8_ASYMM)};
}

CapabilitiesV1_1 toV1_1(const Capabilities& capabilities) {
    const CapabilitiesV1_0 older = toV1_0(capabilities);
    return {.float32Performance = older.float32Performance,
            .quantized8Performance = older.quantized8Performance,
            .relaxedFloat32toFloat16Performance =
                capabilities.relaxedFloat32toFloat16PerformanceTensor};
}

CapabilitiesV1_2 toV1_2(const Capabilities& capabilities) {
    CapabilitiesV1_2 older{.relaxedFloat32toFloat16PerformanceScalar =
                               capabilities.relaxedFloat32toFloat16PerformanceScalar,
                           .relaxedFloat32toFloat16PerformanceTensor =
                               capabilities.relaxedFloat32toFloat16PerformanceTensor,
                           .operandPerformance = capabilities.operandPerformance};
    std::erase_if(older.operandPerformance, [](const OperandPerformance& entry) {
        return since(entry.type) > HalVersion::V1_2;
    });
    return older;
}

Capabilities toCanonical(const CapabilitiesV1_0& capabilities) {
    // 1.0 has float32 alone, and computes relaxed models like any other.
    return toCanonical(
        CapabilitiesV1_1{.float32Performance = capabilities.float32Performance,
                         .quantized8Performance = capabilities.quantized8Performance,
                         .relaxedFloat32toFloat16Performance = capabilities.float32Performance});
}

Capabilities toCanonical(const CapabilitiesV1_1& capabilities) {
    const PerformanceInfo& relaxed = capabilities.relaxedFloat32toFloat16Performance;
    return toCanonical(
        CapabilitiesV1_2{.relaxedFloat32toFloat16PerformanceScalar = relaxed,
                         .relaxedFloat32toFloat16PerformanceTensor = relaxed,
                         .operandPerformance = operandPerformanceOf(
                             capabilities.float32Performance, capabilities.quantized8Performance)});
}

Capabilities toCanonical(const CapabilitiesV1_2& capabilities) {
    return {.relaxedFloat32toFloat16PerformanceScalar =
                capabilities.relaxedFloat32toFloat16PerformanceScalar,
            .relaxedFloat32toFloat16PerformanceTensor =
                capabilities.relaxedFloat32toFloat16PerformanceTensor,
            .operandPerformance = capabilities.operandPerformance,
            .ifPerformance = kNoPerformance,
            .whilePerformance = kNoPerformance};
}

}  // namespace nnburst
