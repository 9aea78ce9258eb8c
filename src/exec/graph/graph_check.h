// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The check of a graph's operations by their definitions.

#include <chrono>
#include <cstddef>

#include "account/growing_charge.h"
#include "exec/graph/graph.h"
#include "exec/graph/shape_inference.h"
#include "exec/operation/time_limit.h"
#include "nnburst/hal_version.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// Checks the operations of a graph, in order, and folds those of constants.
class GraphCheck {
  public:
    /// Time limit of folding. Operations on constants that are not computed by then are left to the
    /// runs of the graph, which have deadlines: a small model can contain hours of such work.
    static constexpr std::chrono::milliseconds kMaximumFoldingTime{500};

    /// The end of a folding that begins now; the same for all graphs of a model.
    [[nodiscard]] static TimePoint endOfFolding() noexcept {
        return std::chrono::steady_clock::now() + kMaximumFoldingTime;
    }

    /// Results of folding are charged to `memory`, unless that is null.
    GraphCheck(Graph& graph, TimePoint foldingEnd, GrowingCharge* memory = nullptr)
        : graph_(graph), shapes_(graph), foldingLimit_(foldingEnd), memory_(memory) {}

    /// Gives the first HAL version that allows the operation. The error does not say which
    /// operation it is. RESOURCE_EXHAUSTED_* if its results cannot be charged.
    [[nodiscard]] Result<HalVersion> visit(std::size_t operation);
    /// The same for a graph that does not run: does not fold where the results cannot be charged.
    [[nodiscard]] Result<HalVersion> visitOnly(std::size_t operation);

    [[nodiscard]] const ShapeInference& shapes() const noexcept { return shapes_; }

  private:
    Graph& graph_;
    ShapeInference shapes_;
    TimeLimit foldingLimit_;
    GrowingCharge* const memory_;
};

}  // namespace nnburst::exec
