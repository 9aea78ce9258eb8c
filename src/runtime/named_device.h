// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A device of a runtime: its name, what it has said of itself, and how it is opened again when its
/// driver is lost.

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

    /// After an attempt to open a lost device again has failed, the next one is not before this.
    static constexpr std::chrono::seconds kPauseBetweenAttempts{1};

    /// Opens the device and asks it what it is. Its errors, and those of `open`.
    [[nodiscard]] static Result<std::shared_ptr<NamedDevice>> create(std::string name, Open open);

    [[nodiscard]] const DeviceInfo& info() const noexcept { return info_; }

    /// The device, opened again if its driver is lost. DEVICE_UNAVAILABLE if that is not possible.
    /// May block until the driver answers.
    [[nodiscard]] Result<SharedDevice> present();

    /// The device that present() gave last; its driver may be lost.
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
