// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Runs a graph operation by operation and finds out the shapes as it goes: for graphs in which
/// values decide shapes, or which have IF or WHILE. Every operand has memory of its own, and every
/// operation keeps its step for as long as shapes and values stay the same, so that repeated runs
/// allocate nothing.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exec/graph/graph.h"
#include "exec/plan/kernels.h"
#include "exec/run/graph_runner.h"
#include "exec/run/operand_values.h"
#include "exec/xnnpack/operator_cache.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// Used by one thread at a time.
class Interpreter {
  public:
    /// Everything outlives the interpreter. The constants of `graph` are kept.
    Interpreter(const Graph& graph, const Kernels& kernels, xnnpack::OperatorCache& operators,
                std::span<const std::unique_ptr<GraphRunner>> referenced);
    ~Interpreter();

    /// See GraphRunner::run.
    [[nodiscard]] Result<> run(std::span<const GraphInput> inputs, GraphOutputs& outputs,
                               const RunLimits& limits);

    /// Gives back the memory of operands until the next run.
    void releaseScratch() const noexcept;
    /// The size of that memory, and of what the steps keep.
    [[nodiscard]] std::uint64_t memoryBytes() const noexcept;

  private:
    struct OperationState;
    class BranchOutputs;

    Result<> runOperation(std::uint32_t operation);
    Result<> runKernel(std::uint32_t operation);
    /// Gives the outputs memory. False, and none, if none of them fits in its argument and no
    /// operation reads them.
    Result<bool> placeOutputs(const Operation& operation);
    Result<> runShrinking(std::uint32_t operation);
    Result<> runIf(std::uint32_t operation);
    Result<> runWhile(std::uint32_t operation);

    Result<> prepare(std::uint32_t operation);
    Result<> makeStep(std::uint32_t operation);
    /// A subgraph that IF or WHILE runs.
    [[nodiscard]] GraphRunner& referenced(std::uint32_t subgraph) const;
    void collectInputs(std::uint32_t operation, std::size_t first);

    const Graph& graph_;
    const Kernels& kernels_;
    xnnpack::OperatorCache& operators_;
    const std::span<const std::unique_ptr<GraphRunner>> referenced_;
    OperandValues values_;
    std::vector<std::unique_ptr<OperationState>> states_;  // one for each operation
    std::vector<GraphInput> inputs_;                       // of a subgraph that is called
    const RunLimits* limits_ = nullptr;                    // of the current run
    TimeLimit timeLimit_;                                  // of the current run
};

}  // namespace nnburst::exec
