// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/controller.h"

#include <utility>

#include "burst/burst_errors.h"
#include "burst/channel.h"
#include "burst/exclusive_use.h"
#include "burst/pending_executions.h"
#include "burst/request_exchange.h"
#include "burst/reusable_request.h"
#include "model/outcome.h"
#include "model/request_check.h"
#include "model/version_rules.h"
#include "system/time.h"

namespace nnburst::burst {

/// The calls of the application, one at a time.
class Controller::Impl {
  public:
    Impl(Channel channel, FrameQueue::Writer requests, FrameQueue::Reader results,
         const BurstOptions& options, HalVersion driver)
        : names_(supportsReusableExecutions(driver)),
          exchange_(std::move(channel), requests, results, options, driver) {}

    [[nodiscard]] RequestExchange& exchange() noexcept { return exchange_; }

    [[nodiscard]] ExecutionNames& names() noexcept { return names_; }

    Result<> execute(const Request& request, const ExecutionOptions& options,
                     ExecutionOutcome& outcome) {
        const ExclusiveUse use(isUsed_);
        return use ? execute(request, nullptr, options, outcome)
                   : failed(outcome, usedByAnotherThread());
    }

    Result<> compute(ReusableRequest& reusable, const OptionalTimePoint& deadline,
                     ExecutionOutcome& outcome) {
        const ExclusiveUse use(isUsed_);
        if (!use) {
            return failed(outcome, usedByAnotherThread());
        }
        system::copyByParts(deadline, reusable.options.deadline);
        return execute(reusable.request, &reusable, reusable.options, outcome);
    }

    /// As execute, without waiting.
    Result<Submission> submit(const Request& request, const ExecutionOptions& options) {
        const ExclusiveUse use(isUsed_);
        return use ? submit(request, nullptr, options) : Result<Submission>(usedByAnotherThread());
    }

    /// As compute, without waiting.
    Result<Submission> submit(std::shared_ptr<ReusableRequest> reusable,
                              const OptionalTimePoint& deadline) {
        const ExclusiveUse use(isUsed_);
        if (!use) {
            return usedByAnotherThread();
        }
        ReusableRequest& kept = *reusable;
        system::copyByParts(deadline, kept.options.deadline);
        return submit(kept.request, std::move(reusable), kept.options);
    }

    Result<> wait(Submission submission, ExecutionOutcome& outcome) {
        const ExclusiveUse use(isUsed_);
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

    [[nodiscard]] Result<int> completionDescriptor() {
        const ExclusiveUse use(isUsed_);
        return use ? exchange_.completionDescriptor() : Result<int>(usedByAnotherThread());
    }

    [[nodiscard]] Result<bool> armCompletion() {
        const ExclusiveUse use(isUsed_);
        return use ? exchange_.armCompletion() : Result<bool>(usedByAnotherThread());
    }

    [[nodiscard]] bool isDone(Submission submission) {
        const ExclusiveUse use(isUsed_);
        return use && exchange_.isDone(submission);
    }

    [[nodiscard]] bool isMemoryInUse() {
        const ExclusiveUse use(isUsed_);
        if (!use) {
            return true;  // at least that of the execution for which the other thread waits
        }
        exchange_.takeLateAnswers();
        return exchange_.pending().hasGivenUp();
    }

    Result<> waitForMemory(const OptionalTimePoint& deadline) {
        const ExclusiveUse use(isUsed_);
        return use ? exchange_.waitForMemory(deadline) : Result<>(usedByAnotherThread());
    }

  private:
    // Below, the calling thread holds isUsed_.

    /// Executes `request`, which is that of `reusable` unless that is null.
    Result<> execute(const Request& request, ReusableRequest* reusable,
                     const ExecutionOptions& options, ExecutionOutcome& outcome) {
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
    }

    /// `reusable` may be null.
    Result<Submission> submit(const Request& request, std::shared_ptr<ReusableRequest> reusable,
                              const ExecutionOptions& options) {
        if (exchange_.usesMemoryInUse(request)) {
            return memoryInUse();
        }
        PendingExecution* const execution = exchange_.pending().findFree();
        if (execution == nullptr) {
            return tooManyInFlight(exchange_.pending().capacity());
        }
        collectOutputs(request, execution->outputs);
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

    ExecutionNames names_;
    TryLock isUsed_;
    // Used only by the thread that holds isUsed_, except where the exchange says otherwise.
    std::uint64_t lastSubmission_ = 0;
    RequestExchange exchange_;
};

class Controller::Reusable final : public ReusableExecution {
  public:
    Reusable(std::shared_ptr<Controller> controller, const Request& request,
             const ExecutionOptions& options)
        : controller_(std::move(controller)),
          reusable_(std::make_shared<ReusableRequest>(request, options, impl().names().take())) {}
    Reusable(const Reusable&) = delete;
    Reusable& operator=(const Reusable&) = delete;
    ~Reusable() override { impl().names().giveBack(reusable_->name); }

    [[nodiscard]] Result<> compute(const OptionalTimePoint& deadline,
                                   ExecutionOutcome& outcome) override {
        return impl().compute(*reusable_, deadline, outcome);
    }

    [[nodiscard]] Result<Submission> submit(const OptionalTimePoint& deadline) override {
        return impl().submit(reusable_, deadline);
    }

  private:
    [[nodiscard]] Impl& impl() const noexcept { return *controller_->impl_; }

    const std::shared_ptr<Controller> controller_;
    const std::shared_ptr<ReusableRequest> reusable_;
};

Controller::Controller(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Controller::~Controller() = default;

Result<std::shared_ptr<Controller>> Controller::create(const BurstOptions& options,
                                                       HalVersion driver) {
    NNBURST_TRY(checkInFlight(options.inFlight));
    NNBURST_TRY_ASSIGN(Channel channel, Channel::create(options.queueLines));
    NNBURST_TRY_ASSIGN(FrameQueue::Writer requests,
                       FrameQueue::Writer::attach(channel.memory(), channel.requests()));
    NNBURST_TRY_ASSIGN(FrameQueue::Reader results,
                       FrameQueue::Reader::attach(channel.memory(), channel.results()));
    return std::shared_ptr<Controller>(new Controller(
        std::make_unique<Impl>(std::move(channel), requests, results, options, driver)));
}

const SharedRegion& Controller::channel() const noexcept {
    return impl_->exchange().channel();
}

void Controller::attach(std::shared_ptr<ClientControlPlane> controlPlane, Peer peer) {
    impl_->exchange().attach(std::move(controlPlane), std::move(peer));
}

std::vector<SharedRegion> Controller::getMemories(std::span<const std::int32_t> slots) const {
    return impl_->exchange().getMemories(slots);
}

void Controller::connectionLost() noexcept {
    impl_->exchange().connectionLost();
}

Result<> Controller::execute(const Request& request, const ExecutionOptions& options,
                             ExecutionOutcome& outcome) {
    if (Result<> known = checkMeasure(options.measure); !known) {
        impl_->exchange().refuse(request, options.deadline);
        clearOutcome(outcome);
        return known;
    }
    return impl_->execute(request, options, outcome);
}

Result<std::unique_ptr<ReusableExecution>> Controller::createReusableExecution(
    const Request& request, const ExecutionOptions& options) {
    NNBURST_TRY(checkMeasure(options.measure));
    return std::make_unique<Reusable>(shared_from_this(), request, options);
}

Result<Submission> Controller::submit(const Request& request, const ExecutionOptions& options) {
    if (Result<> known = checkMeasure(options.measure); !known) {
        impl_->exchange().refuse(request, options.deadline);
        return tl::unexpected<Error>(std::move(known.error()));
    }
    return impl_->submit(request, options);
}

Result<> Controller::wait(Submission submission, ExecutionOutcome& outcome) {
    return impl_->wait(submission, outcome);
}

Result<int> Controller::completionDescriptor() {
    return impl_->completionDescriptor();
}

Result<bool> Controller::armCompletion() {
    return impl_->armCompletion();
}

bool Controller::isDone(Submission submission) {
    return impl_->isDone(submission);
}

bool Controller::isMemoryInUse() {
    return impl_->isMemoryInUse();
}

Result<> Controller::waitForMemory(const OptionalTimePoint& deadline) {
    return impl_->waitForMemory(deadline);
}

void Controller::freeMemory(const SharedRegion& region) {
    impl_->exchange().freeMemory(region);
}

BurstWaitStats Controller::waitStats() const {
    return impl_->exchange().waitStats();
}

}  // namespace nnburst::burst
