// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A graph that can be run with inputs of any shapes that it declares: a model's main subgraph, or
/// one that IF or WHILE refers to. A graph whose shapes all follow from those of its inputs runs by
/// plans (plan.h), one for each set of input shapes; any other is interpreted (interpreter.h).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exec/graph/graph.h"
#include "exec/graph/shape_inference.h"
#include "exec/operation/operation.h"
#include "exec/plan/kernels.h"
#include "exec/plan/plan.h"
#include "exec/plan/planning_turns.h"
#include "exec/plan/run_limits.h"
#include "exec/run/preparation_limits.h"
#include "exec/run/run_memo.h"
#include "exec/xnnpack/operator_cache.h"
#include "log/assert.h"
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

    /// False for an output that is not used.
    [[nodiscard]] virtual bool wants(std::size_t output) const noexcept = 0;

    /// Called once for each output, in any order, when its shape is known and before it is computed
    /// or copied. Returns memory for it, or null if there is none: then the run computes it
    /// elsewhere.
    [[nodiscard]] virtual Result<std::byte*> place(std::size_t output, const Shape& shape,
                                                   std::uint64_t sizeBytes) = 0;

    /// An error if an output that was placed has no memory.
    [[nodiscard]] virtual Result<> sufficient() const = 0;
};

/// A graph, its constants and the originals of its operators, shared by all runners.
struct SharedGraph {
    explicit SharedGraph(std::unique_ptr<Graph> given) noexcept : graph(std::move(given)) {}

    /// As Graph::create. `filterAccount` is that of the model (dot8::makeFilterAccount).
    [[nodiscard]] static Result<std::unique_ptr<SharedGraph>> create(
        const Model& model, const Subgraph& subgraph, const PackedGraph& packed,
        const SharedAccount& filterAccount);

    /// What has been packed so far. Thread-safe.
    [[nodiscard]] PackedGraph packed() {
        const auto turn = planning.take();
        return graph->packed();
    }

    /// Its constants change only during the preparation of its first runner and while a plan is
    /// made.
    const std::unique_ptr<Graph> graph;
    xnnpack::OriginalOperators originals;
    /// Taken while a plan is made, except for the set-up of its steps. A run whose shapes have a
    /// plan does not take it.
    PlanningTurns planning;
};

/// Used by one thread at a time.
class GraphRunner {
  public:
    /// `referenced` are the runners of the model's referenced subgraphs; those that the graph
    /// refers to are there before its first run. All outlive the runner.
    GraphRunner(const Kernels& kernels, SharedGraph& shared,
                std::span<const std::unique_ptr<GraphRunner>> referenced);
    ~GraphRunner();

    /// Prepares the first runner of a graph: checks the graph and folds it until `foldingEnd`
    /// (GraphCheck), then plans or makes an interpreter. Drops what is not needed of the model's
    /// memory.
    [[nodiscard]] Result<> prepareFirst(TimePoint foldingEnd, const PreparationLimits& limits);
    /// Prepares a further runner as `first` was, which may be running.
    [[nodiscard]] Result<> prepareAs(const GraphRunner& first, const PreparationLimits& limits);

    /// Runs the graph. OUTPUT_INSUFFICIENT_SIZE (of GraphOutputs::sufficient) before anything is
    /// computed where shapes are known beforehand. The first run with certain shapes may allocate,
    /// later ones do not.
    /// `memo`, if there is one, holds the plan after a success, if there is one.
    [[nodiscard]] Result<> run(std::span<const GraphInput> inputs, GraphOutputs& outputs,
                               const RunLimits& limits, RunMemo* memo = nullptr);

    /// Whether the plan of `memo` still exists.
    [[nodiscard]] bool recalls(const RunMemo& memo) const noexcept {
        return memo.plan != nullptr && memo.generation == generation_;
    }
    /// Room for the addresses of the inputs, then of the outputs.
    [[nodiscard]] std::span<std::byte*> argumentAddresses() noexcept { return arguments_; }

    /// Whether all its shapes were known when it was prepared.
    [[nodiscard]] bool isPlanned() const noexcept { return isPlanned_; }

    /// Whether it has a plan, and several kernel threads share the work of at least one of its
    /// steps.
    [[nodiscard]] bool isMultithreaded() const noexcept {
        return !plans_.empty() && plans_.front().plan->isMultithreaded();
    }

    /// Gives back the memory of temporaries until the next run.
    void releaseScratch() const noexcept;

    /// Memory that this runner has for itself, with the structure of its plans or interpreter.
    /// Thread-safe: an estimate while it runs.
    [[nodiscard]] std::uint64_t memoryBytes() const noexcept {
        return memoryBytes_.load(std::memory_order_relaxed);
    }

    [[nodiscard]] const Graph& graph() const noexcept { return graph_; }

  private:
    struct Specialized {
        Specialization specialization;
        std::unique_ptr<Plan> plan;
        std::uint64_t memoryBytes;
        const Account* user;  ///< whose run made it; only compared
        GrowingCharge charge;
    };

    /// Whether the graph is interpreted. Keeps the constants of one that has no plan.
    Result<bool> checkGraph(TimePoint foldingEnd, GrowingCharge* memory);
    Result<> prepareToRun(bool isInterpreted, const PreparationLimits& limits);
    Result<> runPlan(Plan& plan, GraphOutputs& outputs, const RunLimits& limits);
    Result<Plan*> findPlan(const RunLimits& limits);
    Result<Plan*> addPlan(const RunLimits& limits);
    /// Makes room for a plan of `user`: drops the plan that has not been used for the longest time,
    /// of those of the user that has the most plans, the new one included.
    void dropPlan(const Account* user);
    /// Makes the wanted plan. Its memory, and before that its structure, are charged to
    /// `limits.planMemory`, or if that is null to `limits.account`, unless both are.
    Result<Specialized> specialize(const RunLimits& limits);

    const Kernels& kernels_;
    SharedGraph& shared_;
    const Graph& graph_;
    const std::uint64_t structureBytes_;  // of each plan, or of the interpreter
    const std::span<const std::unique_ptr<GraphRunner>> referenced_;
    xnnpack::OperatorCache operators_;
    std::vector<Specialized> plans_;            // the one used last is the first
    std::uint64_t generation_ = 0;              // changes when a plan is dropped
    Specialization wanted_;                     // of the run at hand; here to reuse its memory
    std::vector<std::byte*> arguments_;         // of the run at hand; null if left out
    std::unique_ptr<Interpreter> interpreter_;  // of a graph that is not planned
    bool isFirst_ = true;                       // of the runners of its graph
    bool isPlanned_ = false;
    std::atomic<std::uint64_t> memoryBytes_{0};
};

}  // namespace nnburst::exec
