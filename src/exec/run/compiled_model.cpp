// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/compiled_model.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "exec/graph/graph.h"
#include "exec/graph/model_check.h"
#include "exec/graph/omission_check.h"
#include "exec/run/aligned_arguments.h"
#include "exec/run/argument_binder.h"
#include "exec/run/engine.h"
#include "exec/run/graph_runner.h"
#include "exec/run/request_outputs.h"
#include "exec/run/thread_choice.h"
#include "exec/run/trial_request.h"
#include "exec/threads/execution_gate.h"
#include "log/assert.h"
#include "log/marks.h"
#include "log/verbose.h"
#include "model/invalid.h"
#include "model/operand_info.h"
#include "model/request_check.h"
#include "nnburst/validation.h"

namespace nnburst::exec {

namespace {

using Clock = std::chrono::steady_clock;

/// Limits of a WHILE's duration (HAL 1.3 LoopTimeoutDurationNs).
constexpr std::chrono::nanoseconds kDefaultLoopTimeout = std::chrono::seconds(2);
constexpr std::chrono::nanoseconds kMaximumLoopTimeout = std::chrono::seconds(15);

/// The dimensions that hold for an argument.
std::span<const std::uint32_t> dimensionsOf(const ArgumentBinding& argument,
                                            const Operand& operand) noexcept {
    return argument.dimensions.empty() ? std::span<const std::uint32_t>(operand.dimensions)
                                       : argument.dimensions;
}

class RunnableModel final : public CompiledModel {
  public:
    RunnableModel(std::shared_ptr<Engine> engine, Kernels kernels, const Model& model)
        : engine_(std::move(engine)), kernels_(std::move(kernels)), arguments_(model) {
        given_.resize(inputs().size());
    }

    /// Does before the first run what can be done.
    Result<> prepare(const Model& model);

    [[nodiscard]] std::span<const Operand> inputs() const noexcept override {
        return arguments_.inputs();
    }
    [[nodiscard]] std::span<const Operand> outputs() const noexcept override {
        return arguments_.outputs();
    }
    [[nodiscard]] std::uint32_t delayedCount() const noexcept override {
        return gate().delayedCount();
    }

    [[nodiscard]] std::uint32_t kernelThreads() const noexcept override {
        return kernels_.threads ? kernels_.threads->count() : 1;
    }
    [[nodiscard]] std::span<const std::uint32_t> kernelThreadProcessors() const noexcept override {
        return kernels_.threads ? kernels_.threads->processors() : std::span<const std::uint32_t>();
    }
    /// Known before the first run: several threads share the work of some operation.
    [[nodiscard]] bool isMultithreaded() const noexcept { return main_->isMultithreaded(); }
    /// Known before the first run: all steps and shapes. Such a model has no loops.
    [[nodiscard]] bool isPlanned() const noexcept { return main_->isPlanned(); }

    [[nodiscard]] Result<> bind(std::span<const RequestArgument> inputs,
                                std::span<const RequestArgument> outputs,
                                std::span<const PoolView> pools,
                                RequestBindings& bindings) const override {
        return arguments_.bind(inputs, outputs, pools, bindings);
    }

    [[nodiscard]] Result<> checkOmitted(std::span<const RequestArgument> inputs) const override;

    [[nodiscard]] Result<> run(RequestBindings& bindings, const Caller& caller,
                               const ExecutionOptions& options, ExecutionOutcome& outcome) override;

    bool releaseIfIdle() override;

  private:
    Result<> runInTurn(RequestBindings& bindings, const Caller& caller,
                       const ExecutionOptions& options, ExecutionOutcome& outcome);
    Result<> runOnAlignedCopies(const RequestBindings& bindings, const Caller& caller,
                                const ExecutionOptions& options, ExecutionOutcome& outcome);
    Result<> runGraph(RequestBindings& bindings, RequestOutputs& outputs, const RunLimits& limits);
    [[nodiscard]] ExecutionGate& gate() const noexcept { return kernelEngine(*engine_).gate(); }
    /// A pool of threads does one thing at a time, and wants all processors for it.
    [[nodiscard]] ExecutionGate::Pass::Width width() const noexcept {
        return kernels_.threads ? ExecutionGate::Pass::Width::ALL_LANES
                                : ExecutionGate::Pass::Width::ONE_LANE;
    }
    Result<std::unique_ptr<GraphRunner>> makeRunner(const Model& model, const Subgraph& subgraph);

    const std::shared_ptr<Engine> engine_;
    const Kernels kernels_;
    const ArgumentBinder arguments_;

    /// Guards all below, and the steps: an XNNPACK operator must not run in two threads.
    ExecutionGate::ModelLock lock_;
    std::vector<std::unique_ptr<GraphRunner>> referenced_;
    std::unique_ptr<GraphRunner> main_;
    bool hasRun_ = false;            // since the last look whether the model is idle
    bool isReleased_ = false;        // nothing was used since it was given back
    std::vector<GraphInput> given_;  // of the run at hand; here to reuse its memory
};

Result<> RunnableModel::prepare(const Model& model) {
    NNBURST_ASSERT(main_ == nullptr, "a model is prepared twice");
    referenced_.resize(model.referenced.size());  // stays where it is from now on
    for (std::size_t index = 0; index < referenced_.size(); ++index) {
        NNBURST_TRY_ASSIGN(referenced_[index], makeRunner(model, model.referenced[index]));
    }
    NNBURST_TRY_ASSIGN(main_, makeRunner(model, model.main));
    for (std::size_t index = 0; index < referenced_.size(); ++index) {
        if (auto prepared = referenced_[index]->prepare(); !prepared) {
            return failure(prepared.error().status, fmt::format("referenced subgraph {}: {}", index,
                                                                prepared.error().message));
        }
    }
    return main_->prepare();
}

Result<std::unique_ptr<GraphRunner>> RunnableModel::makeRunner(const Model& model,
                                                               const Subgraph& subgraph) {
    NNBURST_TRY_ASSIGN(auto graph, Graph::create(model, subgraph));
    return std::make_unique<GraphRunner>(kernels_, std::move(graph), referenced_);
}

Result<> RunnableModel::checkOmitted(std::span<const RequestArgument> inputs) const {
    std::vector<bool> isOmitted;
    for (const RequestArgument& input : inputs) {
        isOmitted.push_back(input.hasNoValue);
    }
    if (std::find(isOmitted.begin(), isOmitted.end(), true) == isOmitted.end()) {
        return {};
    }
    std::vector<const Graph*> referenced;
    for (const auto& runner : referenced_) {
        referenced.push_back(&runner->graph());
    }
    return OmissionCheck(std::move(referenced)).check(main_->graph(), isOmitted);
}

Result<> RunnableModel::runInTurn(RequestBindings& bindings, const Caller& caller,
                                  const ExecutionOptions& options, ExecutionOutcome& outcome) {
    ExecutionGate::Pass pass(gate(), lock_, width(), caller.client);
    NNBURST_TRY(pass.enter({.priority = caller.priority, .deadline = options.deadline}));
    hasRun_ = true;
    isReleased_ = false;
    // The time went to others; the same run may do better later.
    if (options.deadline && Clock::now() >= *options.deadline) {
        return failure(ErrorStatus::MISSED_DEADLINE_TRANSIENT,
                       "the deadline had passed before the execution began");
    }
    outcome.outputShapes.resize(outputs().size());
    RequestOutputs outputs(bindings, outcome.outputShapes);
    const RunLimits limits{
        .deadline = options.deadline,
        .loopTimeout =
            std::min(options.loopTimeout.value_or(kDefaultLoopTimeout), kMaximumLoopTimeout),
        .isCancelled = caller.client == nullptr ? nullptr : &caller.client->isCancelled(),
        .pass = &pass};
    const auto runMain = [&]() -> Result<> {
        NNBURST_MARK(kernels__begin, this);
        Result<> result = runGraph(bindings, outputs, limits);
        NNBURST_MARK(kernels__end, this);
        return result;
    };
    if (options.measure == MeasureTiming::NO) {
        return runMain();
    }
    const Clock::time_point start = Clock::now();
    NNBURST_TRY(runMain());
    outcome.timing.timeOnDevice = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count());
    return {};
}

Result<> RunnableModel::runGraph(RequestBindings& bindings, RequestOutputs& outputs,
                                 const RunLimits& limits) {
    if (main_->recalls(bindings.memo)) {
        const std::span<std::byte*> addresses = main_->inputAddresses();
        for (std::size_t input = 0; input < inputs().size(); ++input) {
            addresses[input] = bindings.inputs[input].data;
        }
        return main_->runAgain(bindings.memo, outputs, limits);
    }
    NNBURST_ASSERT(bindings.inputs.size() == inputs().size() &&
                       bindings.outputs.size() == arguments_.outputs().size(),
                   "bindings of {} inputs and {} outputs; the model has {} and {}",
                   bindings.inputs.size(), bindings.outputs.size(), inputs().size(),
                   arguments_.outputs().size());
    for (std::size_t input = 0; input < inputs().size(); ++input) {
        const ArgumentBinding& argument = bindings.inputs[input];
        given_[input] = {.shape = Shape(dimensionsOf(argument, inputs()[input])),
                         .data = argument.data,
                         .isOmitted = argument.hasNoValue};
    }
    return main_->run(given_, outputs, limits, &bindings.memo);
}

Result<> RunnableModel::runOnAlignedCopies(const RequestBindings& bindings, const Caller& caller,
                                           const ExecutionOptions& options,
                                           ExecutionOutcome& outcome) {
    AlignedArguments aligned;
    NNBURST_TRY(aligned.copy(bindings));
    NNBURST_TRY(runInTurn(aligned.bindings(), caller, options, outcome));
    aligned.copyOutputsBack(bindings);
    return {};
}

Result<> RunnableModel::run(RequestBindings& bindings, const Caller& caller,
                            const ExecutionOptions& options, ExecutionOutcome& outcome) {
    outcome.timing = {};
    NNBURST_TRY(checkMeasure(options.measure));
    return bindings.hasUnaligned ? runOnAlignedCopies(bindings, caller, options, outcome)
                                 : runInTurn(bindings, caller, options, outcome);
}

bool RunnableModel::releaseIfIdle() {
    ExecutionGate::Pass pass(gate(), lock_, width());
    if (!pass.enter({.priority = Priority::LOW, .deadline = Clock::now()})) {
        return false;  // it is running, or the engine is busy
    }
    if (hasRun_) {
        hasRun_ = false;
        return false;
    }
    if (!isReleased_) {
        main_->releaseScratch();
        for (const auto& subgraph : referenced_) {
            subgraph->releaseScratch();
        }
        isReleased_ = true;
    }
    return true;
}

Result<std::shared_ptr<RunnableModel>> compileFor(std::uint32_t threadCount,
                                                  const std::shared_ptr<Engine>& engine,
                                                  const Model& model) {
    NNBURST_TRY_ASSIGN(Kernels kernels, kernelEngine(*engine).kernels(threadCount));
    auto compiled = std::make_shared<RunnableModel>(engine, std::move(kernels), model);
    NNBURST_TRY(compiled->prepare(model));
    return compiled;
}

double microseconds(std::chrono::nanoseconds time) noexcept {
    return std::chrono::duration<double, std::micro>(time).count();
}

void logTimes(std::uint32_t threadCount, const LatencySample& times) {
    NNBURST_VLOG(COMPILATION,
                 "{} kernel threads: {:.1f} us, p99 {:.1f}; after a rest {:.1f} us, p90 {:.1f}",
                 threadCount, microseconds(times.median), microseconds(times.high),
                 microseconds(times.idleMedian), microseconds(times.idleHigh));
}

bool isSooner(const KernelEngine& engine, RunnableModel& more, RunnableModel& fewer) {
    const auto times = engine.settings().compare(more, fewer);
    if (times) {
        logTimes(fewer.kernelThreads(), times->fewer);
        logTimes(more.kernelThreads(), times->more);
    }
    return times && isWorthIt(*times);
}

/// With the number of threads that answers soonest, of those that the engine gives. Models of which
/// shapes are not known before they run have the first.
Result<std::shared_ptr<RunnableModel>> compileForBest(const std::shared_ptr<Engine>& engine,
                                                      const Model& model) {
    const KernelEngine& kernels = kernelEngine(*engine);
    const std::span counts(kernels.settings().threadCounts);
    NNBURST_ASSERT(!counts.empty(), "the engine has no number of threads to try");
    NNBURST_TRY_ASSIGN(std::shared_ptr<RunnableModel> best,
                       compileFor(counts.front(), engine, model));
    for (const std::uint32_t count : counts.subspan(1)) {
        auto more = compileFor(count, engine, model);
        // Also without memory or threads for more: it runs with what it has.
        if (!more || !(*more)->isMultithreaded() || !isSooner(kernels, **more, *best)) {
            break;
        }
        best = std::move(*more);
    }
    if (counts.size() > 1) {
        NNBURST_VLOG(COMPILATION, "{} kernel threads were chosen", best->kernelThreads());
    }
    if (best->isPlanned()) {
        warmUp(*best);
    }
    return best;
}

}  // namespace

Result<std::shared_ptr<CompiledModel>> CompiledModel::compile(const std::shared_ptr<Engine>& engine,
                                                              const Model& model) {
    NNBURST_TRY(validateModel(model));
    if (!model.referenced.empty()) {
        // Preparing a graph does not look beyond it.
        NNBURST_TRY(requiredVersion(model));
    }
    return compileForBest(engine, model);
}

}  // namespace nnburst::exec
