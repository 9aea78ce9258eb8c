// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Measures what a driver reports as its capabilities: how long the reference workloads take, and
/// how much processor time, relative to the reference kernels on this machine.

#include <cstdint>

#include "nnburst/device.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// Runs each workload `rounds` times (at least 1) with `driver`'s kernels and with the reference
/// kernels in turns, and compares medians. Takes some seconds for 10 rounds.
[[nodiscard]] Result<Capabilities> calibrate(const DriverOptions& driver, std::uint32_t rounds);

}  // namespace nnburst
