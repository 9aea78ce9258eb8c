// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/divided_burst.h"

#include <algorithm>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "burst/burst_errors.h"
#include "burst/ended_executions.h"
#include "burst/exclusive_use.h"
#include "burst/wait_stats_sum.h"
#include "nnburst/validation.h"
#include "runtime/memory_in_use.h"

namespace nnburst::runtime {

namespace {

using Use = burst::ExclusiveUse<burst::TryLock>;

/// The bursts of the parts, one for each.
class PartBursts {
  public:
    explicit PartBursts(std::vector<std::unique_ptr<Burst>> bursts) : bursts_(std::move(bursts)) {}

    [[nodiscard]] const std::vector<std::unique_ptr<Burst>>& all() const noexcept {
        return bursts_;
    }

    [[nodiscard]] bool isMemoryInUse() const {
        return std::any_of(bursts_.begin(), bursts_.end(),
                           [](const auto& burst) { return burst->isMemoryInUse(); });
    }

    Result<> waitForMemory(const OptionalTimePoint& deadline) const {
        for (const std::unique_ptr<Burst>& burst : bursts_) {
            NNBURST_TRY(burst->waitForMemory(deadline));
        }
        return {};
    }

  private:
    const std::vector<std::unique_ptr<Burst>> bursts_;
};

/// Each part as a request to its burst.
class BurstExecutor final : public PartExecutor {
  public:
    BurstExecutor(std::span<const std::unique_ptr<Burst>> bursts,
                  const ExecutionOptions& options) noexcept
        : bursts_(bursts), options_(options) {}

    Result<> execute(std::size_t part, const Request& request, ExecutionOutcome& outcome) override {
        return bursts_[part]->execute(request, options_, outcome);
    }

  private:
    const std::span<const std::unique_ptr<Burst>> bursts_;
    const ExecutionOptions& options_;
};

/// Each part by its reusable execution, if it has one.
class ReusableExecutor final : public PartExecutor {
  public:
    ReusableExecutor(std::span<const std::unique_ptr<ReusableExecution>> reusables,
                     std::span<const std::unique_ptr<Burst>> bursts,
                     const ExecutionOptions& options) noexcept
        : reusables_(reusables), bursts_(bursts), options_(options) {}

    Result<> execute(std::size_t part, const Request& request, ExecutionOutcome& outcome) override {
        if (reusables_[part] != nullptr) [[likely]] {
            return reusables_[part]->compute(options_.deadline, outcome);
        }
        return bursts_[part]->execute(request, options_, outcome);
    }

  private:
    const std::span<const std::unique_ptr<ReusableExecution>> reusables_;
    const std::span<const std::unique_ptr<Burst>> bursts_;
    const ExecutionOptions& options_;
};

}  // namespace

/// What the burst and its reusable executions share.
class DividedBurst::State {
  public:
    State(std::shared_ptr<DividedModel> model, std::vector<std::unique_ptr<Burst>> bursts,
          std::shared_ptr<TemporaryMemory> memory, std::uint32_t inFlight)
        : model_(std::move(model)),
          bursts_(std::make_shared<PartBursts>(std::move(bursts))),
          memory_(std::move(memory)),
          run_(model_->plan(), memory_),
          ended_(inFlight) {}

    /// Calls `run`, which executes, unless another thread is using the burst or there is no room.
    template <class Run>
    Result<> executeAlone(ExecutionOutcome& outcome, Run run) {
        const Use use(lock_);
        if (!use) {
            return burst::failed(outcome, burst::usedByAnotherThread());
        }
        if (!ended_.hasRoom()) {
            return burst::failed(outcome, ended_.noRoom());
        }
        try {
            return run();
        } catch (const std::bad_alloc&) {
            return burst::failed(outcome, burst::outOfMemory());
        }
    }

    [[nodiscard]] burst::TryLock& lock() noexcept { return lock_; }
    [[nodiscard]] const DividedModel& model() const noexcept { return *model_; }
    [[nodiscard]] const std::vector<std::unique_ptr<Burst>>& bursts() const noexcept {
        return bursts_->all();
    }
    [[nodiscard]] const std::shared_ptr<TemporaryMemory>& memory() const noexcept {
        return memory_;
    }

    // For the thread that has the lock.

    /// Releases the memory of the last request.
    void release() { run_.release(); }

    [[nodiscard]] bool isMemoryInUse() const { return bursts_->isMemoryInUse(); }
    Result<> waitForMemory(const OptionalTimePoint& deadline) const {
        return bursts_->waitForMemory(deadline);
    }

    Result<> execute(const Request& request, const ExecutionOptions& options,
                     ExecutionOutcome& outcome) {
        if (const Result<> checked = check(request); !checked) {
            return burst::failed(outcome, checked);
        }
        BurstExecutor executor(bursts_->all(), options);
        return execute(run_, executor, request, options, outcome);
    }

    /// Executes `request`, which `run` has bound. The burst of a part does not know which memory
    /// the driver of another part may still write.
    Result<> execute(DividedRun& run, PartExecutor& executor, const Request& request,
                     const ExecutionOptions& options, ExecutionOutcome& outcome) {
        if (!inUse_.isEmpty()) {
            inUse_.dropAnswered();
            if (inUse_.isUsedBy(request)) {
                return burst::failed(outcome, burst::memoryInUse());
            }
        }
        Result<> result = run.run(executor, outcome);
        if (!result && result.error().status == ErrorStatus::DEVICE_UNAVAILABLE &&
            bursts_->isMemoryInUse()) {
            inUse_.add(bursts_, request);
        }
        return run.wasEmpty() ? model_->executeWhole(std::move(result), request, options, outcome)
                              : result;
    }

    /// Runs the execution at once and keeps its result.
    template <class Run>
    Result<Submission> submit(const Request& request, Run run) {
        return ended_.add(request, run);
    }

    Result<> wait(Submission submission, ExecutionOutcome& outcome) {
        return ended_.take(submission, outcome);
    }

    Result<int> completionDescriptor() { return ended_.completionDescriptor(); }
    [[nodiscard]] bool hasEnded() const noexcept { return !ended_.isEmpty(); }

  private:
    Result<> check(const Request& request) {
        NNBURST_TRY(validateRequest(model_->plan().interface, request));
        return run_.bind(request);
    }

    const std::shared_ptr<DividedModel> model_;
    const std::shared_ptr<PartBursts> bursts_;
    const std::shared_ptr<TemporaryMemory> memory_;
    burst::TryLock lock_;
    DividedRun run_;
    MemoryInUse<PartBursts> inUse_;  // of all parts
    burst::EndedExecutions ended_;
};

class DividedBurst::Reusable final : public ReusableExecution {
  public:
    Reusable(std::shared_ptr<State> state, Request request, const ExecutionOptions& options)
        : state_(std::move(state)),
          request_(std::move(request)),
          options_(options),
          run_(state_->model().plan(), state_->memory()),
          checked_(validateRequest(state_->model().plan().interface, request_)) {
        if (checked_) {
            checked_ = run_.bind(request_);
        }
    }

    /// Makes the reusable executions of the parts. For the thread that has the lock.
    Result<> makeParts() {
        const DividedPlan& plan = state_->model().plan();
        reusables_.resize(plan.parts.size());
        for (std::size_t part = 0; checked_ && part < plan.parts.size(); ++part) {
            if (plan.parts[part].isFixed) {
                NNBURST_TRY_ASSIGN(reusables_[part],
                                   state_->bursts()[part]->createReusableExecution(
                                       run_.requestOf(part), options_));
            }
        }
        return {};
    }

    Result<> compute(const OptionalTimePoint& deadline, ExecutionOutcome& outcome) override {
        return state_->executeAlone(outcome, [&] { return run(deadline, outcome); });
    }

    Result<Submission> submit(const OptionalTimePoint& deadline) override {
        const Use use(state_->lock());
        if (!use) {
            return burst::usedByAnotherThread();
        }
        return state_->submit(request_, [this, &deadline](ExecutionOutcome& outcome) {
            return run(deadline, outcome);
        });
    }

  private:
    Result<> run(const OptionalTimePoint& deadline, ExecutionOutcome& outcome) {
        if (!checked_) {
            return burst::failed(outcome, checked_);
        }
        options_.deadline = deadline;
        ReusableExecutor executor(reusables_, state_->bursts(), options_);
        return state_->execute(run_, executor, request_, options_, outcome);
    }

    const std::shared_ptr<State> state_;
    const Request request_;
    ExecutionOptions options_;
    DividedRun run_;
    Result<> checked_;
    std::vector<std::unique_ptr<ReusableExecution>> reusables_;  // null without fixed arguments
};

Result<std::unique_ptr<Burst>> DividedBurst::create(std::shared_ptr<DividedModel> model,
                                                    const BurstOptions& options) {
    std::vector<std::unique_ptr<Burst>> bursts;
    BurstOptions ofParts = options;
    ofParts.inFlight = 1;
    for (const PlannedPart& part : model->plan().parts) {
        // The first one checks the options.
        NNBURST_TRY_ASSIGN(
            auto burst, part.prepared->configureExecutionBurst(bursts.empty() ? options : ofParts));
        bursts.push_back(std::move(burst));
    }
    NNBURST_TRY_ASSIGN(auto memory, TemporaryMemory::create(model->plan()));
    auto state = std::make_shared<State>(std::move(model), std::move(bursts), std::move(memory),
                                         options.inFlight);
    return std::unique_ptr<Burst>(new DividedBurst(std::move(state)));
}

Result<> DividedBurst::execute(const Request& request, const ExecutionOptions& options,
                               ExecutionOutcome& outcome) {
    return state_->executeAlone(outcome,
                                [&] { return state_->execute(request, options, outcome); });
}

Result<std::unique_ptr<ReusableExecution>> DividedBurst::createReusableExecution(
    const Request& request, const ExecutionOptions& options) {
    const Use use(state_->lock());
    if (!use) {
        return burst::usedByAnotherThread();
    }
    auto reusable = std::make_unique<Reusable>(state_, request, options);
    NNBURST_TRY(reusable->makeParts());
    return reusable;
}

Result<Submission> DividedBurst::submit(const Request& request, const ExecutionOptions& options) {
    const Use use(state_->lock());
    if (!use) {
        return burst::usedByAnotherThread();
    }
    return state_->submit(request, [&](ExecutionOutcome& outcome) {
        return state_->execute(request, options, outcome);
    });
}

Result<> DividedBurst::wait(Submission submission, ExecutionOutcome& outcome) {
    const Use use(state_->lock());
    if (!use) {
        return burst::failed(outcome, burst::usedByAnotherThread());
    }
    return state_->wait(submission, outcome);
}

Result<int> DividedBurst::completionDescriptor() {
    const Use use(state_->lock());
    return use ? state_->completionDescriptor() : Result<int>(burst::usedByAnotherThread());
}

Result<bool> DividedBurst::armCompletion() {
    const Use use(state_->lock());
    return use ? Result<bool>(state_->hasEnded()) : Result<bool>(burst::usedByAnotherThread());
}

bool DividedBurst::isMemoryInUse() {
    const Use use(state_->lock());
    return !use || state_->isMemoryInUse();
}

Result<> DividedBurst::waitForMemory(const OptionalTimePoint& deadline) {
    const Use use(state_->lock());
    return use ? state_->waitForMemory(deadline) : Result<>(burst::usedByAnotherThread());
}

void DividedBurst::freeMemory(const SharedRegion& region) {
    {
        const Use use(state_->lock());
        if (use) {
            state_->release();
        }
    }
    for (const std::unique_ptr<Burst>& burst : state_->bursts()) {
        burst->freeMemory(region);
    }
}

BurstWaitStats DividedBurst::waitStats() const {
    BurstWaitStats sum;
    for (const std::unique_ptr<Burst>& burst : state_->bursts()) {
        burst::add(sum, burst->waitStats());
    }
    return sum;
}

}  // namespace nnburst::runtime
