// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Starting the same driver several times.

#include <functional>
#include <string>

#include "nnburst/device.h"

namespace nnburst::device {

/// Returns a function that starts a driver as spawnDriver does. The program and the files of
/// `options` are looked up once, now, so that a later change of the working directory does not
/// matter. The driver gets the environment that the process has when it is started. Any thread may
/// call the function.
[[nodiscard]] std::function<Result<SharedDevice>()> driverStarter(const DriverOptions& options = {},
                                                                  const std::string& program = {});

}  // namespace nnburst::device
