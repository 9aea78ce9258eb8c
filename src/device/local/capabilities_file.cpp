// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/capabilities_file.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "model/invalid.h"
#include "system/read_file.h"

namespace nnburst::device {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaximumFileBytes = std::size_t{1} << 20;

constexpr const char* kOperands = "operandPerformance";

/// The figures that are not of an operand type, with their names.
template <class Capabilities>
auto namedFigures(Capabilities& capabilities) {
    return std::array{std::pair("relaxedFloat32toFloat16PerformanceScalar",
                                &capabilities.relaxedFloat32toFloat16PerformanceScalar),
                      std::pair("relaxedFloat32toFloat16PerformanceTensor",
                                &capabilities.relaxedFloat32toFloat16PerformanceTensor),
                      std::pair("ifPerformance", &capabilities.ifPerformance),
                      std::pair("whilePerformance", &capabilities.whilePerformance)};
}

Json toJson(const PerformanceInfo& info) {
    return {{"execTime", info.execTime}, {"powerUsage", info.powerUsage}};
}

Result<float> figure(const Json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_number()) {
        return invalid("{}: must be a number", name);
    }
    const auto value = found->get<float>();
    if (!std::isfinite(value) || value <= 0.0F) {
        return invalid("{} {}: must be finite and more than 0", name, value);
    }
    return value;
}

Result<PerformanceInfo> infoFromJson(const Json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_object()) {
        return invalid("{}: is missing", name);
    }
    const auto read = [&]() -> Result<PerformanceInfo> {
        PerformanceInfo info;
        NNBURST_TRY_ASSIGN(info.execTime, figure(*found, "execTime"));
        NNBURST_TRY_ASSIGN(info.powerUsage, figure(*found, "powerUsage"));
        return info;
    };
    auto info = read();
    if (!info) {
        return invalid("{}: {}", name, info.error().message);
    }
    return info;
}

Result<Capabilities> fromJson(const Json& root) {
    if (!root.is_object()) {
        return invalid("it is no JSON object");
    }
    Capabilities capabilities = uncalibrated();
    for (auto& [name, info] : namedFigures(capabilities)) {
        NNBURST_TRY_ASSIGN(*info, infoFromJson(root, name));
    }
    const auto operands = root.find(kOperands);
    if (operands == root.end() || !operands->is_object()) {
        return invalid("{}: is missing", kOperands);
    }
    for (OperandPerformance& performance : capabilities.operandPerformance) {
        NNBURST_TRY_ASSIGN(performance.info, infoFromJson(*operands, toString(performance.type)));
    }
    return capabilities;
}

tl::unexpected<Error> cannotWrite(const std::string& file, const std::error_code& error) {
    return failure(ErrorStatus::GENERAL_FAILURE,
                   fmt::format("cannot write the capabilities to {}: {}", file, error.message()));
}

}  // namespace

Capabilities uncalibrated() {
    Capabilities capabilities;
    for (auto code = static_cast<std::int32_t>(kFirstOperandType);
         code <= static_cast<std::int32_t>(kLastOperandType); ++code) {
        capabilities.operandPerformance.push_back(
            {.type = static_cast<OperandType>(code), .info = {}});
    }
    return capabilities;
}

Result<> checkWritable(const std::string& file) {
    const std::string folder = std::filesystem::path(file).parent_path().string();
    if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) {
        return cannotWrite(file, {errno, std::generic_category()});
    }
    return {};
}

Result<> writeCapabilities(const Capabilities& capabilities, const std::string& file) {
    Json root;
    for (const auto& [name, info] : namedFigures(capabilities)) {
        root[name] = toJson(*info);
    }
    for (const OperandPerformance& performance : capabilities.operandPerformance) {
        root[kOperands][toString(performance.type)] = toJson(performance.info);
    }
    // Under another name first: a file that can be read is whole.
    const std::string unfinished = fmt::format("{}.{}", file, ::getpid());
    errno = EIO;  // unless the system says more
    std::ofstream stream(unfinished);
    stream << root.dump(2) << '\n';
    stream.close();
    std::error_code error(stream ? 0 : errno, std::generic_category());
    if (!error) {
        std::filesystem::rename(unfinished, file, error);
    }
    if (error) {
        std::error_code ignored;
        std::filesystem::remove(unfinished, ignored);
        return cannotWrite(file, error);
    }
    return {};
}

Result<Capabilities> readCapabilities(const std::string& file) {
    NNBURST_TRY_ASSIGN(const auto bytes, system::readFile(file, kMaximumFileBytes));
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    const Json root = Json::parse(text, text + bytes.size(), nullptr, false);
    auto capabilities = fromJson(root);
    if (!capabilities) {
        return invalid("capabilities file {}: {}; make it with nnburst-driver --calibrate", file,
                       capabilities.error().message);
    }
    return capabilities;
}

}  // namespace nnburst::device
