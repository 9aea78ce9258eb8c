// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Finds the devices of a runtime.

#include <memory>
#include <vector>

#include "nnburst/runtime.h"
#include "runtime/named_device.h"

namespace nnburst::runtime {

using NamedDevices = std::vector<std::shared_ptr<NamedDevice>>;

/// The devices of the configuration that can be opened and answer, in its order, and the device in
/// this process as the last. All drivers are asked at the same time, so that several drivers that
/// do not answer take no longer than one. Errors of makeLocalDevice.
[[nodiscard]] Result<NamedDevices> findDevices(const RuntimeOptions& options);

}  // namespace nnburst::runtime
