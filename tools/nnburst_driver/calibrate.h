// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Measures the capabilities that a driver reports: the time of the reference workloads, and their
/// processor time, relative to the reference kernels on this machine.

#include <cstdint>

#include "nnburst/device.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// Runs each workload `rounds` times (at least 1), alternating `driver`'s kernels with the
/// reference kernels, and compares medians. 10 rounds take some seconds.
[[nodiscard]] Result<Capabilities> calibrate(const DriverOptions& driver, std::uint32_t rounds);

}  // namespace nnburst
