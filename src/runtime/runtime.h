// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Makes a runtime of given devices: for Runtime::create, and for tests.

#include <memory>

#include "nnburst/runtime.h"
#include "runtime/device_discovery.h"

namespace nnburst::runtime {

/// The last of `devices` runs in this process and supports all models.
[[nodiscard]] std::shared_ptr<Runtime> makeRuntime(NamedDevices devices);

}  // namespace nnburst::runtime
