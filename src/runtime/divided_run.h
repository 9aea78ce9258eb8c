// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// One execution after the other of a divided model: the requests of its steps, and the memory
/// between them. Used by one thread at a time. Runs with the same request allocate nothing.

#include <cstdint>
#include <memory>
#include <vector>

#include "nnburst/execution.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "runtime/divided_plan.h"

namespace nnburst::runtime {

/// The memory of the operands between steps. Runs that follow each other can share it.
class TemporaryMemory {
  public:
    [[nodiscard]] static Result<std::shared_ptr<TemporaryMemory>> create(const DividedPlan& plan);

    /// Of all temporaries of known size; null if there are none.
    [[nodiscard]] const SharedRegion& arena() const noexcept { return arena_; }

    /// The memory of a temporary whose size is found by runs.
    struct Growing {
        SharedRegion region;
        std::uint32_t capacity = 0;
    };
    [[nodiscard]] Growing& growing(std::uint32_t temporary) { return growing_[temporary]; }
    /// Makes it hold `bytes`. What it held is lost.
    [[nodiscard]] Result<> reserve(std::uint32_t temporary, std::uint32_t bytes);

  private:
    SharedRegion arena_;
    std::vector<Growing> growing_;  // one a temporary; no region for those in the arena
};

/// Executes steps: the ways of execution differ in this alone.
class StepExecutor {
  public:
    virtual Result<> execute(std::size_t step, const Request& request,
                             ExecutionOutcome& outcome) = 0;

  protected:
    ~StepExecutor() = default;
};

class DividedRun {
  public:
    /// `plan` outlives this.
    DividedRun(const DividedPlan& plan, std::shared_ptr<TemporaryMemory> memory);

    /// Makes the requests of all steps for `request`, which was checked. Keeps its memory.
    /// INVALID_ARGUMENT if it names driver-managed buffers, or an output that a later step takes
    /// has no value.
    [[nodiscard]] Result<> bind(const Request& request);

    /// The request of a step, after bind. It does not change until the next one if the step's
    /// arguments are fixed.
    [[nodiscard]] const Request& requestOf(std::size_t step) const { return requests_[step]; }

    /// Runs the steps for the request that was bound last. `outcome` is overwritten.
    [[nodiscard]] Result<> run(StepExecutor& executor, ExecutionOutcome& outcome);

    /// Lets go of the memory of the request that was bound last.
    void release();

    /// The last run has failed because an operand between steps has no elements: the HAL has no
    /// request for a step that takes it.
    [[nodiscard]] bool wasEmpty() const noexcept { return wasEmpty_; }

  private:
    void bindStep(std::size_t step);
    void bindInput(Request& request, const Place& place, RequestArgument& argument);
    void bindOutput(Request& request, const Place& place, RequestArgument& argument);
    /// What steps before have found of an input lets it be taken.
    [[nodiscard]] Result<> checkFound(const Place& input);
    /// Brings the arguments up to date that depend on what steps before have found.
    [[nodiscard]] Result<> refresh(std::size_t step);
    [[nodiscard]] Result<> executeStep(std::size_t step, StepExecutor& executor);
    /// After OUTPUT_INSUFFICIENT_SIZE: makes temporaries as large as the step says. False if that
    /// does not help.
    [[nodiscard]] Result<bool> grow(std::size_t step);
    void takeShapes(std::size_t step, ExecutionOutcome& outcome);
    void startShapes(ExecutionOutcome& outcome) const;

    const DividedPlan& plan_;
    const std::shared_ptr<TemporaryMemory> memory_;
    Request bound_;                             // of the whole model
    std::vector<Request> requests_;             // one a step
    std::vector<Dimensions> foundDimensions_;   // of temporaries of unknown size
    std::vector<Dimensions> outputDimensions_;  // of outputs that later steps take
    ExecutionOutcome stepOutcome_;
    bool wasEmpty_ = false;
};

}  // namespace nnburst::runtime
