// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The loop of WHILE (HAL 1.3). operation/control_flow.h shows its operands.

#include <vector>

#include "exec/run/charged_buffer.h"
#include "exec/run/graph_runner.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// The iterations of one WHILE. Keeps the state of two iterations, so that repeated runs allocate
/// nothing.
class Loop {
  public:
    /// Runs `body` as long as `condition` is true. `values` are the inputs of both subgraphs, the
    /// state first. Afterwards they have the state of the last iteration, in memory of this object,
    /// or where it was before if there was no iteration. MISSED_DEADLINE_PERSISTENT if the
    /// iterations take longer than limits.loopTimeout, which acts inside them as a deadline does.
    [[nodiscard]] Result<> run(GraphRunner& condition, GraphRunner& body,
                               std::vector<GraphInput>& values, const RunLimits& limits);

    /// Gives back the memory of the state until the next run.
    void releaseScratch() const noexcept;

  private:
    using Buffers = std::vector<ChargedBuffer>;
    class State;
    class Condition;

    Buffers current_;
    Buffers next_;
    std::vector<GraphInput> placed_;  // where the current iteration puts the state
};

}  // namespace nnburst::exec
