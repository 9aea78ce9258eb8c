// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Checks the subgraphs of IF and WHILE. operation/control_flow.h shows their operands.

#include <array>
#include <cstdint>

#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// The referenced subgraphs that `operation` (IF or WHILE) of `subgraph` runs, by their index: then
/// and else, or condition and body. Requires an operation that its definition has checked.
[[nodiscard]] std::array<std::uint32_t, 2> referencedSubgraphs(const Subgraph& subgraph,
                                                               const Operation& operation);

/// Checks IF or WHILE against the subgraphs that it runs: numbers, types, quantisation and declared
/// dimensions of their inputs and outputs. Conditions are declared as one truth value. Requires an
/// operation that its definition has checked, of a valid model.
[[nodiscard]] Result<> checkControlFlow(const Model& model, const Subgraph& subgraph,
                                        const Operation& operation);

}  // namespace nnburst::exec
