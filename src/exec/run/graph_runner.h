// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A graph that can be run with inputs of any shapes that it declares: a model's main subgraph, or
/// one that IF or WHILE refers to. A graph whose shapes all follow from those of its inputs runs by
/// plans (plan.h), one for each set of input shapes; any other is interpreted (interpreter.h).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exec/graph/graph.h"
#include "exec/graph/shape_inference.h"
#include "exec/operation/operation.h"
#include "exec/plan/plan.h"
#include "exec/plan/run_limits.h"
#include "exec/run/run_memo.h"
#include "exec/threads/kernel_threads.h"
#include "exec/xnnpack/operator_cache.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

class Interpreter;

/// An input of a run. Its bytes may change while the graph runs.
struct GraphInput {
    Shape shape;
    std::byte* data = nullptr;
    bool isOmitted = false;
};

/// Where the outputs of a run go.
class GraphOutputs {
  public:
    virtual ~GraphOutputs() = default;

    /// False for an output that nobody asks for.
    [[nodiscard]] virtual bool wants(std::size_t output) const noexcept = 0;

    /// The output has this shape. Called once an output, in any order, before it is computed or
    /// copied. Gives memory for it, or null if there is none: the run goes on elsewhere.
    [[nodiscard]] virtual Result<std::byte*> place(std::size_t output, const Shape& shape,
                                                   std::uint64_t sizeBytes) = 0;

    /// Why not all outputs that were placed have memory; nothing if they have.
    [[nodiscard]] virtual Result<> sufficient() const = 0;
};

/// Used by one thread at a time.
class GraphRunner {
  public:
    /// `referenced` are the model's referenced subgraphs; those that the graph refers to are there
    /// before its first run. Both outlive the runner.
    GraphRunner(const Kernels& kernels, std::unique_ptr<Graph> graph,
                std::span<const std::unique_ptr<GraphRunner>> referenced);
    ~GraphRunner();

    /// Checks and folds the graph and does before the first run what can be done. Drops what is
    /// not needed of the model's memory.
    [[nodiscard]] Result<> prepare();

    /// Runs the graph. OUTPUT_INSUFFICIENT_SIZE (of GraphOutputs::sufficient) before anything is
    /// computed where shapes are known beforehand. The first run with certain shapes may allocate,
    /// later ones do not.
    /// `memo`, if there is one, then holds the plan, if there is one.
    [[nodiscard]] Result<> run(std::span<const GraphInput> inputs, GraphOutputs& outputs,
                               const RunLimits& limits, RunMemo* memo = nullptr);

    /// The plan of `memo` is still there.
    [[nodiscard]] bool recalls(const RunMemo& memo) const noexcept {
        return memo.plan != nullptr && memo.generation == generation_;
    }
    /// Where `runAgain` wants the addresses of the inputs, null for those that are left out.
    [[nodiscard]] std::span<std::byte*> inputAddresses() noexcept {
        return std::span(arguments_).first(wanted_.inputs.size());
    }
    /// As run, where nothing but addresses has changed since the run that filled `memo`, which the
    /// graph recalls.
    [[nodiscard]] Result<> runAgain(const RunMemo& memo, GraphOutputs& outputs,
                                    const RunLimits& limits);

    /// All its shapes were known when it was prepared.
    [[nodiscard]] bool isPlanned() const noexcept { return !plans_.empty(); }

    /// It has a plan, and several kernel threads share the work of at least one of its steps.
    [[nodiscard]] bool isMultithreaded() const noexcept {
        return !plans_.empty() && plans_.front().plan->isMultithreaded();
    }

    /// Gives back the memory of temporaries until the next run.
    void releaseScratch() const noexcept;

    [[nodiscard]] const Graph& graph() const noexcept { return *graph_; }

  private:
    struct Specialized {
        Specialization specialization;
        std::unique_ptr<Plan> plan;
    };

    Result<> runPlan(Plan& plan, GraphOutputs& outputs, const RunLimits& limits);
    Result<Plan*> findPlan();
    Result<Plan*> addPlan();

    const Kernels& kernels_;
    const std::unique_ptr<Graph> graph_;  // does not change once it is prepared
    const std::span<const std::unique_ptr<GraphRunner>> referenced_;
    xnnpack::OperatorCache operators_;
    std::vector<Specialized> plans_;            // the one used last is the first
    std::uint64_t generation_ = 0;              // changes when a plan is dropped
    Specialization wanted_;                     // of the run at hand; here to reuse its memory
    std::vector<std::byte*> arguments_;         // of the run at hand
    std::unique_ptr<Interpreter> interpreter_;  // of a graph that is not planned
};

}  // namespace nnburst::exec
