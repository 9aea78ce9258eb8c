// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/nnapi_device.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "support/nnapi_prepared_model.h"

namespace nnburst::tools {
namespace {

HalVersion halVersionOf(std::int64_t featureLevel) noexcept {
    if (featureLevel >= ANEURALNETWORKS_FEATURE_LEVEL_4) {
        return HalVersion::V1_3;
    }
    if (featureLevel == ANEURALNETWORKS_FEATURE_LEVEL_3) {
        return HalVersion::V1_2;
    }
    return featureLevel == ANEURALNETWORKS_FEATURE_LEVEL_2 ? HalVersion::V1_1 : HalVersion::V1_0;
}

/// The devices of the API, in its order.
Result<std::vector<ANeuralNetworksDevice*>> devicesOf(const NnapiFunctions& functions) {
    std::uint32_t count = 0;
    NNBURST_TRY(nnapiResult(functions.ANeuralNetworks_getDeviceCount(&count),
                            "ANeuralNetworks_getDeviceCount"));
    std::vector<ANeuralNetworksDevice*> devices(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        NNBURST_TRY(nnapiResult(functions.ANeuralNetworks_getDevice(i, &devices[i]),
                                "ANeuralNetworks_getDevice"));
    }
    return devices;
}

class NnapiDevice final : public Device {
  public:
    NnapiDevice(const NnapiFunctions& functions, std::vector<ANeuralNetworksDevice*> devices,
                ANeuralNetworksDevice* chosen)
        : functions_(functions), devices_(std::move(devices)), chosen_(chosen) {}

    [[nodiscard]] HalVersion getHalVersion() const noexcept override {
        std::int64_t level = functions_.ANeuralNetworks_getRuntimeFeatureLevel();
        if (chosen_ != nullptr) {
            functions_.ANeuralNetworksDevice_getFeatureLevel(chosen_, &level);
        }
        return halVersionOf(level);
    }

    [[nodiscard]] Result<Capabilities> getCapabilities() override { return Capabilities{}; }

    [[nodiscard]] Result<DeviceType> getType() override {
        std::int32_t type = ANEURALNETWORKS_DEVICE_OTHER;
        if (chosen_ != nullptr) {
            NNBURST_TRY(nnapiResult(functions_.ANeuralNetworksDevice_getType(chosen_, &type),
                                    "ANeuralNetworksDevice_getType"));
        }
        return static_cast<DeviceType>(type);
    }

    [[nodiscard]] Result<std::string> getVersionString() override {
        const char* version = "nnapi";
        if (chosen_ != nullptr) {
            NNBURST_TRY(nnapiResult(functions_.ANeuralNetworksDevice_getVersion(chosen_, &version),
                                    "ANeuralNetworksDevice_getVersion"));
        }
        return std::string(version);
    }

    [[nodiscard]] Result<std::vector<Extension>> getSupportedExtensions() override {
        return std::vector<Extension>{};
    }

    [[nodiscard]] Result<NumberOfCacheFiles> getNumberOfCacheFilesNeeded() override {
        return NumberOfCacheFiles{};
    }

    [[nodiscard]] DeviceStatus getStatus() override { return DeviceStatus::AVAILABLE; }

    [[nodiscard]] Result<std::vector<bool>> getSupportedOperations(const Model& model) override {
        NNBURST_TRY_ASSIGN(const NnapiModel built, NnapiModel::build(functions_, model));
        const std::vector<ANeuralNetworksDevice*> devices =
            chosen_ == nullptr ? devices_ : std::vector{chosen_};
        const auto isSupported = std::make_unique<bool[]>(model.main.operations.size());
        NNBURST_TRY(nnapiResult(functions_.ANeuralNetworksModel_getSupportedOperationsForDevices(
                                    built.get(), devices.data(),
                                    static_cast<std::uint32_t>(devices.size()), isSupported.get()),
                                "ANeuralNetworksModel_getSupportedOperationsForDevices"));
        return std::vector<bool>(isSupported.get(),
                                 isSupported.get() + model.main.operations.size());
    }

    /// Prepares before it returns.
    [[nodiscard]] Result<> prepareModel(const Model& model, const PrepareOptions& options,
                                        PreparedModelCallback callback) override {
        auto prepared = makeNnapiPreparedModel(functions_, chosen_, model, options);
        const Result<> result =
            prepared ? Result<>() : Result<>(tl::unexpected<Error>(prepared.error()));
        callback(std::move(prepared));
        return result;
    }

    [[nodiscard]] Result<> prepareModelFromCache(const PrepareOptions& /*options*/,
                                                 PreparedModelCallback callback) override {
        const Result<> result =
            failure(ErrorStatus::GENERAL_FAILURE, "a device of NNAPI has no cache files");
        callback(tl::unexpected<Error>(result.error()));
        return result;
    }

    [[nodiscard]] Result<AllocatedBuffer> allocate(
        const BufferDesc& /*desc*/, std::span<const SharedPreparedModel> /*preparedModels*/,
        std::span<const BufferRole> /*inputRoles*/,
        std::span<const BufferRole> /*outputRoles*/) override {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       "a device of NNAPI gives no driver-managed buffers");
    }

  private:
    const NnapiFunctions functions_;
    const std::vector<ANeuralNetworksDevice*> devices_;
    ANeuralNetworksDevice* const chosen_;  ///< null for the choice of the runtime
};

}  // namespace

Result<SharedDevice> makeNnapiDevice(const NnapiFunctions& functions, const std::string& name) {
    NNBURST_TRY_ASSIGN(const std::vector<ANeuralNetworksDevice*> devices, devicesOf(functions));
    ANeuralNetworksDevice* chosen = nullptr;
    std::string names;
    for (ANeuralNetworksDevice* device : devices) {
        const char* deviceName = nullptr;
        NNBURST_TRY(nnapiResult(functions.ANeuralNetworksDevice_getName(device, &deviceName),
                                "ANeuralNetworksDevice_getName"));
        names += names.empty() ? deviceName : std::string(", ") + deviceName;
        if (name == deviceName) {
            chosen = device;
        }
    }
    if (chosen == nullptr && !name.empty()) {
        return failure(ErrorStatus::DEVICE_UNAVAILABLE,
                       fmt::format("NNAPI device '{}': must be one of {}", name, names));
    }
    return std::make_shared<NnapiDevice>(functions, devices, chosen);
}

}  // namespace nnburst::tools
