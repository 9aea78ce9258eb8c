// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The framework of the Neural Networks HAL: a `Runtime` finds devices, divides a model among them,
/// and runs a part on the CPU device of this process when its device fails. The C API of NNAPI
/// (android/NeuralNetworks.h, libneuralnetworks.so) is built on it.
///
/// `compile` returns a PreparedModel like that of a device: with synchronous, asynchronous and
/// fenced executions, and bursts with reusable executions.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nnburst/device.h"
#include "nnburst/driver_options.h"
#include "nnburst/export.h"
#include "nnburst/hal_version.h"
#include "nnburst/prepared_model.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// The name of the device that runs models in this process, as Android calls it.
inline constexpr const char* kReferenceDeviceName = "nnapi-reference";

/// How a runtime is set up.
struct RuntimeOptions {
    /// Configuration files that name the devices, or folders of such files (`*.json`, in the order
    /// of their names); docs/nnapi.md has the format. Empty: the paths in the environment's
    /// NNBURST_DEVICES, separated by colons, or else /etc/nnburst/devices.d.
    std::vector<std::string> configuration;
    /// Options of the device in this process.
    DriverOptions reference;
};

/// What a device reported when it was found. Does not change while the runtime lives.
struct DeviceInfo {
    std::string name;  ///< from the configuration; no two devices have the same
    std::string versionString;
    DeviceType type = DeviceType::OTHER;
    HalVersion version = kLatestHalVersion;
    Capabilities capabilities;
    std::vector<Extension> extensions;
    NumberOfCacheFiles cacheFiles;
};

/// How a model is to be compiled.
struct CompileOptions {
    /// Indices into Runtime::devices: the model runs on these only, and a device that fails is not
    /// replaced. Empty: the runtime chooses among all devices, and the device in this process
    /// replaces one that fails.
    std::vector<std::size_t> devices;
    ExecutionPreference preference = ExecutionPreference::FAST_SINGLE_ANSWER;
    Priority priority = Priority::MEDIUM;
    OptionalTimePoint deadline;
    /// A folder for cache files; their names are made from `token`, which identifies the model.
    /// Empty: nothing is cached.
    std::string cacheDirectory;
    CacheToken token{};
};

/// How often parts of compiled models fell back to the CPU, which is the device in this process.
struct RuntimeStats {
    std::uint64_t failedPreparations = 0;  ///< parts that were compiled for the CPU instead
    std::uint64_t failedExecutions = 0;    ///< parts that were executed on the CPU instead
};

/// Finds devices and compiles models for them. Every method may be called from any thread.
class NNBURST_EXPORT Runtime {
  public:
    /// Reads the configuration and asks each device what it is. A device that cannot be opened or
    /// does not answer is left out, with a warning in the log. INVALID_ARGUMENT if RuntimeOptions
    /// are wrong for the device in this process.
    [[nodiscard]] static Result<std::shared_ptr<Runtime>> create(
        const RuntimeOptions& options = {});

    virtual ~Runtime() = default;

    /// In the order of the configuration; the device in this process is the last.
    [[nodiscard]] virtual std::span<const DeviceInfo> devices() const noexcept = 0;

    /// If the driver of device `device` was lost, tries once to connect to it again or to start it
    /// again. Blocks until the driver answers, or counts as lost because it gave no sign of life
    /// for kHangTimeout, and while another thread does the same. DEVICE_UNAVAILABLE if there is no
    /// driver then; at once in the second after a failed attempt. INVALID_ARGUMENT if there is no
    /// such device.
    [[nodiscard]] virtual Result<> waitForDevice(std::size_t device) = 0;

    /// Whether device `device` can run each operation of the main subgraph: one entry for each, in
    /// their order. All false if the device is lost. INVALID_ARGUMENT if the model is not valid.
    [[nodiscard]] virtual Result<std::vector<bool>> supportedOperations(const Model& model,
                                                                        std::size_t device) = 0;

    /// Divides `model` among devices and prepares each part; waits for that. The model may be
    /// destroyed when the call returns. INVALID_ARGUMENT if the model is not valid, or a chosen
    /// device does not exist; GENERAL_FAILURE if the chosen devices cannot run an operation;
    /// otherwise errors of Device::prepareModel. An execution of a divided model ends with the
    /// first part of which an output is too small (OUTPUT_INSUFFICIENT_SIZE). Outputs of later
    /// parts whose dimensions neither the model nor the request gives then count as sufficient.
    [[nodiscard]] virtual Result<SharedPreparedModel> compile(const Model& model,
                                                              const CompileOptions& options) = 0;

    /// Counts since the runtime was created.
    [[nodiscard]] virtual RuntimeStats stats() const noexcept = 0;
};

using SharedRuntime = std::shared_ptr<Runtime>;

}  // namespace nnburst
