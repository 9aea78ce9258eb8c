// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Estimates what an operation costs on a device. The unit is the cost of one nanosecond on the
/// device in this process: its time, or its energy if the application prefers low power. The
/// estimates are only used to choose devices.

#include <vector>

#include "nnburst/types.h"

namespace nnburst::runtime {

/// The cost of one more part: a request and its answer.
inline constexpr double kPartCost = 5000.0;
/// The cost of each byte that another device reads: it comes from another processor's cache.
inline constexpr double kCrossingCostPerByte = 0.05;

/// The cost of each operation of the main subgraph of `model` on a device of performance 1.0.
[[nodiscard]] std::vector<double> operationWork(const Model& model);

/// The factor of a device on that cost: the figure in its capabilities for this operation and
/// preference (HAL 1.3 Capabilities: IF and WHILE have their own, others go by the type of their
/// first tensor).
[[nodiscard]] double performanceFactor(const Capabilities& capabilities, const Model& model,
                                       const Operation& operation, ExecutionPreference preference);

/// The size of an operand in bytes, as far as it is known.
[[nodiscard]] double estimatedBytes(const Operand& operand);

}  // namespace nnburst::runtime
