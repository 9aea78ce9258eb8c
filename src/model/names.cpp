// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/types.h"

#include <algorithm>

#include "nnburst/hal_version.h"

namespace nnburst {

// A switch of all enumerators, without default: a new one without a name fails to compile
// (-Wswitch). Values from a peer or a file may be none of them, hence the last line.

const char* toString(OperandType type) noexcept {
    switch (type) {
        case OperandType::FLOAT32:
            return "FLOAT32";
        case OperandType::INT32:
            return "INT32";
        case OperandType::UINT32:
            return "UINT32";
        case OperandType::TENSOR_FLOAT32:
            return "TENSOR_FLOAT32";
        case OperandType::TENSOR_INT32:
            return "TENSOR_INT32";
        case OperandType::TENSOR_QUANT8_ASYMM:
            return "TENSOR_QUANT8_ASYMM";
        case OperandType::BOOL:
            return "BOOL";
        case OperandType::TENSOR_QUANT16_SYMM:
            return "TENSOR_QUANT16_SYMM";
        case OperandType::TENSOR_FLOAT16:
            return "TENSOR_FLOAT16";
        case OperandType::TENSOR_BOOL8:
            return "TENSOR_BOOL8";
        case OperandType::FLOAT16:
            return "FLOAT16";
        case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
            return "TENSOR_QUANT8_SYMM_PER_CHANNEL";
        case OperandType::TENSOR_QUANT16_ASYMM:
            return "TENSOR_QUANT16_ASYMM";
        case OperandType::TENSOR_QUANT8_SYMM:
            return "TENSOR_QUANT8_SYMM";
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
            return "TENSOR_QUANT8_ASYMM_SIGNED";
        case OperandType::SUBGRAPH:
            return "SUBGRAPH";
        case OperandType::OEM:
            return "OEM";
        case OperandType::TENSOR_OEM_BYTE:
            return "TENSOR_OEM_BYTE";
    }
    return "unknown operand type";
}

const char* toString(OperationType type) noexcept {
    switch (type) {
#define NNBURST_NAME(NAME, CODE, Name) \
    case OperationType::NAME:          \
        return #NAME;
        NNBURST_OPERATIONS(NNBURST_NAME)
#undef NNBURST_NAME
        case OperationType::OEM_OPERATION:
            return "OEM_OPERATION";
    }
    return "unknown operation type";
}

const char* toString(OperandLifeTime lifetime) noexcept {
    switch (lifetime) {
        case OperandLifeTime::TEMPORARY_VARIABLE:
            return "TEMPORARY_VARIABLE";
        case OperandLifeTime::SUBGRAPH_INPUT:
            return "SUBGRAPH_INPUT";
        case OperandLifeTime::SUBGRAPH_OUTPUT:
            return "SUBGRAPH_OUTPUT";
        case OperandLifeTime::CONSTANT_COPY:
            return "CONSTANT_COPY";
        case OperandLifeTime::CONSTANT_REFERENCE:
            return "CONSTANT_REFERENCE";
        case OperandLifeTime::NO_VALUE:
            return "NO_VALUE";
        case OperandLifeTime::SUBGRAPH:
            return "SUBGRAPH";
    }
    return "unknown lifetime";
}

const char* toString(DeviceType type) noexcept {
    switch (type) {
        case DeviceType::OTHER:
            return "OTHER";
        case DeviceType::CPU:
            return "CPU";
        case DeviceType::GPU:
            return "GPU";
        case DeviceType::ACCELERATOR:
            return "ACCELERATOR";
    }
    return "unknown device type";
}

const char* toString(DeviceStatus status) noexcept {
    switch (status) {
        case DeviceStatus::AVAILABLE:
            return "AVAILABLE";
        case DeviceStatus::BUSY:
            return "BUSY";
        case DeviceStatus::OFFLINE:
            return "OFFLINE";
        case DeviceStatus::UNKNOWN:
            return "UNKNOWN";
    }
    return "unknown device status";
}

const char* toString(ExecutionPreference preference) noexcept {
    switch (preference) {
        case ExecutionPreference::LOW_POWER:
            return "LOW_POWER";
        case ExecutionPreference::FAST_SINGLE_ANSWER:
            return "FAST_SINGLE_ANSWER";
        case ExecutionPreference::SUSTAINED_SPEED:
            return "SUSTAINED_SPEED";
    }
    return "unknown preference";
}

const char* toString(Priority priority) noexcept {
    switch (priority) {
        case Priority::LOW:
            return "LOW";
        case Priority::MEDIUM:
            return "MEDIUM";
        case Priority::HIGH:
            return "HIGH";
    }
    return "unknown priority";
}

const char* toString(HalVersion version) noexcept {
    switch (version) {
        case HalVersion::V1_0:
            return "1.0";
        case HalVersion::V1_1:
            return "1.1";
        case HalVersion::V1_2:
            return "1.2";
        case HalVersion::V1_3:
            return "1.3";
    }
    return "unknown version";
}

std::optional<HalVersion> halVersionFromString(std::string_view text) noexcept {
    const auto found =
        std::find_if(kHalVersions.begin(), kHalVersions.end(),
                     [text](HalVersion version) { return toString(version) == text; });
    return found == kHalVersions.end() ? std::nullopt : std::optional(*found);
}

}  // namespace nnburst
