// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Makes plans: infers all shapes, chooses a step for each operation (operation_step.h), lets
/// operands share memory.

#include <memory>

#include "exec/graph/graph.h"
#include "exec/plan/kernels.h"
#include "exec/plan/plan.h"
#include "exec/plan/planning_turns.h"
#include "exec/plan/run_limits.h"
#include "exec/xnnpack/backend.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// Plans `graph` for `specialization`, which bind has checked against the model. Constants that
/// steps need in runs are copied by `Constants::keep`. The plan points into `graph` and uses
/// `kernels`. Weights that our own kernels pack are charged to the account of `limits`, unless that
/// is null. Ends between two operations when `limits` is over, and does not yield to other
/// executions. INVALID_ARGUMENT names the operation that cannot be. `turn`, which is not null, is
/// the right to plan `graph`. While no other thread waits for it, the planner calls letOthersRun
/// between operations. It is given back before the steps are set up, since setting them up may take
/// long.
[[nodiscard]] Result<std::unique_ptr<Plan>> makePlan(
    Graph& graph, const Specialization& specialization, const Kernels& kernels,
    xnnpack::OperatorCache& operators, PlanningTurns::Turn turn, const RunLimits& limits = {});

}  // namespace nnburst::exec
