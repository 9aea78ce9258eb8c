// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/hal_version.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>

#include "exec/model_check.h"
#include "exec/operation.h"
#include "model/invalid.h"
#include "model/operand_info.h"
#include "nnburst/validation.h"

namespace nnburst {

namespace {

constexpr std::array<const char*, 4> kNames{"1.0", "1.1", "1.2", "1.3"};

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

/// The figure of `type`; that of a device without figures if there is none.
PerformanceInfo figureOf(const std::vector<OperandPerformance>& figures, OperandType type) {
    const auto found = std::find_if(figures.begin(), figures.end(),
                                    [type](const auto& figure) { return figure.type == type; });
    return found == figures.end() ? PerformanceInfo() : found->info;
}

/// One figure for each type up to `version`, by what `figure` says of the type.
template <class Figure>
std::vector<OperandPerformance> figuresOf(HalVersion version, Figure figure) {
    std::vector<OperandPerformance> figures;
    for (auto code = static_cast<std::int32_t>(OperandType::FLOAT32);
         code < static_cast<std::int32_t>(OperandType::SUBGRAPH); ++code) {
        const auto type = static_cast<OperandType>(code);
        if (exec::since(type) <= version) {
            figures.push_back({.type = type, .info = figure(type)});
        }
    }
    return figures;
}

std::vector<OperandPerformance> figuresOfTwo(const PerformanceInfo& float32,
                                             const PerformanceInfo& quantized8) {
    return figuresOf(HalVersion::V1_0, [&](OperandType type) {
        return type == OperandType::TENSOR_QUANT8_ASYMM ? quantized8 : float32;
    });
}

}  // namespace

const char* toString(HalVersion version) noexcept {
    const auto index = static_cast<std::size_t>(version);
    return index < kNames.size() ? kNames[index] : "unknown version";
}

std::optional<HalVersion> halVersionFromString(std::string_view text) noexcept {
    const auto found = std::find(kNames.begin(), kNames.end(), text);
    return found == kNames.end() ? std::nullopt
                                 : std::optional(static_cast<HalVersion>(found - kNames.begin()));
}

Result<HalVersion> minimumVersion(const Model& model) {
    NNBURST_TRY(validateModel(model));
    return exec::requiredVersion(model);
}

Result<> compliantWith(HalVersion version, const Model& model) {
    NNBURST_TRY_ASSIGN(const HalVersion needed, minimumVersion(model));
    if (needed <= version) {
        return {};
    }
    // Says what it is, as far as that is easily said.
    if (version < HalVersion::V1_3 && !model.referenced.empty()) {
        return unknownTo(version, "referenced subgraphs");
    }
    if (version < HalVersion::V1_2 && !model.extensionNameToPrefix.empty()) {
        return unknownTo(version, "vendor extensions");
    }
    if (version < HalVersion::V1_1 && model.relaxComputationFloat32toFloat16) {
        return unknownTo(version, "relaxed computation of float32");
    }
    NNBURST_TRY_ASSIGN(const auto operations, exec::ModelCheck(model).operations());
    for (std::size_t index = 0; index < operations.size(); ++index) {
        if (*operations[index] > version) {
            return invalid("operation {} ({}) with these operands needs HAL {}; this is HAL {}",
                           index, toString(model.main.operations[index].type),
                           toString(*operations[index]), toString(version));
        }
    }
    return invalid("the model needs HAL {}; this is HAL {}", toString(needed), toString(version));
}

Result<> compliantWith(HalVersion version, const Model& model, const Request& request) {
    NNBURST_TRY(validateRequest(model, request));
    for (std::size_t pool = 0; pool < request.pools.size(); ++pool) {
        if (version < HalVersion::V1_3 &&
            std::holds_alternative<BufferToken>(request.pools[pool])) {
            return unknownTo(version,
                             fmt::format("driver-managed buffers (request pool {})", pool));
        }
    }
    for (std::size_t index = 0; version < HalVersion::V1_2 && index < request.outputs.size();
         ++index) {
        const Operand& operand = model.main.operands[model.main.outputIndexes[index]];
        const Dimensions& dimensions = request.outputs[index].dimensions.empty()
                                           ? operand.dimensions
                                           : request.outputs[index].dimensions;
        if (!isFullySpecified(operand.type, dimensions)) {
            return unknownTo(version, fmt::format("outputs of unknown dimensions (output {}: {})",
                                                  index, dimensionsText(dimensions)));
        }
    }
    return {};
}

Result<> compliantWith(HalVersion version, const Capabilities& capabilities) {
    if (convertTo(version, capabilities) == capabilities) {
        return {};
    }
    return invalid("HAL {} cannot express these capabilities: it has fewer figures",
                   toString(version));
}

Result<Model> convertTo(HalVersion version, const Model& model) {
    Model converted = model;
    if (version < HalVersion::V1_1 && converted.relaxComputationFloat32toFloat16) {
        spdlog::warn("HAL {} has no relaxed computation: the model is computed with all precision",
                     toString(version));
        converted.relaxComputationFloat32toFloat16 = false;
    }
    if (version < HalVersion::V1_2 && !converted.extensionNameToPrefix.empty() &&
        !usesExtension(converted)) {
        spdlog::warn("HAL {} has no extensions: {} names that the model does not use are dropped",
                     toString(version), converted.extensionNameToPrefix.size());
        converted.extensionNameToPrefix.clear();
    }
    NNBURST_TRY(compliantWith(version, converted));
    return converted;
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

CapabilitiesV1_0 toV1_0(const Capabilities& capabilities) {
    return {.float32Performance =
                figureOf(capabilities.operandPerformance, OperandType::TENSOR_FLOAT32),
            .quantized8Performance =
                figureOf(capabilities.operandPerformance, OperandType::TENSOR_QUANT8_ASYMM)};
}

CapabilitiesV1_1 toV1_1(const Capabilities& capabilities) {
    const CapabilitiesV1_0 older = toV1_0(capabilities);
    return {.float32Performance = older.float32Performance,
            .quantized8Performance = older.quantized8Performance,
            .relaxedFloat32toFloat16Performance =
                capabilities.relaxedFloat32toFloat16PerformanceTensor};
}

CapabilitiesV1_2 toV1_2(const Capabilities& capabilities) {
    return {.relaxedFloat32toFloat16PerformanceScalar =
                capabilities.relaxedFloat32toFloat16PerformanceScalar,
            .relaxedFloat32toFloat16PerformanceTensor =
                capabilities.relaxedFloat32toFloat16PerformanceTensor,
            .operandPerformance = figuresOf(HalVersion::V1_2, [&](OperandType type) {
                return figureOf(capabilities.operandPerformance, type);
            })};
}

Capabilities toCanonical(const CapabilitiesV1_0& capabilities) {
    const PerformanceInfo& float32 = capabilities.float32Performance;
    return {.relaxedFloat32toFloat16PerformanceScalar = float32,
            .relaxedFloat32toFloat16PerformanceTensor = float32,
            .operandPerformance = figuresOfTwo(float32, capabilities.quantized8Performance)};
}

Capabilities toCanonical(const CapabilitiesV1_1& capabilities) {
    const PerformanceInfo& relaxed = capabilities.relaxedFloat32toFloat16Performance;
    return {.relaxedFloat32toFloat16PerformanceScalar = relaxed,
            .relaxedFloat32toFloat16PerformanceTensor = relaxed,
            .operandPerformance =
                figuresOfTwo(capabilities.float32Performance, capabilities.quantized8Performance)};
}

Capabilities toCanonical(const CapabilitiesV1_2& capabilities) {
    return {.relaxedFloat32toFloat16PerformanceScalar =
                capabilities.relaxedFloat32toFloat16PerformanceScalar,
            .relaxedFloat32toFloat16PerformanceTensor =
                capabilities.relaxedFloat32toFloat16PerformanceTensor,
            .operandPerformance = capabilities.operandPerformance};
}

}  // namespace nnburst
