// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Constant folding: computes operations on constants once, before the first run.

#include <cstddef>

#include "account/growing_charge.h"
#include "exec/graph/graph.h"
#include "exec/graph/shape_inference.h"
#include "exec/operation/time_limit.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// If all inputs of the operation are constants and no output is one of the graph's, computes it
/// with its reference kernel and makes its outputs constants: plans then skip the operation.
/// `shapes` has just visited it. An operation is left to the runs of the graph if it is not
/// computed when `limit` is over, or if its kernel refuses it: then each run gives that error.
/// Results are charged to `memory`, unless that is null. RESOURCE_EXHAUSTED_* if they cannot be.
[[nodiscard]] Result<> foldOperation(Graph& graph, const ShapeInference& shapes,
                                     std::size_t operation, TimeLimit& limit,
                                     GrowingCharge* memory);

}  // namespace nnburst::exec
