// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The capabilities that were measured on this machine, kept for all later starts of drivers with
/// the same kernels. The HAL wants measured figures (HAL 1.0 types.hal, PerformanceInfo) that stay
/// the same while a driver runs.

#include <string>

#include "nnburst/driver_options.h"
#include "nnburst/result.h"

namespace nnburst {

/// Where the figures of drivers with the threads and kernels of `driver` are kept on a machine with
/// this processor. Empty if the user has no directory for it.
[[nodiscard]] std::string machineCapabilitiesFile(const DriverOptions& driver);

/// Measures in a child process that runs only on processors with nothing else to do, and that ends
/// with this one; writes `file` at the end. Later starts use it. To be called before this process
/// has started a thread. GENERAL_FAILURE if there is no process to be had.
[[nodiscard]] Result<> measureInBackground(const DriverOptions& driver, const std::string& file);

}  // namespace nnburst
