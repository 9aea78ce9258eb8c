// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/capabilities.h"

#include <algorithm>

#include "model/invalid.h"
#include "model/operand_info.h"

namespace nnburst {

namespace {

constexpr OperandType kNonExtensionTypes[] = {
    OperandType::FLOAT32,
    OperandType::INT32,
    OperandType::UINT32,
    OperandType::TENSOR_FLOAT32,
    OperandType::TENSOR_INT32,
    OperandType::TENSOR_QUANT8_ASYMM,
    OperandType::BOOL,
    OperandType::TENSOR_QUANT16_SYMM,
    OperandType::TENSOR_FLOAT16,
    OperandType::TENSOR_BOOL8,
    OperandType::FLOAT16,
    OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL,
    OperandType::TENSOR_QUANT16_ASYMM,
    OperandType::TENSOR_QUANT8_SYMM,
    OperandType::TENSOR_QUANT8_ASYMM_SIGNED,
    OperandType::OEM,
    OperandType::TENSOR_OEM_BYTE,
};

}  // namespace

std::vector<OperandPerformance> nonExtensionOperandPerformance(HalVersion version,
                                                               PerformanceInfo info) {
    std::vector<OperandPerformance> performance;
    for (const OperandType type : kNonExtensionTypes) {
        if (since(type) <= version) {
            performance.push_back({.type = type, .info = info});
        }
    }
    return performance;
}

PerformanceInfo lookup(std::span<const OperandPerformance> operandPerformance,
                       OperandType type) noexcept {
    const auto found = std::find_if(operandPerformance.begin(), operandPerformance.end(),
                                    [type](const auto& entry) { return entry.type == type; });
    return found == operandPerformance.end() ? kNoPerformance : found->info;
}

Result<> update(std::span<OperandPerformance> operandPerformance, OperandType type,
                PerformanceInfo info) {
    const auto found = std::find_if(operandPerformance.begin(), operandPerformance.end(),
                                    [type](const auto& entry) { return entry.type == type; });
    if (found == operandPerformance.end()) {
        return invalid("update of the performance of {} ({}): must be one of the {} entries",
                       toString(type), static_cast<std::int32_t>(type), operandPerformance.size());
    }
    found->info = info;
    return {};
}

}  // namespace nnburst
