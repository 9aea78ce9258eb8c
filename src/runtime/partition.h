// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Divides the operations of a model among devices, into parts. A part is a list of operations that
/// one device runs in one execution.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nnburst/types.h"
#include "runtime/operand_uses.h"

namespace nnburst::runtime {

/// A device that may run operations: which ones, and their costs. One entry for each operation.
struct Candidate {
    std::vector<bool> isSupported;
    std::vector<double> costs;
};

struct Part {
    std::uint32_t candidate = 0;
    std::vector<std::uint32_t> operations;  ///< in an order of execution
};

/// One entry for each operation: the index of its candidate.
using Assignment = std::vector<std::uint32_t>;

/// The parts of `assignment`, in an order of execution. A greedy search keeps their number low: a
/// part takes operations of its device as long as there are some whose inputs are available.
[[nodiscard]] std::vector<Part> orderParts(const Subgraph& subgraph,
                                           std::span<const OperandUse> uses,
                                           const Assignment& assignment);

/// The division of lowest estimated cost that the search finds: costs of operations, kPartCost for
/// each part, and kCrossingCostPerByte for what one part takes from another. If costs are equal,
/// the earlier candidate gets the operation. nullopt if an operation has no candidate that supports
/// it.
[[nodiscard]] std::optional<std::vector<Part>> partition(const Subgraph& subgraph,
                                                         std::span<const OperandUse> uses,
                                                         std::span<const Candidate> candidates);

}  // namespace nnburst::runtime
