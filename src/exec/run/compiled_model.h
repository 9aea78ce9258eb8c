// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The executable form of a model. `Engine` holds what all models of a driver share (the kernel
/// library, the threads); `CompiledModel` is one model checked, planned and packed. Requests reach
/// it through an ExecutionSession (exec/run/execution_session.h).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exec/run/packed_model.h"
#include "exec/run/preparation_limits.h"
#include "exec/run/run_memo.h"
#include "exec/threads/execution_gate.h"
#include "exec/threads/kernel_threads.h"
#include "nnburst/device.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// What the compiled models of one driver or local device share: XNNPACK, initialised, and the
/// kernel threads. Thread-safe.
class Engine {
  public:
    /// Creates threads and reads files of the system: call it before a sandbox closes.
    /// INVALID_ARGUMENT for more than DriverOptions::kMaximumThreads.
    [[nodiscard]] static Result<std::shared_ptr<Engine>> create(
        const DriverOptions& options,
        KernelThreadPlacement placement = KernelThreadPlacement::ANYWHERE);

    virtual ~Engine() = default;

    /// Whether all lanes are busy.
    [[nodiscard]] virtual bool isBusy() const noexcept = 0;

    /// What reads packed weights in this engine.
    [[nodiscard]] virtual const PackedFor& packedFor() const noexcept = 0;
};

/// A pool of a request as this process sees it.
struct PoolView {
    std::byte* data = nullptr;    ///< null if arguments in it get their addresses later
    std::uint64_t sizeBytes = 0;  ///< kDriverManagedPoolBytes for a driver-managed buffer
};

/// Finds the memory of an output once its shape is known.
class OutputMemory {
  public:
    virtual ~OutputMemory() = default;
    /// At least `sizeBytes` for the output, which has these dimensions.
    [[nodiscard]] virtual Result<std::byte*> place(std::span<const std::uint32_t> dimensions,
                                                   std::uint64_t sizeBytes) = 0;
};

/// One input or output, resolved to memory of this process.
struct ArgumentBinding {
    std::byte* data = nullptr;  ///< null if the argument has no value or no address yet
    std::uint32_t lengthBytes = 0;
    std::span<const std::uint32_t> dimensions{};  ///< of the request; empty to take the model's
    bool hasNoValue = false;
    OutputMemory* memory = nullptr;  ///< of an output whose memory is not at `data`
    bool isUnaligned = false;        ///< `data` is not a multiple of the size of an element
};

/// All inputs and outputs of one execution. Reuse the object: binding again allocates nothing, and
/// running the same bindings repeatedly is the fastest.
struct RequestBindings {
    std::vector<ArgumentBinding> inputs;
    std::vector<ArgumentBinding> outputs;
    bool hasUnaligned = false;  ///< an argument is unaligned: runs use an aligned copy of it
    RunMemo memo;  ///< of the model that has bound them, as long as nothing in them changes
};

/// The client for which an execution runs, and its priority.
struct Caller {
    Caller(Priority given) noexcept : priority(given) {}  // NOLINT(google-explicit-constructor)
    Caller(Priority given, ClientShare* share, std::uint32_t numberOfUser = 0,
           ExecutionGate::WakeList* wakeList = nullptr) noexcept
        : priority(given), client(share), user(numberOfUser), lateWakes(wakeList) {}

    /// What the execution is charged to; null: it is not charged.
    [[nodiscard]] Account* account() const noexcept;
    /// The same without `lateWakes`, if long work follows the run.
    [[nodiscard]] Caller withoutLateWakes() const noexcept {
        Caller caller = *this;
        caller.lateWakes = nullptr;
        return caller;
    }

    Priority priority;              ///< among the executions of the same client
    ClientShare* client = nullptr;  ///< null: callers without a client count as one
    std::uint32_t user = 0;         ///< from CompiledModel::addUser; 0 for others
    /// Collects the executions that are admitted when this one ends, for the caller to wake; null:
    /// they are woken at once.
    ExecutionGate::WakeList* lateWakes = nullptr;
    /// True for a warm-up run (Plan::warmUp): its outputs are discarded.
    bool isWarmUp = false;
};

/// Signs of contention for the processors of an engine.
struct Contention {
    std::uint32_t delayedCount = 0;   ///< executions that have had to wait for others so far
    bool wouldOversubscribe = false;  ///< ExecutionGate::spinningWouldOversubscribe
};

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

    /// Announces a user of the model: a burst, or another caller that executes it again and again
    /// on one thread. Returns the user's number, for its runs.
    virtual std::uint32_t addUser() noexcept { return 0; }
    virtual void removeUser() noexcept {}
    /// Makes a runner for each user, up to the useful number, the memory limit and the limits of
    /// `account`. Takes as long as preparing the model without packing its weights. The memory of a
    /// runner is charged to the account, unless that is null, until the model is dropped.
    virtual void makeRunnersForUsers(Account* /*account*/) {}
    /// The number of runs that can be under way at a time.
    [[nodiscard]] virtual std::uint32_t runnerCount() const noexcept { return 1; }
};

}  // namespace nnburst::exec
