// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/controller.h"

#include <new>
#include <utility>

#include "burst/burst_errors.h"
#include "burst/pending_executions.h"
#include "model/request_check.h"
#include "system/time.h"

namespace nnburst::burst {

class Controller::Reusable final : public ReusableExecution {
  public:
    Reusable(std::shared_ptr<Controller> controller, const Request& request,
             const ExecutionOptions& options)
        : controller_(std::move(controller)),
          reusable_(
              std::make_shared<ReusableRequest>(request, options, controller_->names_.take())) {}
    Reusable(const Reusable&) = delete;
    Reusable& operator=(const Reusable&) = delete;
    ~Reusable() override { controller_->names_.giveBack(reusable_->name); }

    [[nodiscard]] Result<> compute(const OptionalTimePoint& deadline,
                                   ExecutionOutcome& outcome) override {
        return controller_->compute(*reusable_, deadline, outcome);
    }

    [[nodiscard]] Result<Submission> submit(const OptionalTimePoint& deadline) override {
        return controller_->submit(reusable_, deadline);
    }

  private:
    const std::shared_ptr<Controller> controller_;
    const std::shared_ptr<ReusableRequest> reusable_;
};

Result<std::shared_ptr<Controller>> Controller::create(const BurstOptions& options,
                                                       HalVersion driver) {
    NNBURST_TRY(checkInFlight(options.inFlight));
    NNBURST_TRY_ASSIGN(Channel channel, Channel::create(options.queueLines));
    NNBURST_TRY_ASSIGN(FrameQueue::Writer requests,
                       FrameQueue::Writer::attach(channel.memory(), channel.requests()));
    NNBURST_TRY_ASSIGN(FrameQueue::Reader results,
                       FrameQueue::Reader::attach(channel.memory(), channel.results()));
    return std::shared_ptr<Controller>(
        new Controller(std::move(channel), requests, results, options, driver));
}

Result<> Controller::execute(const Request& request, const ExecutionOptions& options,
                             ExecutionOutcome& outcome) {
    if (Result<> known = checkMeasure(options.measure); !known) {
        exchange_.refuse(request, options.deadline);
        return failed(outcome, std::move(known));
    }
    const ExclusiveUse use(lock_);
    return use ? executeLocked(request, nullptr, options, outcome)
               : failed(outcome, usedByAnotherThread());
}

Result<> Controller::compute(ReusableRequest& reusable, const OptionalTimePoint& deadline,
                             ExecutionOutcome& outcome) {
    const ExclusiveUse use(lock_);
    if (!use) {
        return failed(outcome, usedByAnotherThread());
    }
    system::copyByParts(deadline, reusable.options.deadline);
    return executeLocked(reusable.request, &reusable, reusable.options, outcome);
}

Result<std::unique_ptr<ReusableExecution>> Controller::createReusableExecution(
    const Request& request, const ExecutionOptions& options) {
    NNBURST_TRY(checkMeasure(options.measure));
    return std::make_unique<Reusable>(shared_from_this(), request, options);
}

Result<Submission> Controller::submit(const Request& request, const ExecutionOptions& options) {
    if (Result<> known = checkMeasure(options.measure); !known) {
        exchange_.refuse(request, options.deadline);
        return tl::unexpected<Error>(std::move(known.error()));
    }
    const ExclusiveUse use(lock_);
    return use ? submitLocked(request, nullptr, options)
               : Result<Submission>(usedByAnotherThread());
}

Result<Submission> Controller::submit(std::shared_ptr<ReusableRequest> reusable,
                                      const OptionalTimePoint& deadline) {
    const ExclusiveUse use(lock_);
    if (!use) {
        return usedByAnotherThread();
    }
    ReusableRequest& kept = *reusable;
    system::copyByParts(deadline, kept.options.deadline);
    return submitLocked(kept.request, std::move(reusable), kept.options);
}

Result<> Controller::wait(Submission submission, ExecutionOutcome& outcome) {
    const ExclusiveUse use(lock_);
    if (!use) {
        return failed(outcome, usedByAnotherThread());
    }
    PendingExecution* const execution = exchange_.pending().find(submission);
    if (execution == nullptr) {
        return failed(outcome, notInFlight(submission));
    }
    Result<> result = exchange_.finish(*execution);
    std::swap(outcome, execution->ownOutcome);
    return result;
}

Result<int> Controller::completionDescriptor() {
    const ExclusiveUse use(lock_);
    return use ? exchange_.completionDescriptor() : Result<int>(usedByAnotherThread());
}

Result<bool> Controller::armCompletion() {
    const ExclusiveUse use(lock_);
    return use ? exchange_.armCompletion() : Result<bool>(usedByAnotherThread());
}

bool Controller::isDone(Submission submission) {
    const ExclusiveUse use(lock_);
    return use && exchange_.isDone(submission);
}

bool Controller::isMemoryInUse() {
    const ExclusiveUse use(lock_);
    if (!use) {
        return true;  // at least that of the execution for which the other thread waits
    }
    exchange_.takeLateAnswers();
    return exchange_.pending().hasGivenUp();
}

Result<> Controller::waitForMemory(const OptionalTimePoint& deadline) {
    const ExclusiveUse use(lock_);
    return use ? exchange_.waitForMemory(deadline) : Result<>(usedByAnotherThread());
}

Result<> Controller::executeLocked(const Request& request, ReusableRequest* reusable,
                                   const ExecutionOptions& options, ExecutionOutcome& outcome) {
    try {
        if (exchange_.usesMemoryInUse(request)) {
            return failed(outcome, memoryInUse());
        }
        PendingExecution* const execution = exchange_.pending().findFree();
        if (execution == nullptr) {
            return failed(outcome, tooManyInFlight(exchange_.pending().capacity()));
        }
        exchange_.prepare(*execution, request, reusable, options, outcome);
        NNBURST_TRY(exchange_.launch(*execution));
        return exchange_.finish(*execution);
    } catch (const std::bad_alloc&) {
        // before the launch, which ends with an error instead
        return failed(outcome, outOfMemory());
    }
}

Result<Submission> Controller::submitLocked(const Request& request,
                                            std::shared_ptr<ReusableRequest> reusable,
                                            const ExecutionOptions& options) {
    try {
        return trySubmit(request, std::move(reusable), options);
    } catch (const std::bad_alloc&) {
        return outOfMemory();  // before the launch, which ends with an error instead
    }
}

Result<Submission> Controller::trySubmit(const Request& request,
                                         std::shared_ptr<ReusableRequest> reusable,
                                         const ExecutionOptions& options) {
    if (exchange_.usesMemoryInUse(request)) {
        return memoryInUse();
    }
    PendingExecution* const execution = exchange_.pending().findFree();
    if (execution == nullptr) {
        return tooManyInFlight(exchange_.pending().capacity());
    }
    collectOutputRanges(request, execution->outputs);
    if (const PendingExecution* other = exchange_.pending().findOverlapping(*execution)) {
        return overlapping(other->submission);
    }
    execution->ownReusable = std::move(reusable);
    if (!execution->ownReusable) {
        execution->ownRequest = request;
    }
    exchange_.prepare(
        *execution,
        execution->ownReusable ? execution->ownReusable->request : execution->ownRequest,
        execution->ownReusable.get(), options, execution->ownOutcome);
    execution->submission = Submission{++lastSubmission_};
    NNBURST_TRY(exchange_.launch(*execution));
    return execution->submission;
}

}  // namespace nnburst::burst
