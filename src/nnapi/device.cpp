// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnapi/device.h"

#include <android/NeuralNetworksExtensions.h>

#include <algorithm>
#include <memory>

#include "nnapi/process.h"
#include "nnburst/log_message.h"
#include "nnburst/type_queries.h"

namespace nnburst::nnapi {

namespace {

std::span<const DeviceInfo> infosOf(const SharedRuntime& runtime) {
    return runtime == nullptr ? std::span<const DeviceInfo>() : runtime->devices();
}

SharedRuntime createRuntime() {
    auto runtime = Runtime::create();
    if (!runtime) {
        logMessage(LogLevel::ERROR, "no devices for NNAPI: " + runtime.error().message);
        return nullptr;
    }
    return *std::move(runtime);
}

bool haveSameTypes(const Extension& a, const Extension& b) {
    return std::equal(a.operandTypes.begin(), a.operandTypes.end(), b.operandTypes.begin(),
                      b.operandTypes.end(), [](const auto& x, const auto& y) {
                          return x.type == y.type && x.isTensor == y.isTensor &&
                                 x.byteSize == y.byteSize;
                      });
}

std::int64_t featureLevelOf(HalVersion version) {
    switch (version) {
        case HalVersion::V1_0:
            return ANEURALNETWORKS_FEATURE_LEVEL_1;
        case HalVersion::V1_1:
            return ANEURALNETWORKS_FEATURE_LEVEL_2;
        case HalVersion::V1_2:
            return ANEURALNETWORKS_FEATURE_LEVEL_3;
        case HalVersion::V1_3:
            break;
    }
    // What level 5 adds to level 4, the runtime does for the device.
    return ANEURALNETWORKS_FEATURE_LEVEL_5;
}

}  // namespace

Extensions::Extensions(std::span<const DeviceInfo> devices) {
    for (const DeviceInfo& device : devices) {
        for (const Extension& extension : device.extensions) {
            const auto known =
                std::find_if(extensions_.begin(), extensions_.end(),
                             [&](const Extension& e) { return e.name == extension.name; });
            if (known == extensions_.end()) {
                extensions_.push_back(extension);
            } else if (!haveSameTypes(*known, extension)) {
                logMessage(LogLevel::WARNING,
                           fmt::format("device {}: extension {} has other operand types than that "
                                       "of an earlier device; those of the earlier one count",
                                       device.name, extension.name));
            }
        }
    }
}

std::optional<std::uint16_t> Extensions::prefixOf(std::string_view name) const {
    const auto found = std::find_if(extensions_.begin(), extensions_.end(),
                                    [&](const Extension& e) { return e.name == name; });
    if (found == extensions_.end()) {
        return std::nullopt;
    }
    return static_cast<std::uint16_t>(found - extensions_.begin() + 1);
}

const std::string* Extensions::nameOf(std::uint32_t prefix) const {
    return prefix == 0 || prefix > extensions_.size() ? nullptr : &extensions_[prefix - 1].name;
}

const ExtensionOperandTypeInformation* Extensions::find(OperandType type) const {
    const auto code = static_cast<std::uint32_t>(type);
    const std::uint32_t prefix = code >> kExtensionTypeBits;
    if (prefix == 0 || prefix > extensions_.size()) {
        return nullptr;
    }
    const auto& types = extensions_[prefix - 1].operandTypes;
    const auto found = std::find_if(types.begin(), types.end(), [&](const auto& information) {
        return information.type == (code & UINT16_MAX);
    });
    return found == types.end() ? nullptr : &*found;
}

Devices::Devices(SharedRuntime runtime)
    : runtime_(std::move(runtime)), extensions_(infosOf(runtime_)) {
    for (const DeviceInfo& info : infosOf(runtime_)) {
        devices_.push_back({devices_.size(), info});
    }
}

Devices& Devices::get() {
    // Never destroyed: threads of the program may use devices while the process ends.
    static Devices* const devices = [] {
        keepDevicesFromChildren();  // before it has threads and connections
        return new Devices(createRuntime());
    }();
    return *devices;
}

Status Devices::select(std::span<const ANeuralNetworksDevice* const> devices,
                       std::vector<std::size_t>& indices) const {
    if (devices.empty()) {
        return badData("no devices: must be at least one");
    }
    for (const ANeuralNetworksDevice* device : devices) {
        if (device == nullptr) {
            return refused(ANEURALNETWORKS_UNEXPECTED_NULL, "device {} is null", indices.size());
        }
        const auto isSame = [&](const ANeuralNetworksDevice& known) { return &known == device; };
        if (std::none_of(devices_.begin(), devices_.end(), isSame)) {
            return badData("device {}: must be one of ANeuralNetworks_getDevice", indices.size());
        }
        if (std::find(indices.begin(), indices.end(), device->index) != indices.end()) {
            return badData("device {} ({}): must be named once", indices.size(), device->info.name);
        }
        indices.push_back(device->index);
    }
    return {};
}

}  // namespace nnburst::nnapi

using nnburst::nnapi::answer;
using nnburst::nnapi::badData;
using nnburst::nnapi::Devices;
using nnburst::nnapi::refused;
using nnburst::nnapi::refuseNull;
using nnburst::nnapi::Status;

int ANeuralNetworks_getDeviceCount(uint32_t* numDevices) {
    if (numDevices == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&]() -> Status {
        *numDevices = static_cast<uint32_t>(Devices::get().all().size());
        return {};
    });
}

int ANeuralNetworks_getDevice(uint32_t devIndex, ANeuralNetworksDevice** device) {
    if (device == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&]() -> Status {
        const auto devices = Devices::get().all();
        if (devIndex >= devices.size()) {
            return badData("device {}: must be one of {} devices", devIndex, devices.size());
        }
        *device = &devices[devIndex];
        return {};
    });
}

int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice* device, const char** name) {
    if (device == nullptr || name == nullptr) {
        return refuseNull(__func__);
    }
    *name = device->info.name.c_str();
    return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice* device, int32_t* type) {
    if (device == nullptr || type == nullptr) {
        return refuseNull(__func__);
    }
    *type = static_cast<int32_t>(device->info.type);
    return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice* device, const char** version) {
    if (device == nullptr || version == nullptr) {
        return refuseNull(__func__);
    }
    *version = device->info.versionString.c_str();
    return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice* device,
                                          int64_t* featureLevel) {
    if (device == nullptr || featureLevel == nullptr) {
        return refuseNull(__func__);
    }
    *featureLevel = nnburst::nnapi::featureLevelOf(device->info.version);
    return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice* device) {
    if (device == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&]() -> Status {
        const auto present = Devices::get().runtime()->waitForDevice(device->index);
        return present ? Status{}
                       : refused(ANEURALNETWORKS_DEAD_OBJECT, "{}", present.error().message);
    });
}

int ANeuralNetworksDevice_getExtensionSupport(const ANeuralNetworksDevice* device,
                                              const char* extensionName,
                                              bool* isExtensionSupported) {
    if (device == nullptr || extensionName == nullptr || isExtensionSupported == nullptr) {
        return refuseNull(__func__);
    }
    const auto& extensions = device->info.extensions;
    *isExtensionSupported = std::any_of(extensions.begin(), extensions.end(),
                                        [&](const auto& e) { return e.name == extensionName; });
    return ANEURALNETWORKS_NO_ERROR;
}

int64_t ANeuralNetworks_getRuntimeFeatureLevel() {
    return ANEURALNETWORKS_FEATURE_LEVEL_5;
}
