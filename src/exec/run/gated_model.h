// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What models of this library's kernels and of accelerators have in common: their arguments, the
/// gate, aligned copies of arguments, the measured time, marks, and the profile.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "exec/plan/profile.h"
#include "exec/plan/run_limits.h"
#include "exec/run/aligned_arguments.h"
#include "exec/run/argument_binder.h"
#include "exec/run/compiled_model.h"
#include "exec/run/engine.h"
#include "exec/threads/execution_gate.h"
#include "log/marks.h"
#include "system/time.h"

namespace nnburst::exec {

/// The base class of `Derived`, which has
/// - Result<> runAdmitted(std::uint32_t runner, RequestBindings&, const RunLimits&,
///   ExecutionOutcome&): runs the model, with aligned arguments, on a runner that it alone uses.
///   The gate has admitted the execution, and its deadline had not passed.
/// - std::uint32_t firstRunner(const Caller&): the runner to prefer for bindings that have not run.
/// They are not virtual functions, because a whole execution of the smallest models takes some 60
/// ns (docs/experiments.md).
template <class Derived>
class GatedModel : public CompiledModel {
  public:
    [[nodiscard]] std::span<const Operand> inputs() const noexcept final {
        return arguments_.inputs();
    }
    [[nodiscard]] std::span<const Operand> outputs() const noexcept final {
        return arguments_.outputs();
    }
    [[nodiscard]] Contention contention() const noexcept final { return gate().contention(); }

    [[nodiscard]] Result<> bind(std::span<const RequestArgument> inputs,
                                std::span<const RequestArgument> outputs,
                                std::span<const PoolView> pools,
                                RequestBindings& bindings) const final {
        return arguments_.bind(inputs, outputs, pools, bindings);
    }

    [[nodiscard]] Result<> run(RequestBindings& bindings, const Caller& caller,
                               const ExecutionOptions& options, ExecutionOutcome& outcome) final {
        outcome.timing = {};
        return profile_ != nullptr ? runProfiled(bindings, caller, options, outcome)
                                   : runInTurn(bindings, caller, options, outcome);
    }

  protected:
    using Clock = std::chrono::steady_clock;
    using Width = ExecutionGate::Width;

    GatedModel(std::shared_ptr<Engine> engine, const Model& model, Width width)
        : engine_(std::move(engine)),
          profile_(engine_->settings().profile),
          arguments_(model),
          width_(width) {}

    [[nodiscard]] const Engine& engine() const noexcept { return *engine_; }
    [[nodiscard]] ExecutionGate& gate() const noexcept { return engine_->gate(); }
    [[nodiscard]] const ArgumentBinder& arguments() const noexcept { return arguments_; }
    [[nodiscard]] Width width() const noexcept { return width_; }
    [[nodiscard]] RunnerSet& runnerSet() noexcept { return runnerSet_; }
    [[nodiscard]] const RunnerSet& runnerSet() const noexcept { return runnerSet_; }

  private:
    [[nodiscard]] Derived& derived() noexcept { return static_cast<Derived&>(*this); }

    /// The runner to prefer for `bindings`, which may be run for the first time.
    std::uint32_t preferredRunner(const RequestBindings& bindings, const Caller& caller) {
        const std::uint32_t last = bindings.memo.runner;
        return last < runnerSet_.count() ? last : derived().firstRunner(caller);
    }

    Result<> runProfiled(RequestBindings& bindings, const Caller& caller,
                         const ExecutionOptions& options, ExecutionOutcome& outcome);
    Result<> runInTurn(RequestBindings& bindings, const Caller& caller,
                       const ExecutionOptions& options, ExecutionOutcome& outcome);
    Result<> runWith(ExecutionGate::Pass& pass, AlignedArguments* copies, RequestBindings& bindings,
                     const Caller& caller, const ExecutionOptions& options,
                     ExecutionOutcome& outcome);
    Result<> runOnAlignedCopies(std::uint32_t runner, AlignedArguments& copies,
                                const RequestBindings& bindings, const RunLimits& limits,
                                MeasureTiming measure, ExecutionOutcome& outcome);
    Result<> runMeasured(std::uint32_t runner, RequestBindings& bindings, const RunLimits& limits,
                         MeasureTiming measure, ExecutionOutcome& outcome);

    const std::shared_ptr<Engine> engine_;
    Profile* const profile_;  // null: there is none
    const ArgumentBinder arguments_;
    const Width width_;
    RunnerSet runnerSet_;
};

template <class Derived>
Result<> GatedModel<Derived>::runProfiled(RequestBindings& bindings, const Caller& caller,
                                          const ExecutionOptions& options,
                                          ExecutionOutcome& outcome) {
    const auto begin = Clock::now();
    Result<> result = runInTurn(bindings, caller, options, outcome);
    if (profile_->isRecording()) {
        profile_->record(kWholeExecution, begin, Clock::now());
    }
    return result;
}

/// A pass that is not kept lies on the stack, not in a KeptPass of its own: g++ 12 would clear all
/// of that first (docs/experiments.md).
template <class Derived>
Result<> GatedModel<Derived>::runInTurn(RequestBindings& bindings, const Caller& caller,
                                        const ExecutionOptions& options,
                                        ExecutionOutcome& outcome) {
    if (bindings.hasUnaligned) {
        AlignedArguments copies;  // outlives the pass: freeing copies takes long, and may wait
        ExecutionGate::Pass pass(gate(), runnerSet_, width_, caller.client);
        return runWith(pass, &copies, bindings, caller, options, outcome);
    }
    if (caller.keptPass != nullptr) {
        ExecutionGate::Pass& pass =
            caller.keptPass->emplace(gate(), runnerSet_, width_, caller.client);
        Result<> result = runWith(pass, nullptr, bindings, caller, options, outcome);
        // Others would wait for the lane and the runner of a thread that may not get a processor.
        if (pass.hasLowPriority()) {
            caller.keptPass->reset();
        }
        return result;
    }
    ExecutionGate::Pass pass(gate(), runnerSet_, width_, caller.client);
    return runWith(pass, nullptr, bindings, caller, options, outcome);
}

/// `pass` is new. `copies` are empty; null if all arguments are aligned.
template <class Derived>
Result<> GatedModel<Derived>::runWith(ExecutionGate::Pass& pass, AlignedArguments* copies,
                                      RequestBindings& bindings, const Caller& caller,
                                      const ExecutionOptions& options, ExecutionOutcome& outcome) {
    Urgency urgency{.priority = caller.priority, .deadline = {}};
    system::copyByParts(options.deadline, urgency.deadline);
    if (!pass.tryEnter(urgency, preferredRunner(bindings, caller))) {
        // Another execution may have taken the last runner since: then one more is made.
        NNBURST_TRY(pass.enter(urgency, preferredRunner(bindings, caller)));
    }
    // The time went to others; the same run may do better later.
    if (options.deadline && Clock::now() >= *options.deadline) {
        return failure(ErrorStatus::MISSED_DEADLINE_TRANSIENT,
                       "the deadline had passed before the execution began");
    }
    RunLimits limits{.loopTimeout = std::min(options.loopTimeout.value_or(kDefaultLoopTimeout),
                                             kMaximumLoopTimeout),
                     .isCancelled = caller.isCancelled(),
                     .account = caller.account(),
                     .pass = &pass,
                     .isWarmUp = caller.isWarmUp};
    system::copyByParts(options.deadline, limits.deadline);
    return copies != nullptr
               ? runOnAlignedCopies(pass.runner(), *copies, bindings, limits, options.measure,
                                    outcome)
               : runMeasured(pass.runner(), bindings, limits, options.measure, outcome);
}

/// Copying gigabytes takes seconds of a processor. It is therefore done in the pass, which yields.
template <class Derived>
Result<> GatedModel<Derived>::runOnAlignedCopies(std::uint32_t runner, AlignedArguments& copies,
                                                 const RequestBindings& bindings,
                                                 const RunLimits& limits, MeasureTiming measure,
                                                 ExecutionOutcome& outcome) {
    NNBURST_TRY(copies.copy(bindings, limits));
    NNBURST_TRY(runMeasured(runner, copies.bindings(), limits, measure, outcome));
    return copies.copyOutputsBack(bindings, limits);
}

template <class Derived>
Result<> GatedModel<Derived>::runMeasured(std::uint32_t runner, RequestBindings& bindings,
                                          const RunLimits& limits, MeasureTiming measure,
                                          ExecutionOutcome& outcome) {
    const bool isMeasured = measure == MeasureTiming::YES;
    const TimePoint start = isMeasured ? Clock::now() : TimePoint();
    NNBURST_MARK(kernels__begin, this);
    Result<> result = derived().runAdmitted(runner, bindings, limits, outcome);
    NNBURST_MARK(kernels__end, this);
    if (isMeasured && result) {
        outcome.timing.timeOnDevice = static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count());
    }
    return result;
}

}  // namespace nnburst::exec
