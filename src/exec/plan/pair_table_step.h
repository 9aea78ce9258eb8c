// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Operations on pairs of 8-bit elements, with broadcasting: looked up in a table of all 65,536
/// pairs, which the reference kernel fills once. So the results are the reference kernel's.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "exec/operation/operation_instance.h"
#include "exec/operation/step.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// With fewer elements, filling the table would take longer than the reference kernel.
inline constexpr std::size_t kMinimumPairs = std::size_t{1} << 16;

/// Tables that the steps of a plan may have together, of 64 KiB each: nobody is charged for them.
inline constexpr std::uint32_t kMaximumPairTables = 256;

/// A step for PRELU, ADD, SUB, MUL, MAXIMUM, MINIMUM or a comparison of 8-bit tensors with an
/// output of at least kMinimumPairs elements. Null for other operations, and if `tablesLeft` is 0,
/// from which a table is taken.
/// RESOURCE_EXHAUSTED_TRANSIENT if there is no memory.
[[nodiscard]] Result<std::unique_ptr<Step>> makePairTableStep(const OperationInstance& operation,
                                                              std::uint32_t& tablesLeft);

}  // namespace nnburst::exec
