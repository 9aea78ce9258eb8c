// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A `SupervisedDevice` outlives its driver: when the driver is lost, another one is started or
/// connected to, and models, bursts and reusable executions are made again in it. The objects that
/// the application holds stay valid.
///
///     NNBURST_TRY_ASSIGN(const auto device, superviseDriver());
///     NNBURST_TRY_ASSIGN(const SharedPreparedModel model, prepareModel(*device, network));
///     NNBURST_TRY_ASSIGN(const auto burst, model->configureExecutionBurst({}));
///     while (camera.read(frame)) {
///         if (const Result<> result = burst->execute(request, {}, outcome); !result) {
///             skip(frame);  // DEVICE_UNAVAILABLE while there is no driver
///         }
///     }

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "nnburst/device.h"
#include "nnburst/export.h"
#include "nnburst/result.h"

namespace nnburst {

/// Whether a supervised device has a driver.
enum class DriverState : std::uint8_t {
    SERVING,  ///< a driver is there, with all models and bursts that it has not refused
    LOST,     ///< the driver is lost; another one is being started, or models are prepared in it
};

/// How a driver is supervised.
struct SupervisionOptions {
    /// Starts a driver or connects to one: must return what `spawnDriver` or `connect` gave, as the
    /// loss of any other device is not noticed, or an error; a null device is refused. Called on a
    /// thread of the library, at any time, in the working directory and the environment that the
    /// process has then. Empty: spawnDriver(), whose program is found once, by superviseDriver.
    std::function<Result<SharedDevice>()> start;
    /// How long a call waits for a driver while there is none, but not past its deadline
    /// (MISSED_DEADLINE_TRANSIENT). 0: it fails at once. A call that is running when the driver is
    /// lost fails in any case.
    std::chrono::milliseconds waitAtMost{0};
    /// Pause before the next attempt if a driver could not be started, was lost within a second, or
    /// has refused a model or burst for now. It doubles with each such attempt, up to the maximum.
    /// The first attempt follows the loss at once; a refusal is followed by at least 1 ms.
    std::chrono::milliseconds backoff{10};
    std::chrono::milliseconds maximumBackoff{1000};
    /// Called at each change of state, on a thread of the library. Must not block, and must not
    /// drop the last handle of the device. May be empty.
    std::function<void(DriverState)> onStateChange;
};

/// What has been lost and restored so far.
struct SupervisionStats {
    std::uint64_t losses = 0;
    std::uint64_t recoveries = 0;
    std::uint64_t failedAttempts = 0;  ///< starts of drivers and restorations that failed
    /// Durations of the last recovery: of the start of the driver, without the pause before it; of
    /// the preparation of models and bursts; and of the whole, from the notice of the loss.
    std::chrono::nanoseconds lastStart{0};
    std::chrono::nanoseconds lastRestoration{0};
    std::chrono::nanoseconds lastRecovery{0};
};

/// A device whose driver is started again. It differs from other devices in this:
/// - A call that is running when the driver is lost fails with DEVICE_UNAVAILABLE. So do calls
///   until another driver is there: at once, or after SupervisionOptions::waitAtMost.
/// - An execution that was submitted to a lost driver stays in flight for the application until
///   `wait` has given its error.
/// - It keeps a copy of each prepared model, with its constants, and duplicates of its cache files.
///   A model is prepared again from the cache files if that succeeds, else from the copy.
/// - Calls to a model or burst that the next driver refuses fail with DEVICE_UNAVAILABLE. If it
///   refuses for now (RESOURCE_EXHAUSTED_TRANSIENT: a limit is reached), it is asked again until
///   it accepts. If it refuses for good, the calls fail until the driver after it.
/// - `allocate` is refused: the contents of a driver's buffers are lost with it.
/// - A burst takes some tens of nanoseconds more for each call.
class NNBURST_EXPORT SupervisedDevice : public Device {
  public:
    /// Does not block.
    [[nodiscard]] virtual DriverState state() const noexcept = 0;
    /// A descriptor, owned by the device, that is readable from a change of state until
    /// `acknowledgeState`.
    [[nodiscard]] virtual int stateDescriptor() const noexcept = 0;
    /// Makes the descriptor unreadable, and returns the state.
    virtual DriverState acknowledgeState() noexcept = 0;
    [[nodiscard]] virtual SupervisionStats supervisionStats() const = 0;
};

using SharedSupervisedDevice = std::shared_ptr<SupervisedDevice>;

/// Starts a driver and supervises it until the last object of the device is dropped. Errors of
/// SupervisionOptions::start, if the first driver cannot be started.
[[nodiscard]] NNBURST_EXPORT Result<SharedSupervisedDevice> superviseDriver(
    const SupervisionOptions& options = {});

}  // namespace nnburst
