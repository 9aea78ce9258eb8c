// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Checks, before a graph runs, whether it can run without the inputs that a request leaves out, by
/// the checks of the operations that read them.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exec/graph/graph.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// Use once. Only reads graphs, which do not change once they are prepared.
class OmissionCheck {
  public:
    /// Limit on the operands, operations and operands of operations that a check looks at, some
    /// 2^16 operations: IF and WHILE may refer to the same subgraphs many times. Errors in the rest
    /// are found when the graph runs.
    static constexpr std::size_t kMaximumWork = 1 << 18;

    /// `referenced` are the model's referenced subgraphs. Once `isCancelled`, unless that is null,
    /// is true, the check ends without an error.
    explicit OmissionCheck(std::vector<const Graph*> referenced,
                           const std::atomic<bool>* isCancelled = nullptr) noexcept
        : referenced_(std::move(referenced)), isCancelled_(isCancelled) {}

    /// `isOmitted` has one entry for each input of `graph`. INVALID_ARGUMENT names the operation
    /// and the operand if an operation that is certain to run cannot do without one. Of the
    /// subgraphs of an IF only one runs; of those of a WHILE only the condition is certain to.
    [[nodiscard]] Result<> check(const Graph& graph, const std::vector<bool>& isOmitted);

  private:
    using Omitted = std::vector<bool>;  // one for each operand

    Result<> checkIf(const Graph& graph, const Operation& operation, const Omitted& isOmitted);
    Result<> checkReferenced(std::uint32_t subgraph, const Operation& operation,
                             std::size_t firstInput, const Omitted& isOmitted);

    /// Counts `work` more. True if the check is to end.
    [[nodiscard]] bool isOverAfter(std::size_t work) noexcept;

    const std::vector<const Graph*> referenced_;
    const std::atomic<bool>* const isCancelled_;
    std::size_t work_ = 0;
};

}  // namespace nnburst::exec
