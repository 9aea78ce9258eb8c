// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What it is estimated to cost to run an operation on a device. The unit is that of a nanosecond
/// of the device in this process; with a preference for low power it stands for the energy of one.
/// Estimates decide between devices and nothing else.

#include <vector>

#include "nnburst/types.h"

namespace nnburst::runtime {

/// Of an execution on one more device: a request and its answer.
inline constexpr double kStepCost = 5000.0;
/// Of each byte that another device takes: it comes from another processor's cache.
inline constexpr double kCrossingCostPerByte = 0.05;

/// What each operation of the main subgraph of `model` takes on a device of performance 1.0.
[[nodiscard]] std::vector<double> operationWork(const Model& model);

/// How much a device takes of it: the figure of its capabilities for this operation and preference
/// (HAL 1.3 Capabilities: IF and WHILE have their own, others go by the type of their first
/// tensor).
[[nodiscard]] double performanceFactor(const Capabilities& capabilities, const Model& model,
                                       const Operation& operation, ExecutionPreference preference);

/// The size of an operand in bytes, as far as it is known.
[[nodiscard]] double estimatedBytes(const Operand& operand);

}  // namespace nnburst::runtime
