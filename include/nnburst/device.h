// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The HAL's interfaces: a `Device` prepares models, a `PreparedModel` (prepared_model.h) executes
/// requests, a `Burst` (burst.h) executes them with the least latency, a `Buffer` (buffer.h) is
/// memory that the driver manages. Four functions give a `Device`: `makeLocalDevice()` (this
/// process), `spawnDriver()` (a child process), `connect()` (a driver that others share), and
/// `superviseDriver()` (supervised_device.h: starts its driver, or connects to it, again).
///
/// Every method may be called from any thread at any time unless it says otherwise. Objects may be
/// destroyed in any order; each keeps alive what it needs. When the driver process ends, every call
/// that waits for it and every later call fails at once with DEVICE_UNAVAILABLE; a driver that
/// lives but no longer answers counts as lost after `kHangTimeout`.
///
/// A program must not cancel a thread (pthread_cancel(3)) that is in a call of the library, and
/// must not close descriptors that the library has made: either may end the process.

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nnburst/buffer.h"
#include "nnburst/burst.h"
#include "nnburst/driver_options.h"
#include "nnburst/execution.h"
#include "nnburst/export.h"
#include "nnburst/hal_version.h"
#include "nnburst/memory.h"
#include "nnburst/prepared_model.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// A driver that gives no sign of life for this long while a call, callback or fence is awaited
/// counts as lost. The driver may take longer for the call itself as long as it answers pings. A
/// call that executes or launches ends at most kDeadlineGrace (burst.h) after its deadline, if it
/// has one and the driver follows HAL 1.3.
inline constexpr std::chrono::milliseconds kHangTimeout{3000};

/// Called once, on a thread of the library, when a model is prepared or cannot be. Must not block:
/// with a driver process, `prepareModel` and `prepareModelFromCache` below, and Session::create and
/// Session::open of a model, never return in a callback of the same device. They wait for a
/// callback that this thread would run. Device::prepareModel does not wait.
using PreparedModelCallback = std::function<void(Result<SharedPreparedModel> preparedModel)>;

/// How a model is to be prepared.
struct PrepareOptions {
    /// The kernels of this library compute the same for each.
    ExecutionPreference preference = ExecutionPreference::FAST_SINGLE_ANSWER;
    Priority priority = Priority::MEDIUM;  ///< among the executions of one client
    OptionalTimePoint deadline;            ///< of the preparation
    /// Descriptors of the cache files, open for reading and writing and without O_APPEND;
    /// getNumberOfCacheFilesNeeded says how many. prepareModel fills them, and succeeds even if it
    /// cannot; without any, nothing is cached. prepareModelFromCache reads them. The caller may
    /// close them when the call returns.
    std::vector<int> modelCache;
    std::vector<int> dataCache;
    CacheToken token{};  ///< identifies the cached model
};

/// A driver (HAL 1.3 IDevice).
class NNBURST_EXPORT Device {
  public:
    virtual ~Device() = default;

    /// The version whose rules the device follows. Makes no call to the driver.
    [[nodiscard]] virtual HalVersion getHalVersion() const noexcept = 0;

    // Each of the next five asks the driver process, if there is one, and waits for its answer:
    // DEVICE_UNAVAILABLE if it is lost.

    /// Figures of performance relative to the reference, as the device's version has them
    /// (convertTo, hal_version.h). HAL 1.3 IDevice::getCapabilities_1_3.
    [[nodiscard]] virtual Result<Capabilities> getCapabilities() = 0;
    /// CPU, or what the Accelerator says; OTHER before HAL 1.2. HAL 1.2 IDevice::getType.
    [[nodiscard]] virtual Result<DeviceType> getType() = 0;
    /// Name and version of the driver, such as "nnburst-1.0.0", or what the Accelerator says;
    /// "UNKNOWN" before HAL 1.2. HAL 1.2 IDevice::getVersionString.
    [[nodiscard]] virtual Result<std::string> getVersionString() = 0;
    /// The vendor extensions that are registered in the process of the driver; none before HAL 1.2.
    /// HAL 1.2 IDevice::getSupportedExtensions.
    [[nodiscard]] virtual Result<std::vector<Extension>> getSupportedExtensions() = 0;
    /// How many descriptors PrepareOptions::modelCache and dataCache must have; 0 and 0 if nothing
    /// is cached (no key file, or before HAL 1.2). HAL 1.2 IDevice::getNumberOfCacheFilesNeeded.
    [[nodiscard]] virtual Result<NumberOfCacheFiles> getNumberOfCacheFilesNeeded() = 0;

    /// AVAILABLE; BUSY while all lanes are in use or jobs wait; OFFLINE also when the driver
    /// process is gone.
    [[nodiscard]] virtual DeviceStatus getStatus() = 0;

    /// Whether this device can run each operation of the main subgraph: one entry for each, in
    /// their order. INVALID_ARGUMENT if the model is not valid.
    [[nodiscard]] virtual Result<std::vector<bool>> getSupportedOperations(const Model& model) = 0;

    /// Prepares `model` in the background. `callback` is called exactly once; if this call returns
    /// an error, with the same error. The model may be destroyed when the call returns.
    /// INVALID_ARGUMENT if the model or an option breaks a rule, or `callback` is empty;
    /// GENERAL_FAILURE if the device does not support an operation; RESOURCE_EXHAUSTED_TRANSIENT
    /// where a limit is reached; DEVICE_UNAVAILABLE if the driver is gone. MISSED_DEADLINE_* comes
    /// through the callback alone. But if the driver has not answered kDeadlineGrace (burst.h)
    /// after the deadline, this call returns MISSED_DEADLINE_TRANSIENT, too.
    [[nodiscard]] virtual Result<> prepareModel(const Model& model, const PrepareOptions& options,
                                                PreparedModelCallback callback) = 0;

    /// As prepareModel, from the cache files that an earlier preparation filled. INVALID_ARGUMENT
    /// for another number of files; GENERAL_FAILURE if they cannot be used: prepare from the model.
    [[nodiscard]] virtual Result<> prepareModelFromCache(const PrepareOptions& options,
                                                         PreparedModelCallback callback) = 0;

    /// Allocates memory that the driver manages, for the given uses (HAL 1.3 IDevice::allocate).
    /// INVALID_ARGUMENT if a role breaks a rule or a model belongs to another device;
    /// GENERAL_FAILURE if the driver's HAL version has no buffers, the driver has no memory for
    /// one, or a limit is reached, which the message names.
    [[nodiscard]] virtual Result<AllocatedBuffer> allocate(
        const BufferDesc& desc, std::span<const SharedPreparedModel> preparedModels,
        std::span<const BufferRole> inputRoles, std::span<const BufferRole> outputRoles) = 0;
};

using SharedDevice = std::shared_ptr<Device>;

/// Prepares `model` and waits for it, also beyond the deadline if the driver has launched the
/// preparation and answers pings.
[[nodiscard]] NNBURST_EXPORT Result<SharedPreparedModel> prepareModel(
    Device& device, const Model& model, const PrepareOptions& options = {});

/// Prepares a model from the cache files that `options` names and waits for it.
[[nodiscard]] NNBURST_EXPORT Result<SharedPreparedModel> prepareModelFromCache(
    Device& device, const PrepareOptions& options);

/// A device in this process, without isolation. The threads and the memory are the application's:
/// INVALID_ARGUMENT if DriverOptions::processName, memoryLimitBytes, processors, realtimePriority
/// or lockMemory is set: these apply to driver processes only. Executions compute in the
/// floating-point environment (fenv(3): rounding mode, flushing to zero) of the threads that run
/// them: with another one than the default, outputs differ from those of a driver process.
[[nodiscard]] NNBURST_EXPORT Result<SharedDevice> makeLocalDevice(
    const DriverOptions& options = {});

/// Starts a private driver process. It ends when the last object that needs it is destroyed, or
/// when this process ends. The program is the first of these: `program`, the environment variable
/// NNBURST_DRIVER, `nnburst-driver` in the folder of the running program, `nnburst-driver` on the
/// PATH. DEVICE_UNAVAILABLE if it cannot be started or ends before it serves; its standard error
/// then says why.
[[nodiscard]] NNBURST_EXPORT Result<SharedDevice> spawnDriver(const DriverOptions& options = {},
                                                              const std::string& program = {});

/// Connects to the driver that listens on the Unix socket `path`. DEVICE_UNAVAILABLE if no driver
/// listens there; if the driver refuses this process, the status that it gives.
[[nodiscard]] NNBURST_EXPORT Result<SharedDevice> connect(const std::string& path);

}  // namespace nnburst
