// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnapi/execution.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "nnburst/fence.h"

namespace nnburst::nnapi {

namespace {

constexpr auto kDefaultLoopTimeoutNs = static_cast<std::uint64_t>(kDefaultLoopTimeout.count());
constexpr auto kMaximumLoopTimeoutNs = static_cast<std::uint64_t>(kMaximumLoopTimeout.count());

constexpr std::uint64_t kNoDuration = std::numeric_limits<std::uint64_t>::max();

/// The HAL measures microseconds, the API reports nanoseconds.
std::uint64_t nanoseconds(std::uint64_t microseconds) {
    constexpr std::uint64_t kFactor = 1000;
    if (microseconds == kTimeNotAvailable) {
        return kNoDuration;
    }
    return microseconds > (kNoDuration - 1) / kFactor ? kNoDuration - 1 : microseconds * kFactor;
}

}  // namespace

Execution::Execution(std::shared_ptr<Compilation> compilation)
    : compilation_(std::move(compilation)), arguments_(*compilation_) {}

Execution::~Execution() {
    // After an error a device may still use the memory.
    if (state_.load(std::memory_order_acquire) == State::COMPLETED && !hasFailed_) {
        arguments_.giveStagingBack();
    }
}

Execution::BurstRequest::BurstRequest(std::shared_ptr<BurstContext> context,
                                      std::unique_ptr<ReusableExecution> reusable)
    : burst(std::move(context)) {
    execution.push_back(std::move(reusable));
}

Status Execution::create(std::shared_ptr<Compilation> compilation,
                         std::shared_ptr<Execution>& execution) {
    if (!compilation->isValid()) {
        return badState("the compilation is not finished, or failed");
    }
    execution.reset(new Execution(std::move(compilation)));
    return {};
}

// ---- In preparation

Status Execution::checkInPreparation() const {
    if (state_.load(std::memory_order_acquire) != State::PREPARATION) {
        return badState("the execution was started");
    }
    return {};
}

Status Execution::checkForOneDevice() const {
    if (!compilation_->isForOneDevice()) {
        return badData("the compilation must be for one chosen device");
    }
    return {};
}

Status Execution::setMeasured(bool isMeasured) {
    NNBURST_NNAPI_TRY(checkForOneDevice());
    NNBURST_NNAPI_TRY(checkInPreparation());
    options_.measure = isMeasured ? MeasureTiming::YES : MeasureTiming::NO;
    return {};
}

Status Execution::setTimeout(std::uint64_t durationNs) {
    NNBURST_NNAPI_TRY(checkForOneDevice());
    NNBURST_NNAPI_TRY(checkInPreparation());
    timeoutNs_ = durationNs;
    return {};
}

Status Execution::setLoopTimeout(std::uint64_t durationNs) {
    NNBURST_NNAPI_TRY(checkInPreparation());
    options_.loopTimeout = std::chrono::nanoseconds(std::min(durationNs, kMaximumLoopTimeoutNs));
    return {};
}

Status Execution::setReusable(bool isReusable) {
    NNBURST_NNAPI_TRY(checkInPreparation());
    isReusable_ = isReusable;
    return {};
}

// ---- Computation

Status Execution::begin() {
    State state = state_.load(std::memory_order_acquire);
    do {
        if (state == State::COMPUTATION) {
            return badState("the execution is in computation");
        }
        if (state == State::COMPLETED && !isReusable_) {
            return badState("the execution is completed, and not reusable");
        }
    } while (!state_.compare_exchange_weak(state, State::COMPUTATION, std::memory_order_acq_rel,
                                           std::memory_order_acquire));
    fencedTiming_.reset();
    return {};
}

ExecutionOptions Execution::optionsNow() const noexcept {
    ExecutionOptions options = options_;
    if (timeoutNs_ != 0) {
        options.deadline = deadlineAfter(timeoutNs_);
    }
    return options;
}

void Execution::setCompleted(int code) noexcept {
    startGate_.reset();
    arguments_.endExpectation();
    completionCode_ = code;
    hasFailed_ = hasFailed_ || code != ANEURALNETWORKS_NO_ERROR;
    state_.store(State::COMPLETED, std::memory_order_release);
}

Status Execution::abandon() noexcept {
    arguments_.clearOutputs();
    setCompleted(ANEURALNETWORKS_OUT_OF_MEMORY);
    return {ANEURALNETWORKS_OUT_OF_MEMORY, "out of memory"};  // too short to be allocated
}

Status Execution::completeRefused(Status status) {
    arguments_.clearOutputs();
    outcome_.outputShapes.clear();
    setCompleted(status.code);
    return status;
}

Status Execution::takeResult(const Result<>& result) {
    if (result || result.error().status == ErrorStatus::OUTPUT_INSUFFICIENT_SIZE) {
        Status status = arguments_.checkShapes(outcome_.outputShapes, result.has_value());
        if (!status.isOk()) {
            return status;
        }
    }
    if (!result) {
        return refused(
            toExecutionResultCode(result.error().status, compilation_->areDevicesChosen()), "{}",
            result.error().message);
    }
    return arguments_.takeOutputs(outcome_.outputShapes);
}

Status Execution::complete(const Result<>& result) {
    Status status = takeResult(result);
    if (!status.isOk()) {
        arguments_.clearOutputs();
        if (status.code != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE) {
            outcome_.outputShapes.clear();
        }
    }
    setCompleted(status.code);
    return status;
}

template <class Work>
Status Execution::beginAnd(const Work& work) {
    NNBURST_NNAPI_TRY(begin());
    try {
        return work();
    } catch (...) {
        (void)abandon();
        throw;
    }
}

Status Execution::makeRequest() {
    if (arguments_.hasRequest()) {
        return {};
    }
    NNBURST_NNAPI_TRY(arguments_.checkComplete());
    if (compilation_->failure()) {
        return refused(toResultCode(compilation_->failure()->status), "{}",
                       compilation_->failure()->message);
    }
    return arguments_.makeRequest();
}

Status Execution::prepareContents() {
    Status status = arguments_.checkContents();
    if (status.isOk()) {
        status = makeRequest();
    }
    if (!status.isOk()) {
        return completeRefused(std::move(status));
    }
    arguments_.stageInputs();
    return {};
}

Status Execution::compute() {
    return beginAnd([this]() -> Status {
        NNBURST_NNAPI_TRY(prepareContents());
        return complete(compilation_->preparedModel()->executeSynchronously(
            arguments_.request(), optionsNow(), outcome_));
    });
}

Result<ReusableExecution*> Execution::registerIn(const std::shared_ptr<BurstContext>& burst) {
    for (const BurstRequest& request : burstRequests_) {
        if (request.burst == burst) {
            return request.execution.front().get();
        }
    }
    burstRequests_.remove_if([](const BurstRequest& old) { return old.burst->isFreed(); });
    NNBURST_TRY_ASSIGN(auto execution,
                       burst->burst()->createReusableExecution(arguments_.request(), options_));
    return burstRequests_.emplace_back(burst, std::move(execution)).execution.front().get();
}

Result<> Execution::executeInBurst(const std::shared_ptr<BurstContext>& burst) {
    const ExecutionOptions options = optionsNow();
    if (!isReusable_) {
        return burst->burst()->execute(arguments_.request(), options, outcome_);
    }
    NNBURST_TRY_ASSIGN(ReusableExecution * execution, registerIn(burst));
    return execution->compute(options.deadline, outcome_);
}

Status Execution::computeInBurst(const std::shared_ptr<BurstContext>& burst) {
    return beginAnd([&]() -> Status {
        NNBURST_NNAPI_TRY(prepareContents());
        return complete(executeInBurst(burst));
    });
}

/// A computation that ends with the device's callback, or if the device drops that without a call.
class Execution::StartedComputation {
  public:
    StartedComputation(std::shared_ptr<Execution> execution,
                       std::shared_ptr<CompletionEvent> event) noexcept
        : execution_(std::move(execution)), event_(std::move(event)) {}
    StartedComputation(const StartedComputation&) = delete;
    StartedComputation& operator=(const StartedComputation&) = delete;
    ~StartedComputation() {
        if (execution_ != nullptr) {
            end(execution_->abandon());
        }
    }

    void finish(const Result<>& status, const ExecutionOutcome& outcome) noexcept {
        Status ended;
        try {
            execution_->outcome_ = outcome;
            ended = execution_->complete(status);
        } catch (...) {
            ended = execution_->abandon();
        }
        end(std::move(ended));
    }

  private:
    /// The program may free everything as soon as it sees the end: the execution is dropped before.
    void end(Status status) noexcept {
        execution_.reset();
        event_->complete(std::move(status));
    }

    std::shared_ptr<Execution> execution_;
    const std::shared_ptr<CompletionEvent> event_;
};

Status Execution::start(std::shared_ptr<Event>& event) {
    std::shared_ptr<StartedComputation> started;
    Status status = beginAnd([&]() -> Status {
        NNBURST_NNAPI_TRY(prepareContents());
        auto completion = std::make_shared<CompletionEvent>();
        started = std::make_shared<StartedComputation>(shared_from_this(), completion);
        event = std::move(completion);
        return {};
    });
    if (!status.isOk()) {
        return status;
    }
    // The callback comes in any case; the event tells what it says.
    (void)compilation_->preparedModel()->execute(
        arguments_.request(), optionsNow(),
        [started = std::move(started)](const Result<>& ended, const ExecutionOutcome& outcome) {
            started->finish(ended, outcome);
        });
    return {};
}

Status Execution::finishFenced(const FencedExecution& launched) noexcept {
    try {
        if (startGate_ != nullptr) {
            if (startGate_->awaitDependencies(launched.fence.get())) {
                arguments_.stageInputs();
                startGate_->open();
            } else {
                startGate_->cancel();
            }
        }
        if (launched.fence) {
            // The callback gives the reason of a failed fence.
            (void)waitForFence(launched.fence.get());
        }
        outcome_.outputShapes.clear();
        Timing fenced;
        const Result<> result = launched.callback(outcome_.timing, fenced);
        fencedTiming_ = fenced;
        return complete(result);
    } catch (...) {
        return abandon();
    }
}

Status Execution::prepareFenced(std::span<const int> waitFor, std::uint64_t durationNs) {
    Status status;
    if (durationNs != 0) {
        status = checkForOneDevice();
    }
    if (status.isOk()) {
        status = arguments_.checkOutputDimensions();
    }
    if (status.isOk() && waitFor.empty()) {
        status = arguments_.checkContents();  // else a dependency may write them
    }
    if (status.isOk()) {
        status = makeRequest();
    }
    const bool hasStaged = arguments_.hasStagedInputs() || arguments_.hasStagedOutputs();
    if (status.isOk() && hasStaged && !waitFor.empty()) {
        status = StartGate::create(waitFor, startGate_);
    }
    if (!status.isOk()) {
        return completeRefused(std::move(status));
    }
    if (startGate_ == nullptr) {
        arguments_.stageInputs();
    }
    // The program may wait for the descriptor alone, which nothing here notices.
    arguments_.expectOutputs();
    return {};
}

Status Execution::startFenced(std::span<const int> waitFor, std::uint64_t durationNs,
                              std::shared_ptr<Event>& event) {
    std::shared_ptr<FencedExecutionEvent> fenced;
    Status status = beginAnd([&]() -> Status {
        NNBURST_NNAPI_TRY(prepareFenced(waitFor, durationNs));
        fenced = std::make_shared<FencedExecutionEvent>(
            [self = shared_from_this()](const FencedExecution& launched) {
                return self->finishFenced(launched);
            });
        OptionalTimeoutDuration duration;
        if (durationNs != 0 && durationNs < static_cast<std::uint64_t>(INT64_MAX)) {
            duration = std::chrono::nanoseconds(durationNs);
        }
        const int gate = startGate_ == nullptr ? -1 : startGate_->fence();
        auto launched = compilation_->preparedModel()->executeFenced(
            arguments_.request(), startGate_ == nullptr ? waitFor : std::span(&gate, 1),
            optionsNow(), duration);
        if (!launched) {
            return complete(tl::unexpected<Error>(std::move(launched.error())));
        }
        fenced->setLaunched(*std::move(launched));
        return {};
    });
    if (!status.isOk()) {
        return status;
    }
    if (startGate_ != nullptr || arguments_.hasStagedOutputs()) {
        try {
            status = fenced->finishInBackground();
        } catch (const std::bad_alloc&) {
            status = {ANEURALNETWORKS_OUT_OF_MEMORY, {}};
        }
        if (!status.isOk()) {
            if (startGate_ != nullptr) {
                startGate_->cancel();  // this thread may be the one that signals the dependencies
            }
            (void)fenced->wait();  // the device may still write the outputs
            return status;
        }
    }
    event = std::move(fenced);
    return {};
}

// ---- Completed

Status Execution::getDuration(std::int32_t code, std::uint64_t& durationNs) const {
    durationNs = kNoDuration;
    if (state_.load(std::memory_order_acquire) != State::COMPLETED ||
        completionCode_ != ANEURALNETWORKS_NO_ERROR) {
        return badState("the execution is not completed, or failed");
    }
    if (options_.measure == MeasureTiming::NO) {
        return badState("the execution was not measured");
    }
    switch (code) {
        case ANEURALNETWORKS_DURATION_ON_HARDWARE:
            durationNs = nanoseconds(outcome_.timing.timeOnDevice);
            return {};
        case ANEURALNETWORKS_DURATION_IN_DRIVER:
            durationNs = nanoseconds(outcome_.timing.timeInDriver);
            return {};
        case ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE:
            durationNs = nanoseconds(fencedTiming_.value_or(outcome_.timing).timeOnDevice);
            return {};
        default:
            durationNs = nanoseconds(fencedTiming_.value_or(outcome_.timing).timeInDriver);
            return {};
    }
}

Status Execution::getOutputDimensions(std::int32_t index, const Dimensions*& dimensions) const {
    if (state_.load(std::memory_order_acquire) != State::COMPLETED ||
        (completionCode_ != ANEURALNETWORKS_NO_ERROR &&
         completionCode_ != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE)) {
        return badState("the execution is not completed, or failed");
    }
    if (index < 0 || static_cast<std::size_t>(index) >= arguments_.outputCount()) {
        return badData("output {}: must be one of {}", index, arguments_.outputCount());
    }
    const auto position = static_cast<std::size_t>(index);
    if (position >= outcome_.outputShapes.size()) {
        dimensions = &arguments_.outputDimensions(position);  // the device does not say
        return {};
    }
    dimensions = &outcome_.outputShapes[position].dimensions;
    if (!outcome_.outputShapes[position].isSufficient) {
        return refused(ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE, "output {}: too little memory",
                       index);
    }
    return {};
}

}  // namespace nnburst::nnapi

using nnburst::nnapi::answer;
using nnburst::nnapi::Arguments;
using nnburst::nnapi::badData;
using nnburst::nnapi::Execution;
using nnburst::nnapi::hasDevicesOfParent;
using nnburst::nnapi::refuseNull;
using nnburst::nnapi::Status;

int ANeuralNetworksExecution_create(ANeuralNetworksCompilation* compilation,
                                    ANeuralNetworksExecution** execution) {
    if (compilation == nullptr || execution == nullptr) {
        return refuseNull(__func__);
    }
    *execution = nullptr;
    return answer(__func__, [&]() -> Status {
        auto created = std::make_unique<ANeuralNetworksExecution>();
        Status status = Execution::create(compilation->compilation, created->execution);
        if (status.isOk()) {
            *execution = created.release();
        }
        return status;
    });
}

void ANeuralNetworksExecution_free(ANeuralNetworksExecution* execution) {
    if (execution == nullptr || hasDevicesOfParent()) {
        return;
    }
    if (execution->execution->isInComputation()) {
        nnburst::nnapi::logRefusal(__func__, ANEURALNETWORKS_BAD_STATE,
                                   "the execution is in computation and is not freed");
        return;
    }
    delete execution;
}

int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution* execution, int32_t index,
                                      const ANeuralNetworksOperandType* type, const void* buffer,
                                      size_t length) {
    if (execution == nullptr || (buffer == nullptr && length != 0)) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] {
        return execution->execution->setArguments([&](Arguments& arguments) {
            // Inputs are only read.
            return arguments.setPointer(false, index, type, const_cast<void*>(buffer), length);
        });
    });
}

int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution* execution, int32_t index,
                                                const ANeuralNetworksOperandType* type,
                                                const ANeuralNetworksMemory* memory, size_t offset,
                                                size_t length) {
    if (execution == nullptr || memory == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] {
        return execution->execution->setArguments([&](Arguments& arguments) {
            return arguments.setMemory(false, index, type, memory->memory, offset, length);
        });
    });
}

int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution* execution, int32_t index,
                                       const ANeuralNetworksOperandType* type, void* buffer,
                                       size_t length) {
    if (execution == nullptr || (buffer == nullptr && length != 0)) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] {
        return execution->execution->setArguments([&](Arguments& arguments) {
            return arguments.setPointer(true, index, type, buffer, length);
        });
    });
}

int ANeuralNetworksExecution_setOutputFromMemory(ANeuralNetworksExecution* execution, int32_t index,
                                                 const ANeuralNetworksOperandType* type,
                                                 const ANeuralNetworksMemory* memory, size_t offset,
                                                 size_t length) {
    if (execution == nullptr || memory == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] {
        return execution->execution->setArguments([&](Arguments& arguments) {
            return arguments.setMemory(true, index, type, memory->memory, offset, length);
        });
    });
}

int ANeuralNetworksExecution_setMeasureTiming(ANeuralNetworksExecution* execution, bool measure) {
    if (execution == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] { return execution->execution->setMeasured(measure); });
}

int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution* execution, uint64_t duration) {
    if (execution == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] { return execution->execution->setTimeout(duration); });
}

int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution* execution,
                                            uint64_t duration) {
    if (execution == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] { return execution->execution->setLoopTimeout(duration); });
}

uint64_t ANeuralNetworks_getDefaultLoopTimeout() {
    return nnburst::nnapi::kDefaultLoopTimeoutNs;
}

uint64_t ANeuralNetworks_getMaximumLoopTimeout() {
    return nnburst::nnapi::kMaximumLoopTimeoutNs;
}

int ANeuralNetworksExecution_enableInputAndOutputPadding(ANeuralNetworksExecution* execution,
                                                         bool enable) {
    if (execution == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] {
        return execution->execution->setArguments(
            [&](Arguments& arguments) { return arguments.setPadded(enable); });
    });
}

int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution* execution, bool reusable) {
    if (execution == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] { return execution->execution->setReusable(reusable); });
}

int ANeuralNetworksExecution_compute(ANeuralNetworksExecution* execution) {
    if (execution == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] { return execution->execution->compute(); });
}

int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution* execution,
                                          ANeuralNetworksEvent** event) {
    if (event != nullptr) {
        *event = nullptr;
    }
    if (execution == nullptr || event == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&]() -> Status {
        auto created = std::make_unique<ANeuralNetworksEvent>();
        Status status = execution->execution->start(created->event);
        if (status.isOk()) {
            *event = created.release();
        }
        return status;
    });
}

int ANeuralNetworksExecution_startComputeWithDependencies(
    ANeuralNetworksExecution* execution, const ANeuralNetworksEvent* const* dependencies,
    uint32_t numDependencies, uint64_t duration, ANeuralNetworksEvent** event) {
    if (event != nullptr) {
        *event = nullptr;
    }
    if (execution == nullptr || event == nullptr ||
        (dependencies == nullptr && numDependencies != 0)) {
        return refuseNull(__func__);
    }
    const std::span<const ANeuralNetworksEvent* const> events(dependencies, numDependencies);
    if (std::find(events.begin(), events.end(), nullptr) != events.end()) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&]() -> Status {
        std::vector<int> waitFor;
        for (const ANeuralNetworksEvent* dependency : events) {
            const int descriptor = dependency->event->descriptor();
            if (descriptor >= 0) {
                waitFor.push_back(descriptor);
            } else {
                (void)dependency->event->wait();
            }
        }
        auto created = std::make_unique<ANeuralNetworksEvent>();
        Status status = execution->execution->startFenced(waitFor, duration, created->event);
        if (status.isOk()) {
            *event = created.release();
        }
        return status;
    });
}

int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution* execution,
                                         int32_t durationCode, uint64_t* duration) {
    if (execution == nullptr || duration == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&]() -> Status {
        if (durationCode < ANEURALNETWORKS_DURATION_ON_HARDWARE ||
            durationCode > ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER) {
            return badData("duration {}: must be a DurationCode", durationCode);
        }
        return execution->execution->getDuration(durationCode, *duration);
    });
}

int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution* execution,
                                                  int32_t index, uint32_t* rank) {
    if (execution == nullptr || rank == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&] {
        const nnburst::Dimensions* dimensions = nullptr;
        Status status = execution->execution->getOutputDimensions(index, dimensions);
        if (dimensions != nullptr) {
            *rank = static_cast<uint32_t>(dimensions->size());
        }
        return status;
    });
}

int ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution* execution,
                                                        int32_t index, uint32_t* dimensions) {
    if (execution == nullptr || dimensions == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&]() -> Status {
        const nnburst::Dimensions* found = nullptr;
        Status status = execution->execution->getOutputDimensions(index, found);
        if (found != nullptr && found->empty()) {
            return badData("output {}: it has no dimensions, or none are known", index);
        }
        if (found != nullptr) {
            std::copy(found->begin(), found->end(), dimensions);
        }
        return status;
    });
}
