// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/nnapi_prepared_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace nnburst::tools {
namespace {

/// Nanoseconds from now to `deadline`, at least 1: for the API 0 is no limit.
std::uint64_t timeoutUntil(TimePoint deadline) {
    const std::chrono::nanoseconds left = deadline - std::chrono::steady_clock::now();
    return left.count() > 0 ? static_cast<std::uint64_t>(left.count()) : 1;
}

/// Memory objects of regions, made when a region is used first. Thread-safe.
class NnapiMemories {
  public:
    explicit NnapiMemories(const NnapiFunctions& functions) : functions_(functions) {}

    Result<ANeuralNetworksMemory*> memoryOf(const SharedRegion& region) {
        const std::scoped_lock lock(mutex_);
        const auto found = memories_.find(region->id());
        if (found != memories_.end()) {
            return found->second.memory.get();
        }
        std::erase_if(memories_, [](const auto& entry) { return entry.second.region.expired(); });
        NNBURST_TRY_ASSIGN(auto memory, makeNnapiMemory(functions_, *region));
        ANeuralNetworksMemory* const made = memory.get();
        memories_.emplace(region->id(), Entry{.region = region, .memory = std::move(memory)});
        return made;
    }

  private:
    struct Entry {
        std::weak_ptr<const Region> region;
        NnapiObject<ANeuralNetworksMemory> memory;
    };

    const NnapiFunctions& functions_;
    std::mutex mutex_;
    std::map<std::uint64_t, Entry> memories_;  ///< by Region::id
};

/// What executions and bursts of one model share.
struct Compiled {
    Compiled(const NnapiFunctions& theFunctions, NnapiModel theModel)
        : functions(theFunctions), model(std::move(theModel)), memories(functions) {}

    const NnapiFunctions functions;
    NnapiModel model;
    NnapiObject<ANeuralNetworksCompilation> compilation{nullptr, nullptr};
    bool hasOneDevice = false;  ///< chosen by its name
    std::vector<Operand> inputs;
    std::vector<Operand> outputs;
    NnapiMemories memories;
};

using SharedCompiled = std::shared_ptr<Compiled>;

/// The durations of an execution that has succeeded.
Timing timingOf(const NnapiFunctions& functions, const ANeuralNetworksExecution* execution,
                DurationCode onDevice, DurationCode inDriver) {
    const auto microseconds = [&](DurationCode code) {
        std::uint64_t nanoseconds = UINT64_MAX;
        functions.ANeuralNetworksExecution_getDuration(execution, code, &nanoseconds);
        return nanoseconds == UINT64_MAX ? kTimeNotAvailable : nanoseconds / 1000;
    };
    return {.timeOnDevice = microseconds(onDevice), .timeInDriver = microseconds(inDriver)};
}

/// An execution object with its arguments. Used by one thread at a time.
class NnapiExecution {
  public:
    static Result<std::unique_ptr<NnapiExecution>> create(SharedCompiled compiled,
                                                          const Request& request,
                                                          const ExecutionOptions& options,
                                                          bool isReusable) {
        ANeuralNetworksExecution* execution = nullptr;
        NNBURST_TRY(nnapiResult(compiled->functions.ANeuralNetworksExecution_create(
                                    compiled->compilation.get(), &execution),
                                "ANeuralNetworksExecution_create"));
        auto made =
            std::unique_ptr<NnapiExecution>(new NnapiExecution(std::move(compiled), execution));
        if (isReusable) {
            NNBURST_TRY(
                nnapiResult(made->functions().ANeuralNetworksExecution_setReusable(execution, true),
                            "ANeuralNetworksExecution_setReusable"));
        }
        NNBURST_TRY(made->setArguments(request));
        NNBURST_TRY(made->setOptions(options));
        made->request_ = request;  // keeps the memory
        return made;
    }

    [[nodiscard]] ANeuralNetworksExecution* get() const noexcept { return execution_.get(); }
    [[nodiscard]] const NnapiFunctions& functions() const noexcept { return compiled_->functions; }

    Result<> setDeadline(const OptionalTimePoint& deadline) {
        if (!deadline) {
            return {};
        }
        if (!compiled_->hasOneDevice) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           "execution with a deadline: NNAPI takes one only where a device was "
                           "chosen by its name");
        }
        return nnapiResult(
            functions().ANeuralNetworksExecution_setTimeout(get(), timeoutUntil(*deadline)),
            "ANeuralNetworksExecution_setTimeout");
    }

    /// The result of an execution that has ended with `code`, and its outcome.
    Result<> end(int code, const char* what, ExecutionOutcome& outcome) {
        outcome.timing = {};
        if (code != ANEURALNETWORKS_NO_ERROR && code != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE) {
            outcome.outputShapes.clear();
            return nnapiResult(code, what);
        }
        outcome.outputShapes.resize(compiled_->outputs.size());
        for (std::size_t i = 0; i < outcome.outputShapes.size(); ++i) {
            NNBURST_TRY(readShape(static_cast<std::int32_t>(i), outcome.outputShapes[i]));
        }
        if (measures_ && code == ANEURALNETWORKS_NO_ERROR) {
            outcome.timing = timingOf(functions(), get(), ANEURALNETWORKS_DURATION_ON_HARDWARE,
                                      ANEURALNETWORKS_DURATION_IN_DRIVER);
        }
        return nnapiResult(code, what);
    }

    [[nodiscard]] Timing fencedTiming() const {
        return measures_ ? timingOf(functions(), get(), ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE,
                                    ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER)
                         : Timing{};
    }

    [[nodiscard]] Timing launchedTiming() const {
        return measures_ ? timingOf(functions(), get(), ANEURALNETWORKS_DURATION_ON_HARDWARE,
                                    ANEURALNETWORKS_DURATION_IN_DRIVER)
                         : Timing{};
    }

  private:
    NnapiExecution(SharedCompiled compiled, ANeuralNetworksExecution* execution)
        : compiled_(std::move(compiled)),
          execution_(execution, compiled_->functions.ANeuralNetworksExecution_free) {}

    Result<> setArguments(const Request& request) {
        if (request.inputs.size() != compiled_->inputs.size() ||
            request.outputs.size() != compiled_->outputs.size()) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           fmt::format("request with {} inputs and {} outputs: the model has {} "
                                       "and {}",
                                       request.inputs.size(), request.outputs.size(),
                                       compiled_->inputs.size(), compiled_->outputs.size()));
        }
        for (std::size_t i = 0; i < request.inputs.size(); ++i) {
            NNBURST_TRY(setInput(static_cast<std::int32_t>(i), compiled_->inputs[i],
                                 request.inputs[i], request.pools));
        }
        for (std::size_t i = 0; i < request.outputs.size(); ++i) {
            NNBURST_TRY(setOutput(static_cast<std::int32_t>(i), compiled_->outputs[i],
                                  request.outputs[i], request.pools));
        }
        return {};
    }

    Result<> setInput(std::int32_t index, const Operand& operand, const RequestArgument& argument,
                      std::span<const RequestPool> pools) {
        if (argument.hasNoValue) {
            return nnapiResult(
                functions().ANeuralNetworksExecution_setInput(get(), index, nullptr, nullptr, 0),
                "ANeuralNetworksExecution_setInput");
        }
        NNBURST_TRY_ASSIGN(const ANeuralNetworksMemory* memory, memoryOf(argument, pools));
        const ANeuralNetworksOperandType type = toNnapi(operand, argument.dimensions);
        return nnapiResult(functions().ANeuralNetworksExecution_setInputFromMemory(
                               get(), index, argument.dimensions.empty() ? nullptr : &type, memory,
                               argument.location.offset, argument.location.length),
                           "ANeuralNetworksExecution_setInputFromMemory");
    }

    Result<> setOutput(std::int32_t index, const Operand& operand, const RequestArgument& argument,
                       std::span<const RequestPool> pools) {
        if (argument.hasNoValue) {
            return nnapiResult(
                functions().ANeuralNetworksExecution_setOutput(get(), index, nullptr, nullptr, 0),
                "ANeuralNetworksExecution_setOutput");
        }
        NNBURST_TRY_ASSIGN(const ANeuralNetworksMemory* memory, memoryOf(argument, pools));
        const ANeuralNetworksOperandType type = toNnapi(operand, argument.dimensions);
        return nnapiResult(functions().ANeuralNetworksExecution_setOutputFromMemory(
                               get(), index, argument.dimensions.empty() ? nullptr : &type, memory,
                               argument.location.offset, argument.location.length),
                           "ANeuralNetworksExecution_setOutputFromMemory");
    }

    Result<ANeuralNetworksMemory*> memoryOf(const RequestArgument& argument,
                                            std::span<const RequestPool> pools) {
        const std::uint32_t index = argument.location.poolIndex;
        const auto* region =
            index < pools.size() ? std::get_if<SharedRegion>(&pools[index]) : nullptr;
        if (region == nullptr) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           fmt::format("request pool {}: must be one of {} and shared memory",
                                       index, pools.size()));
        }
        return compiled_->memories.memoryOf(*region);
    }

    Result<> setOptions(const ExecutionOptions& options) {
        measures_ = options.measure == MeasureTiming::YES && compiled_->hasOneDevice;
        if (measures_) {
            NNBURST_TRY(
                nnapiResult(functions().ANeuralNetworksExecution_setMeasureTiming(get(), true),
                            "ANeuralNetworksExecution_setMeasureTiming"));
        }
        if (options.loopTimeout) {
            NNBURST_TRY(
                nnapiResult(functions().ANeuralNetworksExecution_setLoopTimeout(
                                get(), static_cast<std::uint64_t>(options.loopTimeout->count())),
                            "ANeuralNetworksExecution_setLoopTimeout"));
        }
        return setDeadline(options.deadline);
    }

    Result<> readShape(std::int32_t index, OutputShape& shape) {
        std::uint32_t rank = 0;
        int code = functions().ANeuralNetworksExecution_getOutputOperandRank(get(), index, &rank);
        shape.isSufficient = code != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
        if (shape.isSufficient) {
            NNBURST_TRY(nnapiResult(code, "ANeuralNetworksExecution_getOutputOperandRank"));
        }
        shape.dimensions.resize(rank);
        if (rank == 0) {
            return {};
        }
        code = functions().ANeuralNetworksExecution_getOutputOperandDimensions(
            get(), index, shape.dimensions.data());
        return shape.isSufficient
                   ? nnapiResult(code, "ANeuralNetworksExecution_getOutputOperandDimensions")
                   : Result<>();
    }

    const SharedCompiled compiled_;
    const NnapiObject<ANeuralNetworksExecution> execution_;
    Request request_;
    bool measures_ = false;
};

/// In the API options of an execution cannot be changed once it was computed, not even of a
/// reusable one: a computation with a deadline is an execution of its own.
class NnapiReusableExecution final : public ReusableExecution {
  public:
    NnapiReusableExecution(SharedCompiled compiled, std::shared_ptr<ANeuralNetworksBurst> burst,
                           std::unique_ptr<NnapiExecution> execution, const Request& request,
                           const ExecutionOptions& options)
        : compiled_(std::move(compiled)),
          burst_(std::move(burst)),
          execution_(std::move(execution)),
          request_(request),
          options_(options) {}

    [[nodiscard]] Result<> compute(const OptionalTimePoint& deadline,
                                   ExecutionOutcome& outcome) override {
        if (!deadline) {
            return compute(*execution_, outcome);
        }
        outcome.outputShapes.clear();
        outcome.timing = {};
        options_.deadline = deadline;
        NNBURST_TRY_ASSIGN(const auto execution,
                           NnapiExecution::create(compiled_, request_, options_, false));
        return compute(*execution, outcome);
    }

    [[nodiscard]] Result<Submission> submit(const OptionalTimePoint& /*deadline*/) override {
        return failure(ErrorStatus::GENERAL_FAILURE, "a burst of NNAPI cannot submit");
    }

  private:
    Result<> compute(NnapiExecution& execution, ExecutionOutcome& outcome) {
        return execution.end(compiled_->functions.ANeuralNetworksExecution_burstCompute(
                                 execution.get(), burst_.get()),
                             "ANeuralNetworksExecution_burstCompute", outcome);
    }

    const SharedCompiled compiled_;
    const std::shared_ptr<ANeuralNetworksBurst> burst_;
    const std::unique_ptr<NnapiExecution> execution_;
    const Request request_;
    ExecutionOptions options_;
};

class NnapiBurst final : public Burst {
  public:
    NnapiBurst(SharedCompiled compiled, ANeuralNetworksBurst* burst)
        : compiled_(std::move(compiled)),
          burst_(burst, [compiled = compiled_](ANeuralNetworksBurst* owned) {
              compiled->functions.ANeuralNetworksBurst_free(owned);
          }) {}

    [[nodiscard]] Result<> execute(const Request& request, const ExecutionOptions& options,
                                   ExecutionOutcome& outcome) override {
        outcome.outputShapes.clear();
        outcome.timing = {};
        NNBURST_TRY_ASSIGN(const auto execution,
                           NnapiExecution::create(compiled_, request, options, false));
        return execution->end(compiled_->functions.ANeuralNetworksExecution_burstCompute(
                                  execution->get(), burst_.get()),
                              "ANeuralNetworksExecution_burstCompute", outcome);
    }

    [[nodiscard]] Result<std::unique_ptr<ReusableExecution>> createReusableExecution(
        const Request& request, const ExecutionOptions& options) override {
        ExecutionOptions kept = options;
        kept.deadline = std::nullopt;
        NNBURST_TRY_ASSIGN(auto execution, NnapiExecution::create(compiled_, request, kept, true));
        return std::make_unique<NnapiReusableExecution>(compiled_, burst_, std::move(execution),
                                                        request, kept);
    }

    [[nodiscard]] Result<Submission> submit(const Request& /*request*/,
                                            const ExecutionOptions& /*options*/) override {
        return failure(ErrorStatus::GENERAL_FAILURE, "a burst of NNAPI cannot submit");
    }

    [[nodiscard]] Result<> wait(Submission /*submission*/, ExecutionOutcome& outcome) override {
        outcome = {};
        return failure(ErrorStatus::INVALID_ARGUMENT, "a burst of NNAPI has nothing in flight");
    }

    [[nodiscard]] bool isMemoryInUse() override { return false; }
    [[nodiscard]] Result<> waitForMemory(const OptionalTimePoint& /*deadline*/) override {
        return {};
    }
    void freeMemory(const SharedRegion& /*region*/) override {}
    [[nodiscard]] BurstWaitStats waitStats() const override { return {}; }

  private:
    const SharedCompiled compiled_;
    const std::shared_ptr<ANeuralNetworksBurst> burst_;
};

/// Threads that wait for events of asynchronous executions.
class EventThreads {
  public:
    EventThreads() = default;
    EventThreads(const EventThreads&) = delete;
    EventThreads& operator=(const EventThreads&) = delete;
    ~EventThreads() {
        for (Entry& entry : entries_) {
            entry.thread.join();
        }
    }

    template <class Work>
    void start(Work work) {
        const std::scoped_lock lock(mutex_);
        std::erase_if(entries_, [](Entry& entry) {
            const bool isDone = entry.isDone->load(std::memory_order_acquire);
            if (isDone) {
                entry.thread.join();
            }
            return isDone;
        });
        auto isDone = std::make_shared<std::atomic<bool>>(false);
        entries_.push_back({.isDone = isDone, .thread = std::thread([work, isDone] {
                                                  work();
                                                  isDone->store(true, std::memory_order_release);
                                              })});
    }

  private:
    struct Entry {
        std::shared_ptr<std::atomic<bool>> isDone;
        std::thread thread;
    };

    std::mutex mutex_;
    std::vector<Entry> entries_;
};

using SharedEvent = std::shared_ptr<ANeuralNetworksEvent>;

class NnapiPreparedModel final : public PreparedModel {
  public:
    explicit NnapiPreparedModel(SharedCompiled compiled) : compiled_(std::move(compiled)) {}

    [[nodiscard]] Result<> executeSynchronously(const Request& request,
                                                const ExecutionOptions& options,
                                                ExecutionOutcome& outcome) override {
        outcome.outputShapes.clear();
        outcome.timing = {};
        NNBURST_TRY_ASSIGN(const auto execution,
                           NnapiExecution::create(compiled_, request, options, false));
        return execution->end(functions().ANeuralNetworksExecution_compute(execution->get()),
                              "ANeuralNetworksExecution_compute", outcome);
    }

    [[nodiscard]] Result<> execute(const Request& request, const ExecutionOptions& options,
                                   ExecutionCallback callback) override {
        auto created = NnapiExecution::create(compiled_, request, options, false);
        if (!created) {
            const Result<> status = tl::unexpected<Error>(created.error());
            callback(status, {});
            return status;
        }
        const std::shared_ptr<NnapiExecution> execution = std::move(*created);
        ANeuralNetworksEvent* event = nullptr;
        const int code =
            functions().ANeuralNetworksExecution_startCompute(execution->get(), &event);
        if (code != ANEURALNETWORKS_NO_ERROR) {
            ExecutionOutcome outcome;
            const Result<> status =
                execution->end(code, "ANeuralNetworksExecution_startCompute", outcome);
            callback(status, outcome);
            return status;
        }
        eventThreads_.start([execution, event = own(event), callback = std::move(callback)] {
            ExecutionOutcome outcome;
            const int ended = execution->functions().ANeuralNetworksEvent_wait(event.get());
            const Result<> status = execution->end(ended, "ANeuralNetworksEvent_wait", outcome);
            callback(status, outcome);
        });
        return {};
    }

    [[nodiscard]] Result<FencedExecution> executeFenced(
        const Request& request, std::span<const int> waitFor, const ExecutionOptions& options,
        OptionalTimeoutDuration timeoutAfterFence) override {
        NNBURST_TRY_ASSIGN(auto created,
                           NnapiExecution::create(compiled_, request, options, false));
        const std::shared_ptr<NnapiExecution> execution = std::move(created);
        std::vector<SharedEvent> awaited;
        std::vector<const ANeuralNetworksEvent*> dependencies;
        for (const int fence : waitFor) {
            ANeuralNetworksEvent* made = nullptr;
            NNBURST_TRY(
                nnapiResult(functions().ANeuralNetworksEvent_createFromSyncFenceFd(fence, &made),
                            "ANeuralNetworksEvent_createFromSyncFenceFd"));
            awaited.push_back(own(made));
            dependencies.push_back(made);
        }
        ANeuralNetworksEvent* started = nullptr;
        NNBURST_TRY(nnapiResult(
            functions().ANeuralNetworksExecution_startComputeWithDependencies(
                execution->get(), dependencies.data(),
                static_cast<std::uint32_t>(dependencies.size()),
                timeoutAfterFence ? static_cast<std::uint64_t>(timeoutAfterFence->count()) : 0,
                &started),
            "ANeuralNetworksExecution_startComputeWithDependencies"));
        const SharedEvent event = own(started);
        int fence = -1;  // stays so if the execution has ended already
        static_cast<void>(functions().ANeuralNetworksEvent_getSyncFenceFd(started, &fence));
        return FencedExecution{
            .fence = UniqueFd(fence),
            .callback = [execution, event](Timing& launched, Timing& fenced) -> Result<> {
                const int code = execution->functions().ANeuralNetworksEvent_wait(event.get());
                if (code == ANEURALNETWORKS_NO_ERROR) {
                    launched = execution->launchedTiming();
                    fenced = execution->fencedTiming();
                }
                return nnapiResult(code, "ANeuralNetworksEvent_wait");
            }};
    }

    [[nodiscard]] Result<std::unique_ptr<Burst>> configureExecutionBurst(
        const BurstOptions& /*options*/) override {
        ANeuralNetworksBurst* burst = nullptr;
        NNBURST_TRY(nnapiResult(
            functions().ANeuralNetworksBurst_create(compiled_->compilation.get(), &burst),
            "ANeuralNetworksBurst_create"));
        return std::make_unique<NnapiBurst>(compiled_, burst);
    }

  private:
    [[nodiscard]] const NnapiFunctions& functions() const noexcept { return compiled_->functions; }

    [[nodiscard]] SharedEvent own(ANeuralNetworksEvent* event) const {
        return {event, [compiled = compiled_](ANeuralNetworksEvent* owned) {
                    compiled->functions.ANeuralNetworksEvent_free(owned);
                }};
    }

    const SharedCompiled compiled_;
    EventThreads eventThreads_;
};

std::vector<Operand> operandsOf(const Model& model, const std::vector<std::uint32_t>& indexes) {
    std::vector<Operand> operands;
    operands.reserve(indexes.size());
    for (const std::uint32_t index : indexes) {
        operands.push_back(index < model.main.operands.size() ? model.main.operands[index]
                                                              : Operand{});
    }
    return operands;
}

}  // namespace

Result<SharedPreparedModel> makeNnapiPreparedModel(const NnapiFunctions& functions,
                                                   ANeuralNetworksDevice* device,
                                                   const Model& model,
                                                   const PrepareOptions& options) {
    NNBURST_TRY_ASSIGN(NnapiModel built, NnapiModel::build(functions, model));
    const auto compiled = std::make_shared<Compiled>(functions, std::move(built));
    compiled->hasOneDevice = device != nullptr;
    compiled->inputs = operandsOf(model, model.main.inputIndexes);
    compiled->outputs = operandsOf(model, model.main.outputIndexes);

    ANeuralNetworksCompilation* created = nullptr;
    if (device == nullptr) {
        NNBURST_TRY(nnapiResult(
            functions.ANeuralNetworksCompilation_create(compiled->model.get(), &created),
            "ANeuralNetworksCompilation_create"));
    } else {
        NNBURST_TRY(nnapiResult(functions.ANeuralNetworksCompilation_createForDevices(
                                    compiled->model.get(), &device, 1, &created),
                                "ANeuralNetworksCompilation_createForDevices"));
    }
    compiled->compilation = {created, functions.ANeuralNetworksCompilation_free};
    NNBURST_TRY(nnapiResult(functions.ANeuralNetworksCompilation_setPreference(
                                created, static_cast<std::int32_t>(options.preference)),
                            "ANeuralNetworksCompilation_setPreference"));
    constexpr int kPriorities[] = {ANEURALNETWORKS_PRIORITY_LOW, ANEURALNETWORKS_PRIORITY_MEDIUM,
                                   ANEURALNETWORKS_PRIORITY_HIGH};
    NNBURST_TRY(nnapiResult(
        functions.ANeuralNetworksCompilation_setPriority(
            created,
            kPriorities[std::clamp<std::size_t>(static_cast<std::size_t>(options.priority), 0, 2)]),
        "ANeuralNetworksCompilation_setPriority"));
    if (options.deadline) {
        if (device == nullptr) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           "preparation with a deadline: NNAPI takes one only where a device was "
                           "chosen by its name");
        }
        NNBURST_TRY(nnapiResult(functions.ANeuralNetworksCompilation_setTimeout(
                                    created, timeoutUntil(*options.deadline)),
                                "ANeuralNetworksCompilation_setTimeout"));
    }
    NNBURST_TRY(nnapiResult(functions.ANeuralNetworksCompilation_finish(created),
                            "ANeuralNetworksCompilation_finish"));
    return std::make_shared<NnapiPreparedModel>(compiled);
}

}  // namespace nnburst::tools
