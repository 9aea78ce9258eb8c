// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A device of a runtime: its name, the properties that it reported, and how to open it again when
/// its driver is lost.

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "nnburst/device.h"
#include "nnburst/runtime.h"
#include "system/mutex.h"

namespace nnburst::runtime {

/// Thread-safe.
class NamedDevice {
  public:
    using Open = std::function<Result<SharedDevice>()>;

    /// Pause after a failed attempt to open a lost device again.
    static constexpr std::chrono::seconds kPauseBetweenAttempts{1};

    /// Opens the device and asks for its properties. Errors of `open` and of the device.
    [[nodiscard]] static Result<std::shared_ptr<NamedDevice>> create(std::string name, Open open);

    [[nodiscard]] const DeviceInfo& info() const noexcept { return info_; }

    /// The device, opened again if its driver is lost. DEVICE_UNAVAILABLE if that is not possible.
    /// May block until the driver answers.
    [[nodiscard]] Result<SharedDevice> reopenIfLost();

    /// The device that reopenIfLost() returned last; its driver may be lost.
    [[nodiscard]] SharedDevice latest();

  private:
    NamedDevice(DeviceInfo info, Open open, SharedDevice device) noexcept;

    const DeviceInfo info_;
    const Open open_;
    system::Mutex mutex_;  // held while the device is opened: one attempt serves all threads
    SharedDevice device_ NNBURST_GUARDED_BY(mutex_);
    OptionalTimePoint nextAttempt_ NNBURST_GUARDED_BY(mutex_);
};

}  // namespace nnburst::runtime
