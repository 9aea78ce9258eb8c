// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The capabilities that were measured on this machine, kept for later starts of drivers with the
/// same kernels. The HAL requires measured values (HAL 1.0 types.hal, PerformanceInfo) that stay
/// the same while a driver runs.

#include <sys/types.h>

#include <string>

#include "nnburst/driver_options.h"
#include "nnburst/result.h"

namespace nnburst {

/// The file of the values for drivers with the threads and kernels of `driver`, on a machine with
/// this processor. Empty if the user has no directory for it.
[[nodiscard]] std::string machineCapabilitiesFile(const DriverOptions& driver);

/// Measures in a child process that runs only when processors are idle and ends with this one; it
/// writes `file` at the end, for later starts. Must be called before this process has started a
/// thread. Gives the child, which is to be reaped. GENERAL_FAILURE if no process can be started.
[[nodiscard]] Result<pid_t> measureInBackground(const DriverOptions& driver,
                                                const std::string& file);

}  // namespace nnburst
