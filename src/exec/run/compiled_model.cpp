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
#include "exec/run/engine.h"
#include "exec/run/gated_model.h"
#include "exec/run/model_runner.h"
#include "exec/run/thread_choice.h"
#include "exec/run/trial_request.h"
#include "exec/threads/execution_gate.h"
#include "log/assert.h"
#include "log/client_log.h"
#include "log/verbose.h"
#include "model/invalid.h"
#include "model/operand_info.h"
#include "nnburst/validation.h"
#include "system/mutex.h"

namespace nnburst::exec {

namespace {

/// Warns that a model with `count` runners gets no further one, if the reason is not a lack of
/// room.
void warnUnlessExhausted(std::uint32_t count, const Error& error) {
    if (!isResourceExhausted(error.status)) {
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

class RunnableModel final : public GatedModel<RunnableModel> {
  public:
    RunnableModel(std::shared_ptr<Engine> engine, Kernels kernels, const Model& model)
        // A pool of threads runs one operation at a time, on all processors.
        : GatedModel(std::move(engine), model,
                     kernels.threads ? Width::ALL_LANES : Width::ONE_LANE),
          kernels_(std::move(kernels)),
          outputCount_(model.main.outputIndexes.size()),
          maximumRunners_(usefulRunnerCount()) {}

    /// Makes the first runner, and does all work that can be done before the first run.
    Result<> prepare(const Model& model, const PackedModel& packed,
                     const PreparationLimits& limits);

    [[nodiscard]] PackedModel packed() const override;

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

    [[nodiscard]] Result<> checkOmitted(std::span<const RequestArgument> inputs,
                                        const std::atomic<bool>* isCancelled) const override;

    bool releaseIfIdle() override;

    [[nodiscard]] std::uint64_t memoryBytes() const noexcept override {
        std::uint64_t total = graphs_.additionalFilterBytes() + graphs_.resultBytes();
        for (std::uint32_t index = 0; index < runnerSet().count(); ++index) {
            total += runners_[index]->memoryBytes();
        }
        return total;
    }

    std::uint32_t addBurst() noexcept override {
        return burstCount_.fetch_add(1, std::memory_order_relaxed);  // only counts
    }
    void removeBurst() noexcept override { burstCount_.fetch_sub(1, std::memory_order_relaxed); }
    void makeRunnersForBursts(Account* account) override;
    [[nodiscard]] std::uint32_t runnerCount() const noexcept override {
        return runnerSet().count();
    }

  private:
    static constexpr std::size_t kMaximumRunners = RunnerSet::kMaximumRunners;

    friend class GatedModel<RunnableModel>;

    Result<> runAdmitted(std::uint32_t runner, RequestBindings& bindings, const RunLimits& limits,
                         ExecutionOutcome& outcome) {
        outcome.outputShapes.resize(outputCount_);
        return runners_[runner]->run(bindings, outcome.outputShapes, limits);
    }
    /// The number of useful runners: one for each lane of the engine and one for an extra
    /// execution (execution_gate.h), or one in all if an execution takes all lanes.
    [[nodiscard]] std::uint32_t usefulRunnerCount() const noexcept;
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

    const Kernels kernels_;
    const std::size_t outputCount_;

    ModelGraphs graphs_;
    /// For the runners beyond the first. Changed with growth_ held.
    std::vector<GrowingCharge> charges_;
    std::uint64_t preparedBytes_ = 0;  // of the first runner, before its first run
    /// runners_[i] is used by the execution that holds runner i in `runnerSet()`. Runners below
    /// runnerSet().count() are never exchanged.
    std::array<std::unique_ptr<ModelRunner>, kMaximumRunners> runners_;
    std::atomic<std::uint32_t> burstCount_{0};
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
    const PackedFor& packedFor = engine().packedFor();
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
    auto runner = std::make_unique<ModelRunner>(kernels_, graphs_, arguments(), index);
    NNBURST_TRY(index == 0 ? runner->prepareFirst(limits)
                           : runner->prepareAs(*runners_[0], limits));
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
    return width() == Width::ALL_LANES
               ? 1
               : std::min<std::uint32_t>(gate().laneCount() + 1, kMaximumRunners);
}

bool RunnableModel::addRunner(Account* account) {
    const std::uint32_t count = runnerSet().count();
    if (count >= maximumRunners_.load(std::memory_order_relaxed)) {
        return false;
    }
    const std::uint64_t limit = engine().settings().concurrencyMemoryBytes;
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
        if (!runner && account != nullptr && isResourceExhausted(runner.error().status)) {
            return false;  // another client may have room for it
        }
        if (!runner) {
            warnUnlessExhausted(count, runner.error());
        }
        if (runner && used + (*runner)->memoryBytes() <= limit) {
            charges_.push_back(std::move(charge));
            used += (*runner)->memoryBytes();
            runners_[count] = std::move(*runner);
            runnerSet().add();
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

void RunnableModel::makeRunnersForBursts(Account* account) {
    if (burstCount_.load(std::memory_order_relaxed) <= runnerSet().count()) {
        return;
    }
    const system::MutexLock lock(growth_);
    while (runnerSet().count() < burstCount_.load(std::memory_order_relaxed) &&
           addRunner(account)) {
    }
}

/// Chooses a runner for bindings that have not run yet. If all runners are held, makes one more; if
/// another thread is making one, the execution waits at the gate, which ends the wait at its
/// deadline. Bindings that have run before do not come here, so repeated executions allocate
/// nothing.
std::uint32_t RunnableModel::firstRunner(const Caller& caller) {
    if (maximumRunners_.load(std::memory_order_relaxed) > runnerSet().count() &&
        runnerSet().areAllHeld() && growth_.try_lock()) {
        const system::MutexLock lock(growth_, std::adopt_lock);
        if (runnerSet().areAllHeld()) {
            (void)addRunner(caller.account());
        }
    }
    return caller.burstNumber % runnerSet().count();
}

Result<> RunnableModel::checkOmitted(std::span<const RequestArgument> inputs,
                                     const std::atomic<bool>* isCancelled) const {
    return checkOmittedInputs(graphs_, inputs, isCancelled);
}

bool RunnableModel::releaseIfIdle() {
    bool isIdle = true;
    for (std::uint32_t index = 0; index < runnerSet().count(); ++index) {
        ExecutionGate::Pass pass(gate(), runnerSet(), width());
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
    NNBURST_TRY_ASSIGN(Kernels kernels, engine->kernels(threadCount));
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

bool isSooner(const Engine& engine, RunnableModel& more, RunnableModel& fewer) {
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
    const std::span counts(engine->settings().threadCounts);
    NNBURST_ASSERT(!counts.empty(), "the engine has no number of threads to try");
    NNBURST_TRY_ASSIGN(std::shared_ptr<RunnableModel> best,
                       compileFor(counts.front(), engine, model, packed, limits));
    for (const std::uint32_t count : counts.subspan(1)) {
        // Not charged: one of the two is dropped at once.
        auto more = compileFor(count, engine, model, packed, {.isCancelled = limits.isCancelled});
        // If there is no memory or no thread for more, the model keeps the number that it has.
        if (!more || !(*more)->isMultithreaded() || !isSooner(*engine, **more, *best)) {
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
