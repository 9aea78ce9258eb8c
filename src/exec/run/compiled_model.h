// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The executable form of a model. Requests reach it through an ExecutionSession
/// (exec/run/execution_session.h).

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "exec/run/caller.h"
#include "exec/run/packed_model.h"
#include "exec/run/preparation_limits.h"
#include "exec/run/request_bindings.h"
#include "exec/threads/execution_gate.h"
#include "nnburst/execution.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

class Engine;

/// A model that is checked, planned and packed. Thread-safe. Runs of several threads proceed side
/// by side while the engine has free lanes and the model free runners; others wait, in the order of
/// the gate (execution_gate.h).
class CompiledModel {
  public:
    /// Checks and plans `model`, folds its constants and packs its weights. The model may be
    /// destroyed afterwards; its pools are kept as long as they are needed. If the engine leaves
    /// the number of threads open, runs the model to choose it. `packed` is from an earlier
    /// compilation of the same model for the kernels of `engine`: weights that it has are neither
    /// packed again nor read from `model`. INVALID_ARGUMENT if the model is not valid or an
    /// operation is not supported; the message names it. RESOURCE_EXHAUSTED_PERSISTENT if its
    /// packed weights exceed a limit (exec/dot8/packed_weights.h). What memoryBytes() will count is
    /// charged as it grows, RESOURCE_EXHAUSTED_*. GENERAL_FAILURE if it is cancelled.
    [[nodiscard]] static Result<std::shared_ptr<CompiledModel>> compile(
        const std::shared_ptr<Engine>& engine, const Model& model, const PackedModel& packed = {},
        const PreparationLimits& limits = {});

    virtual ~CompiledModel() = default;

    /// Main inputs and outputs as the model declares them, in order.
    [[nodiscard]] virtual std::span<const Operand> inputs() const noexcept = 0;
    [[nodiscard]] virtual std::span<const Operand> outputs() const noexcept = 0;

    /// What was packed for the kernels of the engine. Shares its memory with the model.
    [[nodiscard]] virtual PackedModel packed() const { return {}; }

    /// Whether the executions of the engine, of any model, contend for processors.
    [[nodiscard]] virtual Contention contention() const noexcept = 0;
    /// Threads that share the work of one operation, the executing one included.
    [[nodiscard]] virtual std::uint32_t kernelThreads() const noexcept { return 1; }
    /// Processors that the others of these threads have for themselves.
    [[nodiscard]] virtual std::span<const std::uint32_t> kernelThreadProcessors() const noexcept {
        return {};
    }

    /// Checks the arguments of a request against the model and against the sizes of the pools, and
    /// resolves them. Every rule that keeps an access inside its pool is checked here. `inputs` and
    /// `outputs` must outlive `bindings`. INVALID_ARGUMENT names argument, value and rule.
    [[nodiscard]] virtual Result<> bind(std::span<const RequestArgument> inputs,
                                        std::span<const RequestArgument> outputs,
                                        std::span<const PoolView> pools,
                                        RequestBindings& bindings) const = 0;

    /// Checks whether the model can do without the inputs that are left out, as far as that is
    /// known before it runs; `inputs` are as many as the model has. Does not wait for runs. Ends
    /// without an error once `isCancelled`, unless that is null, is true. INVALID_ARGUMENT.
    [[nodiscard]] virtual Result<> checkOmitted(std::span<const RequestArgument> /*inputs*/,
                                                const std::atomic<bool>* /*isCancelled*/) const {
        return {};
    }

    /// Runs the model on bound memory, in place, once the engine's gate admits the execution.
    /// `bindings` are those of `bind`. Overwrites `outcome`; of its timing only timeOnDevice is set
    /// here, if options.measure is YES and the run succeeds. The first run with certain input
    /// dimensions plans them, once for each runner, and the first run of `bindings` may make a
    /// runner; later ones allocate nothing. OUTPUT_INSUFFICIENT_SIZE comes with output shapes,
    /// before anything is computed where shapes are known beforehand; after other errors the shapes
    /// say nothing, and ExecutionSession clears them.
    [[nodiscard]] virtual Result<> run(RequestBindings& bindings, const Caller& caller,
                                       const ExecutionOptions& options,
                                       ExecutionOutcome& outcome) = 0;

    /// Returns the memory of temporaries to the system for each runner that has not run since the
    /// last call of this, until its next run. False if any runner has run.
    virtual bool releaseIfIdle() = 0;

    /// Memory for plans and interpreters, for temporaries, for operators without their weights, and
    /// for weights that our own kernels have packed, as far as it exceeds that of the model's
    /// constants. An estimate while it runs.
    [[nodiscard]] virtual std::uint64_t memoryBytes() const noexcept { return 0; }

    /// Announces a burst of the model. Returns its number, for Caller::burstNumber: bursts with
    /// different numbers prefer different runners.
    virtual std::uint32_t addBurst() noexcept { return 0; }
    virtual void removeBurst() noexcept {}
    /// Makes a runner for each burst, up to the useful number, the memory limit and the limits of
    /// `account`. Takes as long as preparing the model without packing its weights. The memory of a
    /// runner is charged to the account, unless that is null, until the model is dropped.
    virtual void makeRunnersForBursts(Account* /*account*/) {}
    /// The number of runs that can be under way at a time.
    [[nodiscard]] virtual std::uint32_t runnerCount() const noexcept { return 1; }
};

}  // namespace nnburst::exec
