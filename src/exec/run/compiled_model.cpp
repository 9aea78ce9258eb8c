// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/compiled_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "account/account.h"
#include "account/growing_charge.h"
#include "exec/graph/graph.h"
#include "exec/graph/model_check.h"
#include "exec/graph/omission_check.h"
#include "exec/plan/profile.h"
#include "exec/run/aligned_arguments.h"
#include "exec/run/argument_binder.h"
#include "exec/run/engine.h"
#include "exec/run/model_runner.h"
#include "exec/run/thread_choice.h"
#include "exec/run/trial_request.h"
#include "exec/threads/execution_gate.h"
#include "log/assert.h"
#include "log/limited_log.h"
#include "log/marks.h"
#include "log/verbose.h"
#include "model/invalid.h"
#include "model/operand_info.h"
#include "nnburst/validation.h"
#include "system/mutex.h"
#include "system/time.h"

namespace nnburst::exec {

Account* Caller::account() const noexcept {
    return client == nullptr ? nullptr : client->account().get();
}

namespace {

using Clock = std::chrono::steady_clock;

bool isExhausted(ErrorStatus status) noexcept {
    return status == ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT ||
           status == ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT;
}

/// Warns that a model with `count` runners gets no further one, if the reason is not a lack of
/// room.
void warnUnlessExhausted(std::uint32_t count, const Error& error) {
    if (!isExhausted(error.status)) {
        clientLog().write(LogLevel::WARNING,
                          fmt::format("a model keeps {} runners; another one cannot be made: {}",
                                      count, error.message));
    }
}

/// CompiledModel::checkOmitted.
Result<> checkOmittedInputs(const ModelGraphs& graphs, std::span<const RequestArgument> inputs,
                            const std::atomic<bool>* isCancelled) {
    std::vector<bool> isOmitted;
    for (const RequestArgument& input : inputs) {
        isOmitted.push_back(input.hasNoValue);
    }
    if (std::find(isOmitted.begin(), isOmitted.end(), true) == isOmitted.end()) {
        return {};
    }
    std::vector<const Graph*> referenced;
    for (const auto& graph : graphs.referenced) {
        referenced.push_back(graph->graph.get());
    }
    return OmissionCheck(std::move(referenced), isCancelled).check(*graphs.main->graph, isOmitted);
}

class RunnableModel final : public CompiledModel {
  public:
    RunnableModel(std::shared_ptr<Engine> engine, Kernels kernels, const Model& model)
        : engine_(std::move(engine)),
          kernels_(std::move(kernels)),
          arguments_(model),
          outputCount_(model.main.outputIndexes.size()),
          maximumRunners_(usefulRunnerCount()) {}

    /// Makes the first runner, and does all work that can be done before the first run.
    Result<> prepare(const Model& model, const PackedModel& packed,
                     const PreparationLimits& limits);

    [[nodiscard]] PackedModel packed() const override;

    [[nodiscard]] std::span<const Operand> inputs() const noexcept override {
        return arguments_.inputs();
    }
    [[nodiscard]] std::span<const Operand> outputs() const noexcept override {
        return arguments_.outputs();
    }
    [[nodiscard]] Contention contention() const noexcept override {
        return {.delayedCount = gate().delayedCount(),
                .wouldOversubscribe = gate().spinningWouldOversubscribe()};
    }

    [[nodiscard]] std::uint32_t kernelThreads() const noexcept override {
        return kernels_.threads ? kernels_.threads->count() : 1;
    }
    [[nodiscard]] std::span<const std::uint32_t> kernelThreadProcessors() const noexcept override {
        return kernels_.threads ? kernels_.threads->processors() : std::span<const std::uint32_t>();
    }
    /// Known before the first run: several threads share the work of some operation.
    [[nodiscard]] bool isMultithreaded() const noexcept { return runners_[0]->isMultithreaded(); }
    /// Known before the first run: all steps and shapes. Such a model has no loops.
    [[nodiscard]] bool isPlanned() const noexcept { return runners_[0]->isPlanned(); }

    [[nodiscard]] Result<> bind(std::span<const RequestArgument> inputs,
                                std::span<const RequestArgument> outputs,
                                std::span<const PoolView> pools,
                                RequestBindings& bindings) const override {
        return arguments_.bind(inputs, outputs, pools, bindings);
    }

    [[nodiscard]] Result<> checkOmitted(std::span<const RequestArgument> inputs,
                                        const std::atomic<bool>* isCancelled) const override;

    [[nodiscard]] Result<> run(RequestBindings& bindings, const Caller& caller,
                               const ExecutionOptions& options, ExecutionOutcome& outcome) override;

    bool releaseIfIdle() override;

    [[nodiscard]] std::uint64_t memoryBytes() const noexcept override {
        std::uint64_t total = graphs_.additionalFilterBytes() + graphs_.resultBytes();
        for (std::uint32_t index = 0; index < runnerSet_.count(); ++index) {
            total += runners_[index]->memoryBytes();
        }
        return total;
    }

    std::uint32_t addUser() noexcept override {
        return userCount_.fetch_add(1, std::memory_order_relaxed);  // only counts
    }
    void removeUser() noexcept override { userCount_.fetch_sub(1, std::memory_order_relaxed); }
    void makeRunnersForUsers(Account* account) override;
    [[nodiscard]] std::uint32_t runnerCount() const noexcept override { return runnerSet_.count(); }

  private:
    static constexpr std::size_t kMaximumRunners = RunnerSet::kMaximumRunners;

    Result<> runInTurn(RequestBindings& bindings, const Caller& caller,
                       const ExecutionOptions& options, ExecutionOutcome& outcome);
    /// On copies of arguments that are not aligned.
    Result<> runUnprofiled(RequestBindings& bindings, const Caller& caller,
                           const ExecutionOptions& options, ExecutionOutcome& outcome) {
        return bindings.hasUnaligned ? runOnAlignedCopies(bindings, caller, options, outcome)
                                     : runInTurn(bindings, caller, options, outcome);
    }
    Result<> runProfiled(RequestBindings& bindings, const Caller& caller,
                         const ExecutionOptions& options, ExecutionOutcome& outcome);
    Result<> runOnAlignedCopies(const RequestBindings& bindings, const Caller& caller,
                                const ExecutionOptions& options, ExecutionOutcome& outcome);
    [[nodiscard]] ExecutionGate& gate() const noexcept { return kernelEngine(*engine_).gate(); }
    /// A pool of threads runs one operation at a time, on all processors.
    [[nodiscard]] ExecutionGate::Pass::Width width() const noexcept {
        return kernels_.threads ? ExecutionGate::Pass::Width::ALL_LANES
                                : ExecutionGate::Pass::Width::ONE_LANE;
    }
    /// The number of useful runners: one for each lane of the engine and one for an extra
    /// execution (execution_gate.h), or one in all if an execution takes all lanes.
    [[nodiscard]] std::uint32_t usefulRunnerCount() const noexcept;
    /// The runner to prefer for `bindings`, which may be run for the first time.
    std::uint32_t preferredRunner(const RequestBindings& bindings, const Caller& caller) {
        const std::uint32_t last = bindings.memo.runner;
        return last < runnerSet_.count() ? last : firstRunner(caller);
    }
    std::uint32_t firstRunner(const Caller& caller);
    /// Makes a further runner, which is charged to `account`, unless that is null. May plan, and
    /// wait for others that plan, while growth_ is held. False if that is not possible: then the
    /// model makes no more runners, unless the account's limit may be the reason.
    bool addRunner(Account* account) NNBURST_REQUIRES(growth_);
    /// Adds what the runner takes to `charge`, most of it while it is made.
    Result<std::unique_ptr<ModelRunner>> makeChargedRunner(std::uint32_t index,
                                                           GrowingCharge& charge);
    Result<std::unique_ptr<ModelRunner>> makeRunner(std::uint32_t index,
                                                    const PreparationLimits& limits);

    const std::shared_ptr<Engine> engine_;
    const Kernels kernels_;
    const ArgumentBinder arguments_;
    const std::size_t outputCount_;

    ModelGraphs graphs_;
    /// For the runners beyond the first. Changed with growth_ held.
    std::vector<GrowingCharge> charges_;
    std::uint64_t preparedBytes_ = 0;  // of the first runner, before its first run
    /// runners_[i] is used by the execution that holds runner i in `runnerSet_`. Runners below
    /// runnerSet_.count() are never exchanged.
    std::array<std::unique_ptr<ModelRunner>, kMaximumRunners> runners_;
    RunnerSet runnerSet_;
    std::atomic<std::uint32_t> userCount_{0};
    /// Held while a runner is made. Executions that find a runner do not take it.
    system::Mutex growth_;
    std::atomic<std::uint32_t> maximumRunners_;  // changed with growth_ held
};

Result<> RunnableModel::prepare(const Model& model, const PackedModel& packed,
                                const PreparationLimits& limits) {
    NNBURST_ASSERT(runners_[0] == nullptr, "a model is prepared twice");
    NNBURST_TRY_ASSIGN(graphs_, ModelGraphs::create(model, packed));
    NNBURST_TRY_ASSIGN(runners_[0], makeRunner(0, limits));
    preparedBytes_ = runners_[0]->memoryBytes();
    return {};
}

PackedModel RunnableModel::packed() const {
    const PackedFor& packedFor = engine_->packedFor();
    if (packedFor.packing.empty()) {
        return {};
    }
    PackedModel packed{.packing = packedFor.packing, .graphs = {}};
    packed.graphs.push_back(graphs_.main->packed());
    for (const auto& graph : graphs_.referenced) {
        packed.graphs.push_back(graph->packed());
    }
    const bool isEmpty = std::all_of(
        packed.graphs.begin(), packed.graphs.end(),
        [](const PackedGraph& graph) { return graph.filters.empty() && graph.blocks.empty(); });
    return isEmpty ? PackedModel() : packed;
}

Result<std::unique_ptr<ModelRunner>> RunnableModel::makeRunner(std::uint32_t index,
                                                               const PreparationLimits& limits) {
    auto runner = std::make_unique<ModelRunner>(kernels_, graphs_, arguments_, index);
    NNBURST_TRY(runner->prepare(runners_[0].get(), limits));
    return runner;
}

Result<std::unique_ptr<ModelRunner>> RunnableModel::makeChargedRunner(std::uint32_t index,
                                                                      GrowingCharge& charge) {
    NNBURST_TRY_ASSIGN(auto runner, makeRunner(index, {.memory = &charge}));
    // What this runner has packed for XNNPACK is known only now.
    const std::uint64_t bytes = runner->memoryBytes();
    NNBURST_TRY(charge.add(bytes - std::min(bytes, charge.amount())));
    return runner;
}

std::uint32_t RunnableModel::usefulRunnerCount() const noexcept {
    return width() == ExecutionGate::Pass::Width::ALL_LANES
               ? 1
               : std::min<std::uint32_t>(gate().laneCount() + 1, kMaximumRunners);
}

bool RunnableModel::addRunner(Account* account) {
    const std::uint32_t count = runnerSet_.count();
    if (count >= maximumRunners_.load(std::memory_order_relaxed)) {
        return false;
    }
    const std::uint64_t limit = kernelEngine(*engine_).settings().concurrencyMemoryBytes;
    std::uint64_t used = 0;
    for (std::uint32_t index = 1; index < count; ++index) {
        used += runners_[index]->memoryBytes();
    }
    // A new runner takes about as much as the first one took.
    if (limit != 0 && used + preparedBytes_ <= limit) {
        if (account != nullptr && account->available(Resource::MEMORY) < preparedBytes_) {
            return false;
        }
        GrowingCharge charge(account, Resource::MEMORY);
        auto runner = makeChargedRunner(count, charge);
        if (!runner && account != nullptr && isExhausted(runner.error().status)) {
            return false;  // another client may have room for it
        }
        if (!runner) {
            warnUnlessExhausted(count, runner.error());
        }
        if (runner && used + (*runner)->memoryBytes() <= limit) {
            charges_.push_back(std::move(charge));
            used += (*runner)->memoryBytes();
            runners_[count] = std::move(*runner);
            runnerSet_.add();
            NNBURST_VLOG(COMPILATION, "a model has {} runners; those beyond the first: {} bytes",
                         count + 1, used);
            return true;
        }
    }
    NNBURST_VLOG(COMPILATION, "a model keeps {} runners; those beyond the first: {} of {} bytes",
                 count, used, limit);
    maximumRunners_.store(count, std::memory_order_relaxed);
    return false;
}

void RunnableModel::makeRunnersForUsers(Account* account) {
    if (userCount_.load(std::memory_order_relaxed) <= runnerSet_.count()) {
        return;
    }
    const system::MutexLock lock(growth_);
    while (runnerSet_.count() < userCount_.load(std::memory_order_relaxed) && addRunner(account)) {
    }
}

/// Chooses a runner for bindings that have not run yet. If all runners are held, makes one more; if
/// another thread is making one, the execution waits at the gate, which ends the wait at its
/// deadline. Bindings that have run before do not come here, so repeated executions allocate
/// nothing.
std::uint32_t RunnableModel::firstRunner(const Caller& caller) {
    if (maximumRunners_.load(std::memory_order_relaxed) > runnerSet_.count() &&
        runnerSet_.areAllHeld() && growth_.try_lock()) {
        const system::MutexLock lock(growth_, std::adopt_lock);
        if (runnerSet_.areAllHeld()) {
            (void)addRunner(caller.account());
        }
    }
    return caller.user % runnerSet_.count();
}

Result<> RunnableModel::checkOmitted(std::span<const RequestArgument> inputs,
                                     const std::atomic<bool>* isCancelled) const {
    return checkOmittedInputs(graphs_, inputs, isCancelled);
}

Result<> RunnableModel::runInTurn(RequestBindings& bindings, const Caller& caller,
                                  const ExecutionOptions& options, ExecutionOutcome& outcome) {
    ExecutionGate::Pass pass(gate(), runnerSet_, width(), caller.client, caller.lateWakes);
    Urgency urgency{.priority = caller.priority, .deadline = {}};
    system::copyByParts(options.deadline, urgency.deadline);
    if (!pass.tryEnter(urgency, preferredRunner(bindings, caller))) {
        // Another execution may have taken the last runner since: then one more is made.
        NNBURST_TRY(pass.enter(urgency, preferredRunner(bindings, caller)));
    }
    ModelRunner& runner = *runners_[pass.runner()];
    // The time went to others; the same run may do better later.
    if (options.deadline && Clock::now() >= *options.deadline) {
        return failure(ErrorStatus::MISSED_DEADLINE_TRANSIENT,
                       "the deadline had passed before the execution began");
    }
    outcome.outputShapes.resize(outputCount_);
    RunLimits limits{
        .loopTimeout =
            std::min(options.loopTimeout.value_or(kDefaultLoopTimeout), kMaximumLoopTimeout),
        .isCancelled = caller.client == nullptr ? nullptr : &caller.client->isCancelled(),
        .account = caller.account(),
        .pass = &pass,
        .isWarmUp = caller.isWarmUp};
    system::copyByParts(options.deadline, limits.deadline);
    const bool isMeasured = options.measure == MeasureTiming::YES;
    const TimePoint start = isMeasured ? Clock::now() : TimePoint();
    NNBURST_MARK(kernels__begin, this);
    Result<> result = runner.run(bindings, outcome.outputShapes, limits);
    NNBURST_MARK(kernels__end, this);
    if (isMeasured && result) {
        outcome.timing.timeOnDevice = static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count());
    }
    return result;
}

Result<> RunnableModel::runOnAlignedCopies(const RequestBindings& bindings, const Caller& caller,
                                           const ExecutionOptions& options,
                                           ExecutionOutcome& outcome) {
    AlignedArguments aligned(caller, options.deadline);
    NNBURST_TRY(aligned.copy(bindings));
    // Copying gigabytes back takes long: an execution that is admitted does not wait for that.
    NNBURST_TRY(runInTurn(aligned.bindings(), caller.withoutLateWakes(), options, outcome));
    return aligned.copyOutputsBack(bindings);
}

Result<> RunnableModel::run(RequestBindings& bindings, const Caller& caller,
                            const ExecutionOptions& options, ExecutionOutcome& outcome) {
    outcome.timing = {};
    return kernels_.profile != nullptr ? runProfiled(bindings, caller, options, outcome)
                                       : runUnprofiled(bindings, caller, options, outcome);
}

Result<> RunnableModel::runProfiled(RequestBindings& bindings, const Caller& caller,
                                    const ExecutionOptions& options, ExecutionOutcome& outcome) {
    const auto begin = Clock::now();
    Result<> result = runUnprofiled(bindings, caller, options, outcome);
    if (kernels_.profile->isRecording()) {
        kernels_.profile->record(kWholeExecution, begin, Clock::now());
    }
    return result;
}

bool RunnableModel::releaseIfIdle() {
    bool isIdle = true;
    for (std::uint32_t index = 0; index < runnerSet_.count(); ++index) {
        ExecutionGate::Pass pass(gate(), runnerSet_, width());
        if (!pass.enter({.priority = Priority::LOW, .deadline = Clock::now()}, index)) {
            return false;  // all runners are in use, or the engine is busy
        }
        // The pass may hold another runner, because runner `index` is in use.
        isIdle = pass.runner() == index && runners_[index]->releaseIfIdle() && isIdle;
    }
    return isIdle;
}

Result<std::shared_ptr<RunnableModel>> compileFor(std::uint32_t threadCount,
                                                  const std::shared_ptr<Engine>& engine,
                                                  const Model& model, const PackedModel& packed,
                                                  const PreparationLimits& limits) {
    NNBURST_TRY_ASSIGN(Kernels kernels, kernelEngine(*engine).kernels(threadCount));
    auto compiled = std::make_shared<RunnableModel>(engine, std::move(kernels), model);
    NNBURST_TRY(compiled->prepare(model, packed, limits));
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

/// Compiles the model with the number of threads, of those that the engine offers, that gives the
/// shortest latency. Models whose shapes are not known before they run get the first number.
Result<std::shared_ptr<RunnableModel>> compileForBest(const std::shared_ptr<Engine>& engine,
                                                      const Model& model, const PackedModel& packed,
                                                      const PreparationLimits& limits) {
    const KernelEngine& kernels = kernelEngine(*engine);
    const std::span counts(kernels.settings().threadCounts);
    NNBURST_ASSERT(!counts.empty(), "the engine has no number of threads to try");
    NNBURST_TRY_ASSIGN(std::shared_ptr<RunnableModel> best,
                       compileFor(counts.front(), engine, model, packed, limits));
    for (const std::uint32_t count : counts.subspan(1)) {
        // Not charged: one of the two is dropped at once.
        auto more = compileFor(count, engine, model, packed, {.isCancelled = limits.isCancelled});
        // If there is no memory or no thread for more, the model keeps the number that it has.
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
                                                              const Model& model,
                                                              const PackedModel& packed,
                                                              const PreparationLimits& limits) {
    NNBURST_TRY(validateModel(model));
    if (!model.referenced.empty()) {
        // Preparing a graph does not look beyond it.
        NNBURST_TRY(requiredVersion(model, limits.memory));
        if (limits.memory != nullptr) {
            limits.memory->clear();  // what it folded is gone
        }
    }
    return compileForBest(engine, model, packed, limits);
}

}  // namespace nnburst::exec
