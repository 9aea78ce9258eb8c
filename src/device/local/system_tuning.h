// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Settings of the operating system that lower latency (DriverOptions): real-time priority, locked
/// memory, huge pages, shallow idle states. All are optional: a setting that the system refuses is
/// logged with the system's reason and a remedy, and the device works without it.

#include "nnburst/cpu_latency_request.h"
#include "nnburst/device.h"

namespace nnburst::device {

/// The settings that were applied. The destructor undoes those that can be undone.
class SystemTuning {
  public:
    /// Applies the settings in `options` and resets in `options` those that the system refused.
    /// INVALID_ARGUMENT for values that no system accepts.
    [[nodiscard]] static Result<SystemTuning> apply(DriverOptions& options);

  private:
    CpuLatencyRequest latencyRequest_;
};

}  // namespace nnburst::device
