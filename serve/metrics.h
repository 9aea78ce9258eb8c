// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The server's state as text for Prometheus.

#include <string>

#include "nnburst/supervised_device.h"
#include "server_state.h"

namespace nnburst::serve {

/// `device` is null where the driver is not supervised.
[[nodiscard]] std::string metricsText(const ServerState& state, const SupervisedDevice* device);

}  // namespace nnburst::serve
