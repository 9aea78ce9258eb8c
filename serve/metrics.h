// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The server's state as text for Prometheus.

#include <string>

#include "server_state.h"

namespace nnburst::serve {

[[nodiscard]] std::string metricsText(const ServerState& state);

}  // namespace nnburst::serve
