// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Executes a divided model: makes the requests of its parts, and keeps the values that go from
/// part to part. Used by one thread at a time. Repeated runs of the same request allocate nothing.

#include <cstdint>
#include <memory>
#include <vector>

#include "nnburst/execution.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "runtime/divided_plan.h"

namespace nnburst::runtime {

/// The memory of the operands between parts. Runs that do not overlap in time can share it.
class TemporaryMemory {
  public:
    [[nodiscard]] static Result<std::shared_ptr<TemporaryMemory>> create(const DividedPlan& plan);

    /// The memory of all temporaries of known size; null if there are none.
    [[nodiscard]] const SharedRegion& arena() const noexcept { return arena_; }

    /// The memory of a temporary whose size is only known in a run.
    struct Growing {
        SharedRegion region;
        std::uint32_t capacity = 0;
    };
    [[nodiscard]] Growing& growing(std::uint32_t temporary) { return growing_[temporary]; }
    /// Makes room for `bytes` in that of `temporary`. The contents are lost.
    [[nodiscard]] Result<> reserve(std::uint32_t temporary, std::uint32_t bytes);

  private:
    SharedRegion arena_;
    std::vector<Growing> growing_;  // one for each temporary; no region for those in the arena
};

/// Executes one part: synchronously, through a burst, or through a reusable execution.
class PartExecutor {
  public:
    virtual Result<> execute(std::size_t part, const Request& request,
                             ExecutionOutcome& outcome) = 0;

  protected:
    ~PartExecutor() = default;
};

class DividedRun {
  public:
    /// `plan` outlives this.
    DividedRun(const DividedPlan& plan, std::shared_ptr<TemporaryMemory> memory);

    /// Makes the requests of all parts for `request`, which was checked. Keeps its memory.
    /// INVALID_ARGUMENT if it names driver-managed buffers, or an output that a later part takes
    /// has no value.
    [[nodiscard]] Result<> bind(const Request& request);

    /// The request of a part, after bind. It does not change until the next one if the part's
    /// arguments are fixed.
    [[nodiscard]] const Request& requestOf(std::size_t part) const { return requests_[part]; }

    /// Runs the parts for the request that was bound last. `outcome` is overwritten.
    [[nodiscard]] Result<> run(PartExecutor& executor, ExecutionOutcome& outcome);

    /// Releases the memory of the request that was bound last.
    void release();

    /// The last run has failed because an operand between parts has no elements: the HAL has no
    /// request for a part that takes it.
    [[nodiscard]] bool wasEmpty() const noexcept { return wasEmpty_; }

  private:
    void bindPart(std::size_t part);
    void bindInput(Request& request, const Place& place, RequestArgument& argument);
    void bindOutput(Request& request, const Place& place, RequestArgument& argument);
    /// What parts before have found of an input lets it be taken.
    [[nodiscard]] Result<> checkFound(const Place& input);
    /// Updates the arguments that depend on dimensions that earlier parts have determined.
    [[nodiscard]] Result<> refresh(std::size_t part);
    [[nodiscard]] Result<> executePart(std::size_t part, PartExecutor& executor);
    /// After OUTPUT_INSUFFICIENT_SIZE: makes temporaries as large as the part says. False if that
    /// does not help.
    [[nodiscard]] Result<bool> grow(std::size_t part);
    void takeShapes(std::size_t part, ExecutionOutcome& outcome);
    void startShapes(ExecutionOutcome& outcome) const;

    const DividedPlan& plan_;
    const std::shared_ptr<TemporaryMemory> memory_;
    Request bound_;                             // of the whole model
    std::vector<Request> requests_;             // one for each part
    std::vector<Dimensions> foundDimensions_;   // of temporaries of unknown size
    std::vector<Dimensions> outputDimensions_;  // of outputs that later parts take
    ExecutionOutcome partOutcome_;
    bool wasEmpty_ = false;
};

}  // namespace nnburst::runtime
