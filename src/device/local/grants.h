// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What a device asks the system for, for low latency (DriverOptions). None of it is needed: what
/// is not granted is logged, with what the system said and what to do, and the device goes on
/// without it.

#include "nnburst/cpu_latency_request.h"
#include "nnburst/device.h"

namespace nnburst::device {

/// Holds what was granted for as long as it lives.
class Grants {
  public:
    /// Asks for what `options` name. Takes from `options` what was not granted. INVALID_ARGUMENT
    /// for what no system could grant.
    [[nodiscard]] static Result<Grants> take(DriverOptions& options);

  private:
    CpuLatencyRequest shallowIdle_;
};

}  // namespace nnburst::device
