// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Opens the devices of programs.

#include <string>

#include "nnburst/device.h"
#include "nnburst/result.h"

namespace nnburst::tools {

/// The device that `name` stands for: "local", "spawn", "nnapi" (what NNAPI's runtime chooses),
/// "nnapi:NAME" (the device of that name in NNAPI), or the path of a driver's socket. `options`
/// have no effect on NNAPI and on a driver that runs already.
[[nodiscard]] Result<SharedDevice> openDevice(const std::string& name,
                                              const DriverOptions& options = {});

}  // namespace nnburst::tools
