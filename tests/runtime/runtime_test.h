// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Devices that can do less than others, runtimes of them, and executions in every way.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nnburst/device.h"
#include "nnburst/runtime.h"
#include "runtime/runtime.h"
#include "support/forwarding_device.h"

namespace nnburst::runtime {

/// Whether a device supports operation `index` of the main subgraph.
using IsSupported = std::function<bool(const Model& model, std::size_t index)>;

/// A device that supports some operations of another one.
class FilteredDevice final : public test::ForwardingDevice {
  public:
    FilteredDevice(SharedDevice inner, IsSupported isSupported)
        : ForwardingDevice(std::move(inner)), isSupported_(std::move(isSupported)) {}

    [[nodiscard]] Result<Capabilities> getCapabilities() override {
        auto capabilities = ForwardingDevice::getCapabilities();
        for (OperandPerformance& performance : capabilities->operandPerformance) {
            performance.info = {.execTime = execTime, .powerUsage = powerUsage};
        }
        return capabilities;
    }
    [[nodiscard]] Result<std::vector<bool>> getSupportedOperations(const Model& model) override {
        NNBURST_TRY_ASSIGN(std::vector<bool> supported,
                           ForwardingDevice::getSupportedOperations(model));
        for (std::size_t index = 0; index < supported.size(); ++index) {
            supported[index] = supported[index] && isSupported_(model, index);
        }
        return supported;
    }
    [[nodiscard]] Result<> prepareModel(const Model& model, const PrepareOptions& options,
                                        PreparedModelCallback callback) override {
        ++preparations;
        lastOptions = options;
        if (failPreparations) {
            const Error error{preparationError, "this device prepares nothing"};
            callback(tl::unexpected<Error>(error));
            return tl::unexpected<Error>(error);
        }
        return ForwardingDevice::prepareModel(model, options, std::move(callback));
    }
    [[nodiscard]] Result<> prepareModelFromCache(const PrepareOptions& options,
                                                 PreparedModelCallback callback) override {
        if (cacheError != ErrorStatus::NONE) {
            const Error error{cacheError, "this device prepares nothing from cache files"};
            callback(tl::unexpected<Error>(error));
            return tl::unexpected<Error>(error);
        }
        return ForwardingDevice::prepareModelFromCache(options, std::move(callback));
    }

    float execTime = 1.0F;
    float powerUsage = 1.0F;
    bool failPreparations = false;
    ErrorStatus preparationError = ErrorStatus::GENERAL_FAILURE;
    ErrorStatus cacheError = ErrorStatus::NONE;  // of preparations from cache files
    int preparations = 0;
    PrepareOptions lastOptions;  // of preparations from models

  private:
    const IsSupported isSupported_;
};

/// `device` under a name.
inline std::shared_ptr<NamedDevice> named(const std::string& name, SharedDevice device) {
    auto made = NamedDevice::create(
        name, [device = std::move(device)]() -> Result<SharedDevice> { return device; });
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : nullptr;
}

inline SharedDevice localDevice(const DriverOptions& options = {}) {
    auto device = makeLocalDevice(options);
    EXPECT_TRUE(device) << device.error().message;
    return device ? *device : nullptr;
}

/// A runtime of `devices` and the device in this process, which says that it is so slow.
inline std::shared_ptr<Runtime> runtimeOf(NamedDevices devices, float referenceTime = 1.0F) {
    const auto reference = std::make_shared<FilteredDevice>(
        localDevice(), [](const Model&, std::size_t) { return true; });
    reference->execTime = referenceTime;
    devices.push_back(named(kReferenceDeviceName, reference));
    return makeRuntime(std::move(devices));
}

/// Of a device in this process that no model should run on if there are others.
inline constexpr float kSlow = 1e4F;

/// How a request is executed.
enum class Way : std::uint8_t { SYNCHRONOUS, ASYNCHRONOUS, FENCED, BURST, REUSABLE, SUBMITTED };
inline constexpr std::array kWays{Way::SYNCHRONOUS, Way::ASYNCHRONOUS, Way::FENCED,
                                  Way::BURST,       Way::REUSABLE,     Way::SUBMITTED};

/// Executes `request` once, in a burst of its own where the way has one.
Result<> executeIn(Way way, PreparedModel& prepared, const Request& request,
                   ExecutionOutcome& outcome);

}  // namespace nnburst::runtime
