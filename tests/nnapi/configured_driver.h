// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A test program whose runtime has a driver process of its own beside the device of this process:
/// configured_driver.cpp writes the configuration before the first call of the API.

#include <sys/types.h>

#include <vector>

namespace nnburst::nnapi {

/// The name of the device in a driver process.
inline constexpr const char* kDriverDevice = "nnburst-spawned";

/// The driver processes that this process has started and that live.
[[nodiscard]] std::vector<pid_t> driverProcesses();

}  // namespace nnburst::nnapi
