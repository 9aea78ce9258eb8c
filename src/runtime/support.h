// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Which operations of a model the devices of a runtime support.

#include <cstdint>
#include <span>
#include <vector>

#include "nnburst/device.h"
#include "nnburst/runtime.h"
#include "runtime/operand_uses.h"

namespace nnburst::runtime {

/// One entry for each operation of the main subgraph of `model`, which is valid: whether `device`,
/// of which `info` is known, can run it, alone or among others. Operations that the device's HAL
/// version does not know are not shown to it. INVALID_ARGUMENT if an operation breaks a rule of the
/// HAL.
[[nodiscard]] Result<std::vector<bool>> supportedOperationsOf(Device& device,
                                                              const DeviceInfo& info,
                                                              const Model& model,
                                                              std::span<const OperandUse> uses);

/// `model` for a device of `version`, which is older than the latest: without parts that this
/// version does not have and that do not change a result. Inputs and outputs stay as they are.
[[nodiscard]] Model expressedFor(HalVersion version, Model model);

}  // namespace nnburst::runtime
