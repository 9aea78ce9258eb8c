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
#include "exec/graph/shape_inference.h"
#include "exec/run/graph_runner.h"
#include "exec/threads/kernel_threads.h"
#include "exec/xnnpack/operator_cache.h"
#include "memory/aligned_buffer.h"
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

  private:
    /// An operand's place while the graph runs.
    struct Value {
        std::byte* data = nullptr;
        GrowingBuffer own;
        std::uint32_t output = UINT32_MAX;  ///< which of the graph's it is
        /// Decides shapes, addresses or branches: must be in private memory, whoever gave it.
        bool isPrivate = false;
    };
    struct OperationState;
    class BranchOutputs;

    Result<> takeInputs(std::span<const GraphInput> inputs);
    Result<> runOperation(std::uint32_t operation);
    Result<> runKernel(std::uint32_t operation);
    Result<> runShrinking(std::uint32_t operation);
    Result<> runIf(std::uint32_t operation);
    Result<> runWhile(std::uint32_t operation);

    /// Shapes and values that decide shapes are those of the last `prepare` of the operation.
    [[nodiscard]] bool isPrepared(std::uint32_t operation) const;
    Result<> prepare(std::uint32_t operation);
    Result<> makeStep(std::uint32_t operation);
    void collectInputs(std::uint32_t operation, std::size_t first);

    [[nodiscard]] std::byte* dataOf(std::uint32_t operand) const noexcept;
    [[nodiscard]] std::uint64_t sizeBytesOf(std::uint32_t operand) const;

    /// Gives the operand own memory of this size.
    Result<> reserve(std::uint32_t operand, std::uint64_t sizeBytes);
    /// Gives an operand whose shape is known memory, in the graph's output if it may lie there.
    Result<> place(std::uint32_t operand);
    /// Copies an operand in own memory to the graph's output that it is, if it is one.
    Result<> publish(std::uint32_t operand);

    const Graph& graph_;
    const Kernels& kernels_;
    xnnpack::OperatorCache& operators_;
    const std::span<const std::unique_ptr<GraphRunner>> referenced_;
    ShapeInference shapes_;
    std::vector<Value> values_;                            // one an operand
    std::vector<std::unique_ptr<OperationState>> states_;  // one an operation
    std::vector<GraphInput> inputs_;                       // of a subgraph that is called
    std::uint64_t ownBytes_ = 0;
    GraphOutputs* outputs_ = nullptr;    // of the run at hand
    const RunLimits* limits_ = nullptr;  // of the run at hand
};

}  // namespace nnburst::exec
