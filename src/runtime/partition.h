// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Divides the operations of a model among devices: which device runs which operation, and in which
/// steps. A step is a list of operations that one device runs in one execution.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nnburst/types.h"
#include "runtime/operand_uses.h"

namespace nnburst::runtime {

/// What a device can do, and at what cost. One entry an operation.
struct Candidate {
    std::vector<bool> isSupported;
    std::vector<double> costs;
};

struct Step {
    std::uint32_t candidate = 0;
    std::vector<std::uint32_t> operations;  ///< in an order of execution
};

/// One entry an operation: the index of its candidate.
using Assignment = std::vector<std::uint32_t>;

/// The steps of `assignment`, in an order of execution, with as few changes between devices as a
/// greedy search finds: as long as the device at hand has operations whose inputs are there, it
/// goes on.
[[nodiscard]] std::vector<Step> orderSteps(const Subgraph& subgraph,
                                           std::span<const OperandUse> uses,
                                           const Assignment& assignment);

/// The division of lowest estimated cost that the search finds: costs of operations, kStepCost for
/// each step, and kCrossingCostPerByte for what one step takes from another. Among equal ones the
/// earlier candidate has the operation. Nothing if no candidate supports some operation.
[[nodiscard]] std::optional<std::vector<Step>> partition(const Subgraph& subgraph,
                                                         std::span<const OperandUse> uses,
                                                         std::span<const Candidate> candidates);

}  // namespace nnburst::runtime
