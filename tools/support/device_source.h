// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Where programs take their device from.

#include <string>

#include "nnburst/device.h"
#include "nnburst/result.h"

namespace nnburst::tools {

/// The device that `name` stands for: "local", "spawn", or the path of a driver's socket. `options`
/// do not reach a driver that runs already.
[[nodiscard]] Result<SharedDevice> openDevice(const std::string& name,
                                              const DriverOptions& options = {});

}  // namespace nnburst::tools
