// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "device/rpc/conversion.h"
#include "device/rpc/message_lists.h"
#include "device/rpc/rpc_limits.h"

namespace nnburst::device {

namespace {

/// More than the operand types that there are, and than any vendor has extensions.
constexpr std::size_t kMaximumOperandPerformances = 256;
constexpr std::size_t kMaximumExtensions = 256;
constexpr std::size_t kMaximumExtensionTypes = std::size_t{1} << kExtensionTypeBits;

void toMessage(const PerformanceInfo& info, rpc::PerformanceInfo::Builder builder) {
    builder.setExecTime(info.execTime);
    builder.setPowerUsage(info.powerUsage);
}

PerformanceInfo fromMessage(rpc::PerformanceInfo::Reader reader) {
    return {.execTime = reader.getExecTime(), .powerUsage = reader.getPowerUsage()};
}

/// The enumerator with this code, which lies between the first and the last.
template <class Enum>
Result<Enum> enumeratorFromMessage(std::int32_t code, Enum first, Enum last, const char* what) {
    if (code < static_cast<std::int32_t>(first) || code > static_cast<std::int32_t>(last)) {
        return failure(
            ErrorStatus::INVALID_ARGUMENT,
            fmt::format("message with {} {}: must be {} to {}", what, code,
                        static_cast<std::int32_t>(first), static_cast<std::int32_t>(last)));
    }
    return static_cast<Enum>(code);
}

}  // namespace

void toMessage(const Result<>& status, rpc::Status::Builder builder) {
    if (status) {
        builder.setCode(static_cast<std::int32_t>(ErrorStatus::NONE));
        return;
    }
    builder.setCode(static_cast<std::int32_t>(status.error().status));
    builder.setMessage(status.error().message);
}

Result<> fromMessage(rpc::Status::Reader reader) {
    const std::int32_t code = reader.getCode();
    if (code == static_cast<std::int32_t>(ErrorStatus::NONE)) {
        return {};
    }
    const auto known = enumeratorFromMessage(code, ErrorStatus::NONE,
                                             ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT, "status");
    if (!known) {
        return failure(ErrorStatus::GENERAL_FAILURE, known.error().message);
    }
    return failure(*known, fromMessage(reader.getMessage()));
}

std::string fromMessage(capnp::Text::Reader reader) {
    return {reader.begin(), std::min(reader.size(), kMaximumTextBytes)};
}

void toMessage(const OptionalTimePoint& time, rpc::OptionalNanoseconds::Builder builder) {
    if (time) {
        builder.setNanoseconds(time->time_since_epoch().count());
    }
}

OptionalTimePoint timePointFromMessage(rpc::OptionalNanoseconds::Reader reader) {
    if (!reader.isNanoseconds()) {
        return std::nullopt;
    }
    return TimePoint(std::chrono::nanoseconds(reader.getNanoseconds()));
}

void toMessage(const OptionalTimeoutDuration& duration, rpc::OptionalNanoseconds::Builder builder) {
    if (duration) {
        builder.setNanoseconds(duration->count());
    }
}

OptionalTimeoutDuration durationFromMessage(rpc::OptionalNanoseconds::Reader reader) {
    if (!reader.isNanoseconds()) {
        return std::nullopt;
    }
    return std::chrono::nanoseconds(reader.getNanoseconds());
}

void toMessage(const Capabilities& capabilities, rpc::Capabilities::Builder builder) {
    toMessage(capabilities.relaxedFloat32toFloat16PerformanceScalar,
              builder.initRelaxedFloat32toFloat16PerformanceScalar());
    toMessage(capabilities.relaxedFloat32toFloat16PerformanceTensor,
              builder.initRelaxedFloat32toFloat16PerformanceTensor());
    auto operands = builder.initOperandPerformance(
        static_cast<unsigned>(capabilities.operandPerformance.size()));
    for (unsigned i = 0; i < operands.size(); ++i) {
        operands[i].setType(static_cast<std::int32_t>(capabilities.operandPerformance[i].type));
        toMessage(capabilities.operandPerformance[i].info, operands[i].initInfo());
    }
    toMessage(capabilities.ifPerformance, builder.initIfPerformance());
    toMessage(capabilities.whilePerformance, builder.initWhilePerformance());
}

Result<Capabilities> fromMessage(rpc::Capabilities::Reader reader) {
    Capabilities capabilities;
    capabilities.relaxedFloat32toFloat16PerformanceScalar =
        fromMessage(reader.getRelaxedFloat32toFloat16PerformanceScalar());
    capabilities.relaxedFloat32toFloat16PerformanceTensor =
        fromMessage(reader.getRelaxedFloat32toFloat16PerformanceTensor());
    const auto operands = reader.getOperandPerformance();
    NNBURST_TRY(checkCount(operands.size(), kMaximumOperandPerformances, "operand performances"));
    for (const auto operand : operands) {
        capabilities.operandPerformance.push_back(
            {.type = static_cast<OperandType>(operand.getType()),  // figures, used for nothing else
             .info = fromMessage(operand.getInfo())});
    }
    capabilities.ifPerformance = fromMessage(reader.getIfPerformance());
    capabilities.whilePerformance = fromMessage(reader.getWhilePerformance());
    return capabilities;
}

Result<DeviceType> deviceTypeFromMessage(std::int32_t code) {
    return enumeratorFromMessage(code, DeviceType::OTHER, DeviceType::ACCELERATOR, "device type");
}

DeviceStatus deviceStatusFromMessage(std::int32_t code) {
    const auto status = enumeratorFromMessage(code, DeviceStatus::AVAILABLE, DeviceStatus::UNKNOWN,
                                              "device status");
    return status ? *status : DeviceStatus::UNKNOWN;
}

void toMessage(const std::vector<Extension>& extensions,
               capnp::List<rpc::Extension>::Builder builder) {
    for (unsigned i = 0; i < builder.size(); ++i) {
        builder[i].setName(extensions[i].name);
        auto types =
            builder[i].initOperandTypes(static_cast<unsigned>(extensions[i].operandTypes.size()));
        for (unsigned j = 0; j < types.size(); ++j) {
            types[j].setType(extensions[i].operandTypes[j].type);
            types[j].setIsTensor(extensions[i].operandTypes[j].isTensor);
            types[j].setByteSize(extensions[i].operandTypes[j].byteSize);
        }
    }
}

Result<std::vector<Extension>> fromMessage(capnp::List<rpc::Extension>::Reader reader) {
    NNBURST_TRY(checkCount(reader.size(), kMaximumExtensions, "extensions"));
    std::vector<Extension> extensions;
    for (const auto extension : reader) {
        const auto types = extension.getOperandTypes();
        NNBURST_TRY(
            checkCount(types.size(), kMaximumExtensionTypes, "operand types of an extension"));
        Extension& read = extensions.emplace_back();
        read.name = fromMessage(extension.getName());
        for (const auto type : types) {
            read.operandTypes.push_back({.type = type.getType(),
                                         .isTensor = type.getIsTensor(),
                                         .byteSize = type.getByteSize()});
        }
    }
    return extensions;
}

void toMessage(const PrepareOptions& options, rpc::PrepareOptions::Builder builder) {
    builder.setPreference(static_cast<std::int32_t>(options.preference));
    builder.setPriority(static_cast<std::int32_t>(options.priority));
    toMessage(options.deadline, builder.initDeadline());
    builder.setToken(kj::ArrayPtr<const kj::byte>(options.token.data(), options.token.size()));
}

Result<PrepareOptions> fromMessage(rpc::PrepareOptions::Reader reader) {
    PrepareOptions options;
    // The device checks these two: it knows whether its version has them.
    options.preference = static_cast<ExecutionPreference>(reader.getPreference());
    options.priority = static_cast<Priority>(reader.getPriority());
    options.deadline = timePointFromMessage(reader.getDeadline());
    const auto token = reader.getToken();
    if (token.size() != options.token.size()) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("cache token of {} bytes: must have {}", token.size(),
                                   options.token.size()));
    }
    std::copy(token.begin(), token.end(), options.token.begin());
    return options;
}

}  // namespace nnburst::device
