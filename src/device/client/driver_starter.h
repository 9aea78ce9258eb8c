// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Starting the same driver several times.

#include <functional>
#include <string>

#include "nnburst/device.h"

namespace nnburst::device {

/// Each call of what it returns does what spawnDriver would do now. The program and the files of
/// `options` are found now: it does not matter that the process changes its working directory or
/// its environment later. Any thread may call it.
[[nodiscard]] std::function<Result<SharedDevice>()> driverStarter(const DriverOptions& options = {},
                                                                  const std::string& program = {});

}  // namespace nnburst::device
