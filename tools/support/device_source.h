// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The devices of programs, and the option that names one.

#include <string>

#include "nnburst/device.h"
#include "nnburst/result.h"

namespace CLI {
class App;
}

namespace nnburst::tools {

/// Adds the option --device. `name` is the default and outlives `app`. `spawned` completes "spawn:
/// in ...".
void addDeviceOption(CLI::App& app, std::string& name, const std::string& spawned);

/// The device that `name` stands for: "local", "spawn", "nnapi" (what NNAPI's runtime chooses),
/// "nnapi:NAME" (the device of that name in NNAPI), or the path of a driver's socket. `options`
/// have no effect on NNAPI and on a driver that runs already.
[[nodiscard]] Result<SharedDevice> openDevice(const std::string& name,
                                              const DriverOptions& options = {});

}  // namespace nnburst::tools
