// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Makes, reads and changes the figures of Capabilities::operandPerformance.

#include <limits>
#include <span>
#include <vector>

#include "nnburst/export.h"
#include "nnburst/hal_version.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// One entry with `info` for each operand type of `version`, in the order of their codes. Without
/// types of extensions, and without SUBGRAPH, whose performance is that of IF and WHILE; with OEM
/// types.
[[nodiscard]] NNBURST_EXPORT std::vector<OperandPerformance> nonExtensionOperandPerformance(
    HalVersion version, PerformanceInfo info);

/// The figure of `type`; kNoPerformance if there is none.
[[nodiscard]] NNBURST_EXPORT PerformanceInfo
lookup(std::span<const OperandPerformance> operandPerformance, OperandType type) noexcept;

/// Sets the figure of `type` to `info`. INVALID_ARGUMENT if `type` has no entry.
[[nodiscard]] NNBURST_EXPORT Result<> update(std::span<OperandPerformance> operandPerformance,
                                             OperandType type, PerformanceInfo info);

}  // namespace nnburst
