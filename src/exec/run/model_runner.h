// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What runs a compiled model: the plans, arenas, operators and interpreters of its graphs. A model
/// has one runner for each run that may be under way at a time. Its runners share the graphs, their
/// constants and the packed weights.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exec/graph/graph.h"
#include "exec/plan/kernels.h"
#include "exec/plan/run_limits.h"
#include "exec/run/argument_binder.h"
#include "exec/run/graph_runner.h"
#include "exec/run/packed_model.h"
#include "exec/run/preparation_limits.h"
#include "exec/run/request_bindings.h"
#include "exec/run/request_outputs.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// The graphs of a compiled model, for all its runners.
struct ModelGraphs {
    /// Of `model`, which is valid, with what is packed of it.
    [[nodiscard]] static Result<ModelGraphs> create(const Model& model, const PackedModel& packed);

    /// Memory of the filters of our own kernels beyond that of the model's constants.
    [[nodiscard]] std::uint64_t additionalFilterBytes() const noexcept;
    /// Memory of the results of operations on constants.
    [[nodiscard]] std::uint64_t resultBytes() const noexcept;

    std::unique_ptr<SharedGraph> main;
    std::vector<std::unique_ptr<SharedGraph>> referenced;
    std::uint64_t constantBytes = 0;  ///< with the whole pools that hold them
};

/// Used by one thread at a time.
class ModelRunner {
  public:
    /// All arguments outlive the runner. `index` is that of this runner in its model.
    ModelRunner(const Kernels& kernels, ModelGraphs& graphs, const ArgumentBinder& arguments,
                std::uint32_t index);

    /// Prepares the first runner of a model: checks the graphs and folds constants, then plans or
    /// makes interpreters. Drops what is not needed of the model's memory.
    [[nodiscard]] Result<> prepareFirst(const PreparationLimits& limits);
    /// Prepares a further runner as `first` was, which may be running.
    [[nodiscard]] Result<> prepareAs(const ModelRunner& first, const PreparationLimits& limits);

    /// Runs the model on `bindings`, directly after the deadline in `limits` was checked. `shapes`,
    /// one an output, get the shapes of the outputs.
    [[nodiscard]] Result<> run(RequestBindings& bindings, std::vector<OutputShape>& shapes,
                               const RunLimits& limits) {
        hasRun_ = true;
        isReleased_ = false;
        RunMemo& memo = bindings.memo;
        memo.wasHit = memo.runner == index_ && main_.recalls(memo);
        return memo.wasHit ? runAgain(bindings, shapes, limits) : runAnew(bindings, shapes, limits);
    }

    /// Gives back the memory of temporaries until the next run, if there was no run since the last
    /// call of this. False if there was one.
    [[nodiscard]] bool releaseIfIdle();

    /// See GraphRunner.
    [[nodiscard]] bool isMultithreaded() const noexcept { return main_.isMultithreaded(); }
    [[nodiscard]] bool isPlanned() const noexcept { return main_.isPlanned(); }
    [[nodiscard]] std::uint64_t memoryBytes() const noexcept;

  private:
    Result<> runAgain(RequestBindings& bindings, std::vector<OutputShape>& shapes,
                      const RunLimits& limits);
    void placeAgain(RequestBindings& bindings) noexcept;
    Result<> runAnew(RequestBindings& bindings, std::vector<OutputShape>& shapes,
                     const RunLimits& limits);

    const ArgumentBinder& arguments_;
    const std::uint32_t index_;
    std::vector<std::unique_ptr<GraphRunner>> referenced_;  // stays where it is
    GraphRunner main_;
    bool hasRun_ = false;            // since the last look whether the model is idle
    bool isReleased_ = false;        // nothing was used since it was given back
    std::vector<GraphInput> given_;  // of the run at hand; here to reuse its memory
};

}  // namespace nnburst::exec
