// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// One burst with its own request, plain and reusable.

#include <memory>

#include "nnburst/device.h"
#include "support/pooled_request.h"

namespace nnburst::bench {

/// Options with which both sides wait in `mode`.
[[nodiscard]] BurstOptions bothSides(WaitMode mode);

/// The calls return false if the execution failed. Used by one thread at a time.
class BurstPath {
  public:
    /// A burst of `prepared`, which was prepared from `model`. Ends the program with a message if
    /// that fails.
    BurstPath(const Model& model, PreparedModel& prepared, const BurstOptions& options = {});
    /// The same, after preparing `model` on `device`.
    BurstPath(const Model& model, Device& device, const BurstOptions& options = {});

    [[nodiscard]] bool execute() {
        return burst_->execute(request_.request(), {}, outcome_).has_value();
    }
    [[nodiscard]] bool compute() { return reusable_->compute({}, outcome_).has_value(); }

    [[nodiscard]] const Burst& burst() const noexcept { return *burst_; }

  private:
    tools::PooledRequest request_;
    std::unique_ptr<Burst> burst_;
    std::unique_ptr<ReusableExecution> reusable_;
    ExecutionOutcome outcome_;
};

}  // namespace nnburst::bench
