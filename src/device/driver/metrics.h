// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The figures of a driver in the text format of Prometheus, version 0.0.4. docs/driver.md has the
/// list.

#include <string>

#include "device/driver/broker.h"
#include "device/driver/service.h"

namespace nnburst::device {

/// On the event loop's thread.
[[nodiscard]] std::string metricsText(const Service& service);

/// Of a broker: its clients, users and workers. What clients use is counted in their workers.
[[nodiscard]] std::string metricsText(const Broker& broker);

}  // namespace nnburst::device
