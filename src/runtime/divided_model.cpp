// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/divided_model.h"

#include <algorithm>
#include <new>
#include <utility>

#include "burst/burst_errors.h"
#include "log/verbose.h"
#include "model/outcome.h"
#include "nnburst/validation.h"
#include "runtime/divided_burst.h"

namespace nnburst::runtime {

/// A run with its memory, and after its second execution with bursts.
class DividedModel::ExecutionState final : public PartExecutor {
  public:
    ExecutionState(const DividedPlan& plan, std::shared_ptr<TemporaryMemory> memory)
        : plan_(plan), run_(plan, std::move(memory)) {}

    Result<> execute(const Request& request, const ExecutionOptions& options,
                     ExecutionOutcome& outcome) {
        options_ = options;
        NNBURST_TRY(run_.bind(request));
        Result<> result = run_.run(*this, outcome);
        run_.release();
        // Not before the run: setting up bursts may take longer than its deadline allows.
        if (result && executions_ < 2 && ++executions_ == 2) {
            makeBursts();
        }
        return result;
    }

    Result<> execute(std::size_t part, const Request& request, ExecutionOutcome& outcome) override {
        PreparedModel& prepared = *plan_.parts[part].prepared;
        // Of memory in use that was passed to no burst only the prepared model knows.
        if (!bursts_.empty() && !prepared.isMemoryInUse()) {
            return bursts_[part]->execute(request, options_, outcome);
        }
        return prepared.executeSynchronously(request, options_, outcome);
    }

    [[nodiscard]] bool wasEmpty() const noexcept { return run_.wasEmpty(); }

    /// Of executions through the bursts, and of those without a burst, also those of other
    /// executions: more may be refused than is needed.
    [[nodiscard]] bool isMemoryInUse() const {
        return std::any_of(bursts_.begin(), bursts_.end(),
                           [](const auto& burst) { return burst->isMemoryInUse(); }) ||
               std::any_of(plan_.parts.begin(), plan_.parts.end(),
                           [](const PlannedPart& part) { return part.prepared->isMemoryInUse(); });
    }

    Result<> waitForMemory(const OptionalTimePoint& deadline) const {
        for (const std::unique_ptr<Burst>& burst : bursts_) {
            NNBURST_TRY(waitForMemoryOf(*burst, deadline));
        }
        for (const PlannedPart& part : plan_.parts) {
            NNBURST_TRY(part.prepared->waitForMemory(deadline));
        }
        return {};
    }

  private:
    void makeBursts() {
        try {
            for (const PlannedPart& part : plan_.parts) {
                auto burst = part.prepared->configureExecutionBurst({});
                if (!burst) {
                    NNBURST_VLOG(EXECUTION, "{}: executions get no burst: {}", part.name,
                                 burst.error().message);
                    bursts_.clear();
                    return;
                }
                bursts_.push_back(std::move(*burst));
            }
        } catch (const std::bad_alloc&) {
            bursts_.clear();  // the execution has succeeded all the same
        }
    }

    const DividedPlan& plan_;
    DividedRun run_;
    int executions_ = 0;                          // that succeeded; 2: two or more
    std::vector<std::unique_ptr<Burst>> bursts_;  // one for each part, or none
    ExecutionOptions options_;
};

DividedModel::DividedModel(DividedPlan plan, std::shared_ptr<ExecutionThreads> threads)
    : plan_(std::move(plan)), background_(std::move(threads)) {}

DividedModel::~DividedModel() = default;

bool DividedModel::usesMemoryInUse(const Request& request) {
    const system::MutexLock lock(mutex_);
    inUse_.dropAnswered();
    return inUse_.isUsedBy(request);
}

Result<std::unique_ptr<DividedModel::ExecutionState>> DividedModel::takeState() {
    {
        const system::MutexLock lock(mutex_);
        if (!idle_.empty()) {
            std::unique_ptr<ExecutionState> state = std::move(idle_.back());
            idle_.pop_back();
            return state;
        }
    }
    NNBURST_TRY_ASSIGN(auto memory, TemporaryMemory::create(plan_));
    return std::make_unique<ExecutionState>(plan_, std::move(memory));
}

void DividedModel::giveBack(std::unique_ptr<ExecutionState> state, const Request& request,
                            const Result<>& result) {
    const bool isLost = !result && result.error().status == ErrorStatus::DEVICE_UNAVAILABLE;
    const bool isInUse = isLost && state->isMemoryInUse();
    const system::MutexLock lock(mutex_);
    if (isInUse) {
        inUse_.add(std::move(state), request);
    } else if (!isLost && idle_.size() < kMaximumIdleStates) {
        idle_.push_back(std::move(state));
    }
}

Result<> DividedModel::executeWhole(Result<> failed, const Request& request,
                                    const ExecutionOptions& options,
                                    ExecutionOutcome& outcome) const {
    if (plan_.whole == nullptr) {
        return failed;
    }
    const auto model = plan_.whole->model();
    if (!model) {
        return failed;
    }
    plan_.whole->countExecution();
    return (*model)->executeSynchronously(request, options, outcome);
}

Result<> DividedModel::executeSynchronously(const Request& request, const ExecutionOptions& options,
                                            ExecutionOutcome& outcome) {
    clearOutcome(outcome);
    NNBURST_TRY(validateRequest(plan_.interface, request));
    if (usesMemoryInUse(request)) {
        return burst::memoryInUse();
    }
    NNBURST_TRY_ASSIGN(std::unique_ptr<ExecutionState> state, takeState());
    Result<> result = state->execute(request, options, outcome);
    const bool wasEmpty = state->wasEmpty();
    giveBack(std::move(state), request, result);
    return wasEmpty ? executeWhole(std::move(result), request, options, outcome) : result;
}

Result<> DividedModel::execute(const Request& request, const ExecutionOptions& options,
                               ExecutionCallback callback) {
    return executeOnThread(background_, shared_from_this(), plan_.interface, request, options,
                           std::move(callback));
}

Result<FencedExecution> DividedModel::executeFenced(const Request& request,
                                                    std::span<const int> waitFor,
                                                    const ExecutionOptions& options,
                                                    OptionalTimeoutDuration timeoutAfterFence) {
    return executeFencedOnThread(background_, shared_from_this(), plan_.interface, request, waitFor,
                                 options, timeoutAfterFence);
}

Result<std::unique_ptr<Burst>> DividedModel::configureExecutionBurst(const BurstOptions& options) {
    return DividedBurst::create(shared_from_this(), options);
}

bool DividedModel::isMemoryInUse() {
    const system::MutexLock lock(mutex_);
    inUse_.dropAnswered();
    return !inUse_.isEmpty() ||
           std::any_of(plan_.parts.begin(), plan_.parts.end(),
                       [](const PlannedPart& part) { return part.prepared->isMemoryInUse(); });
}

Result<> DividedModel::waitForMemory(const OptionalTimePoint& deadline) {
    std::vector<std::shared_ptr<ExecutionState>> states;
    {
        const system::MutexLock lock(mutex_);
        states = inUse_.holders();
    }
    for (const std::shared_ptr<ExecutionState>& state : states) {
        NNBURST_TRY(state->waitForMemory(deadline));
    }
    for (const PlannedPart& part : plan_.parts) {
        NNBURST_TRY(part.prepared->waitForMemory(deadline));
    }
    return {};
}

}  // namespace nnburst::runtime
