// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A graph prepared for certain input shapes: its steps in order, and where their operands lie.
/// Making a plan does the work (see planner.h); running it allocates nothing.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exec/operation/operation.h"
#include "exec/operation/step.h"
#include "exec/plan/run_limits.h"
#include "memory/aligned_buffer.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// What a plan depends on: the shapes of the inputs and which arguments are left out.
struct Specialization {
    struct Input {
        Shape shape;
        bool isOmitted = false;

        bool operator==(const Input&) const noexcept = default;
    };

    std::vector<Input> inputs;
    std::vector<std::uint8_t> omittedOutputs;  ///< for each model output: whether it is left out

    bool operator==(const Specialization&) const noexcept = default;
};

/// Where an operand lies while a plan runs.
struct Place {
    enum class Kind : std::uint8_t {
        NOWHERE,   ///< left out
        CONSTANT,  ///< at `constant`
        ARENA,     ///< at byte `offset` of the plan's arena
        ARGUMENT,  ///< at byte `offset` of argument `argument` of the run
    };

    Kind kind = Kind::NOWHERE;
    std::byte* constant = nullptr;
    std::uint64_t offset = 0;
    std::uint32_t argument = 0;
};

/// Used by one thread at a time.
class Plan {
  public:
    /// An output of the graph as this plan computes it.
    struct Output {
        Shape shape;
        std::uint64_t sizeBytes = 0;
    };

    /// Of all steps.
    static constexpr std::uint64_t kMaximumKeptBytes = std::uint64_t{2} << 30;

    /// A plan without steps. The arguments of a run are the graph's inputs, then its outputs.
    Plan(AlignedBuffer arena, std::vector<Output> outputs, std::size_t argumentCount);

    /// An error if steps that keep `bytes`, the last of which is that of `operation`, keep too
    /// much.
    [[nodiscard]] static Result<> checkKept(std::uint64_t bytes, std::uint32_t operation);

    /// Appends the step of operation `operation`, whose operands (see Step::setUp) lie at `places`.
    /// What it keeps is charged already.
    void addStep(std::unique_ptr<Step> step, std::uint32_t operation,
                 std::span<const Place> places);

    /// Sets all steps up once, so that the first run has nothing left to prepare. All arguments are
    /// placed at `anywhere`: unused addresses, as many as the largest of them has. Nothing is read
    /// or written there. Ends between two steps when `limits` is over.
    /// Charges the memory of the plan as it grows. RESOURCE_EXHAUSTED_PERSISTENT of `checkKept`;
    /// RESOURCE_EXHAUSTED_* at a limit of the account.
    [[nodiscard]] Result<> setUp(std::byte* anywhere, const RunLimits& limits);

    [[nodiscard]] std::span<const Output> outputs() const noexcept { return outputs_; }

    /// Whether several kernel threads share the work of at least one step.
    [[nodiscard]] bool isMultithreaded() const noexcept;
    /// The memory of the arena and, after `setUp`, the memory that the steps keep.
    [[nodiscard]] std::uint64_t memoryBytes() const noexcept { return memoryBytes_; }

    /// Releases the memory of temporaries until the next run.
    void releaseScratch() const noexcept { arena_.release(); }

    /// Sets the addresses of all arguments for the runs that follow; one that is left out is null.
    void place(std::span<std::byte* const> arguments) noexcept;

    /// A number that changes with every change of an address, and never comes back.
    [[nodiscard]] std::uint64_t placement() const noexcept { return placement_; }

    /// Computes the outputs from the inputs, which are where `place` was told.
    [[nodiscard]] Result<> run(const RunLimits& limits);
    /// The same for a run that has just passed the gate and the check of its deadline: neither is
    /// asked again before the first step.
    [[nodiscard]] Result<> runAtOnce(const RunLimits& limits);

    /// Runs each step for a moment, so that the first run is as fast as later ones: afterwards the
    /// arena and the code of the steps are in memory, and what steps keep is complete. Of a plan
    /// whose steps take long all the same, only the first ones run, and those that fill a table.
    /// What is in the outputs means nothing.
    [[nodiscard]] Result<> warmUp(const RunLimits& limits);

  private:
    struct PlannedStep {
        std::unique_ptr<Step> step;
        std::vector<std::byte*> operands;
        std::uint32_t operation;
        std::uint64_t keptBytes;  ///< as far as they are charged
        bool isMoved;             ///< an address has changed since the last set-up
    };
    /// A place where an argument is an operand of a step.
    struct Use {
        std::uint32_t step;
        std::uint32_t operand;
        std::uint64_t offset;
    };
    struct Argument {
        std::byte* data = nullptr;
        std::vector<Use> uses;
    };

    void move(Argument& argument, std::byte* data) noexcept;

    AlignedBuffer arena_;
    std::uint64_t memoryBytes_;
    std::vector<Output> outputs_;
    std::vector<PlannedStep> steps_;
    std::vector<Argument> arguments_;
    std::uint64_t placement_ = 0;
};

}  // namespace nnburst::exec
