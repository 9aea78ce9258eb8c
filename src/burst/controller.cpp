// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/controller.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "burst/answer_wait.h"
#include "burst/channel.h"
#include "burst/exclusive_use.h"
#include "burst/pending_executions.h"
#include "burst/request_frame.h"
#include "burst/request_sender.h"
#include "burst/result_receiver.h"
#include "burst/reusable_request.h"
#include "burst/submission_errors.h"
#include "burst/unanswered_outputs.h"
#include "model/outcome.h"
#include "model/request_check.h"
#include "model/version_rules.h"
#include "system/time.h"

namespace nnburst::burst {

namespace {

tl::unexpected<Error> lost() {
    return failure(ErrorStatus::DEVICE_UNAVAILABLE, "the connection to the driver is lost");
}

/// `result`, with the outcome that goes with it.
Result<> failed(ExecutionOutcome& outcome, Result<> result) {
    clearOutcome(outcome);
    return result;
}

}  // namespace

/// Connects the table of pending executions, the sender and the receiver. No call enters a function
/// that it is in already: a result that makes the controller send again changes the state of its
/// execution, and `takeResult` acts on that.
class Controller::Impl {
  public:
    Impl(Channel channel, FrameQueue::Writer requests, FrameQueue::Reader results,
         const BurstOptions& options, HalVersion driver)
        : channel_(std::move(channel)),
          driver_(driver),
          names_(keepsReusableExecutions(driver)),
          deadlineGrace_(std::max(options.deadlineGrace, std::chrono::milliseconds(0))),
          pending_(options.inFlight, results.capacity()),
          sender_(requests, pending_),
          receiver_(results, pending_, driver),
          wait_(channel_, receiver_, options.clientWait) {}

    [[nodiscard]] const SharedRegion& channel() const noexcept { return channel_.region(); }

    void attach(std::shared_ptr<ClientControlPlane> controlPlane, Peer peer) {
        controlPlane_ = std::move(controlPlane);
        peer_ = std::move(peer);
        sender_.attach(controlPlane_, peer_.doorbell.get());
        wait_.attach(controlPlane_, peer_.kernelThreads);
    }

    [[nodiscard]] std::vector<SharedRegion> getMemories(std::span<const std::int32_t> slots) {
        return sender_.regions(slots);
    }

    void connectionLost() noexcept { wait_.connectionLost(); }

    [[nodiscard]] ExecutionNames& names() noexcept { return names_; }

    /// Executes `request`, which is that of `reusable` unless that is null.
    Result<> execute(const Request& request, ReusableRequest* reusable,
                     const ExecutionOptions& options, ExecutionOutcome& outcome) {
        const ExclusiveUse use(isUsed_);
        if (!use) {
            return failed(outcome, usedByAnotherThread());
        }
        if (pending_.hasGivenUp() && usesMemoryInUse(request)) {
            return failed(outcome, memoryInUse());
        }
        PendingExecution* const execution = pending_.findFree();
        if (execution == nullptr) {
            return failed(outcome, tooManyInFlight(pending_.capacity()));
        }
        prepare(*execution, request, reusable, options, outcome);
        NNBURST_TRY(launch(*execution));
        return finish(*execution);
    }

    /// As execute, without waiting. `reusable` may be null.
    Result<Submission> submit(const Request& request, std::shared_ptr<ReusableRequest> reusable,
                              const ExecutionOptions& options) {
        const ExclusiveUse use(isUsed_);
        if (!use) {
            return usedByAnotherThread();
        }
        if (pending_.hasGivenUp() && usesMemoryInUse(request)) {
            return memoryInUse();
        }
        PendingExecution* const execution = pending_.findFree();
        if (execution == nullptr) {
            return tooManyInFlight(pending_.capacity());
        }
        collectOutputs(request, execution->outputs);
        if (const PendingExecution* other = pending_.findOverlapping(*execution)) {
            return overlapping(other->submission);
        }
        execution->ownReusable = std::move(reusable);
        if (!execution->ownReusable) {
            execution->ownRequest = request;
        }
        prepare(*execution,
                execution->ownReusable ? execution->ownReusable->request : execution->ownRequest,
                execution->ownReusable.get(), options, execution->ownOutcome);
        execution->submission = Submission{++lastSubmission_};
        NNBURST_TRY(launch(*execution));
        return execution->submission;
    }

    /// `request` fails without the driver: tells it so.
    void refuse(const Request& request, const OptionalTimePoint& deadline) {
        controlPlane_->discardOutputs(request, answerAwaitedUntil(deadline, deadlineGrace_));
    }

    Result<> wait(Submission submission, ExecutionOutcome& outcome) {
        const ExclusiveUse use(isUsed_);
        if (!use) {
            return failed(outcome, usedByAnotherThread());
        }
        PendingExecution* const execution = pending_.find(submission);
        if (execution == nullptr) {
            return failed(outcome, notInFlight(submission));
        }
        Result<> result = finish(*execution);
        std::swap(outcome, execution->ownOutcome);
        return result;
    }

    [[nodiscard]] bool isMemoryInUse() {
        const ExclusiveUse use(isUsed_);
        if (!use) {
            return true;  // at least that of the execution for which the other thread waits
        }
        takeLateAnswers();
        return pending_.hasGivenUp();
    }

    Result<> waitForMemory(const OptionalTimePoint& deadline) {
        const ExclusiveUse use(isUsed_);
        if (!use) {
            return usedByAnotherThread();
        }
        TimePoint nextAliveCheck = std::chrono::steady_clock::now() + kPingInterval;
        while (true) {
            takeLateAnswers();
            if (!pending_.hasGivenUp()) {
                return {};
            }
            const TimePoint now = std::chrono::steady_clock::now();
            if (deadline && now >= *deadline) {
                return memoryStillInUse();
            }
            if (now >= nextAliveCheck) {
                (void)wait_.checkAlive(deadline, now);
                nextAliveCheck = std::chrono::steady_clock::now() + kPingInterval;
            }
            wait_.forNewsAtMost(deadline, kAnswerLookInterval);
        }
    }

    void freeMemory(const SharedRegion& region) { sender_.freeMemory(region); }

    [[nodiscard]] BurstWaitStats waitStats() const noexcept {
        return {.client = wait_.stats(), .driver = channel_.driverWaits().stats()};
    }

  private:
    using State = PendingExecution::State;

    void prepare(PendingExecution& execution, const Request& request, ReusableRequest* reusable,
                 const ExecutionOptions& options, ExecutionOutcome& outcome) noexcept {
        PendingExecutions::prepare(execution, request, reusable, outcome);
        execution.options = options;
        if (!knowsDeadlines(driver_)) {
            // No wait ends at a deadline that the driver does not know.
            execution.options = {.measure = options.measure};
        }
    }

    /// Sends a prepared execution, or executes it over the control plane when no result is awaited
    /// that would make room for it. It is free again after an error.
    Result<> launch(PendingExecution& execution) {
        while (true) {
            Result<bool> sent = trySend(execution);
            if (!sent) {
                refuse(*execution.request, execution.options.deadline);
                pending_.release(execution);
                return failed(*execution.outcome, tl::unexpected<Error>(std::move(sent.error())));
            }
            if (*sent) {
                return {};
            }
            PendingExecution* const other = pending_.findAnySent();
            if (other == nullptr) {
                executeOverControlPlane(execution);
                return {};
            }
            awaitResult(*other);
        }
    }

    /// False if there is no room now for the frame, or for its result beside the others.
    Result<bool> trySend(PendingExecution& execution) {
        if (wait_.isLost()) {
            return lost();
        }
        while (!pending_.hasRoomForResult(execution)) {
            if (!receiver_.hasNews()) {
                return false;
            }
            if (!takeResult()) {
                return lost();
            }
        }
        bool isSent = false;
        if (sender_.isRemembered(execution)) {
            isSent = sender_.sendCompute(execution);
        } else {
            NNBURST_TRY_ASSIGN(isSent, sender_.sendWhole(execution));
        }
        if (isSent) {
            pending_.markSent(execution);
        }
        return isSent;
    }

    /// Waits for the result of an execution and makes it free.
    Result<> finish(PendingExecution& execution) {
        while (execution.state != State::ENDED) {
            awaitResult(execution);
        }
        pending_.release(execution);
        return std::move(execution.status);
    }

    /// Takes one result out of the queue, or ends `execution` if there is none in its time.
    void awaitResult(PendingExecution& execution) {
        Result<> alive;
        wait_.giveWayIf(sender_.takeNamesNewMemory());
        if (!wait_.forNews(execution.giveUpAt(deadlineGrace_), deadlineGrace_,
                           wait_.forecastOf(execution), alive)) {
            if (alive) {
                pending_.giveUp(execution);
                alive = unanswered(deadlineGrace_);
            }
            end(execution, std::move(alive));
            return;
        }
        if (!receiver_.hasNews()) {
            end(execution, lost());
            return;
        }
        if (!takeResult()) {
            end(execution,
                failure(ErrorStatus::DEVICE_UNAVAILABLE,
                        "the driver put something into the result queue that is not a frame"));
        }
    }

    /// Takes one result, which there is, and sends its execution again if the driver does not know
    /// it. False if it is not a frame: then nothing from this driver is believed any more.
    bool takeResult() {
        const ResultReceiver::Taken taken = receiver_.take();
        if (!taken.isFrame) {
            connectionLost();
            return false;
        }
        PendingExecution* const execution = taken.execution;
        if (execution != nullptr && execution->state == State::UNKNOWN_TO_DRIVER) {
            const Result<bool> sent = sender_.sendWhole(*execution);
            if (sent && *sent) {
                pending_.markSent(*execution);
            } else {
                executeOverControlPlane(*execution);
            }
        }
        return true;
    }

    void executeOverControlPlane(PendingExecution& execution) {
        AnswerFlag answered;
        execution.status = controlPlane_->executeSynchronously(
            *execution.request, execution.options,
            answerAwaitedUntil(execution.options.deadline, deadlineGrace_), *execution.outcome,
            answered);
        if (answered != nullptr) {
            pending_.giveUp(execution, std::move(answered));
            execution.status = failed(*execution.outcome, unanswered(deadlineGrace_));
        }
        pending_.markEnded(execution);
    }

    /// Takes the answers that have come meanwhile.
    void takeLateAnswers() {
        while (receiver_.hasNews() && takeResult()) {
        }
        pending_.dropAnswered();
        if (wait_.isLost()) {
            pending_.dropAllGivenUp();
        }
    }

    bool usesMemoryInUse(const Request& request) {
        takeLateAnswers();
        return pending_.isMemoryInUse(request);
    }

    void end(PendingExecution& execution, Result<> status) noexcept {
        execution.status = failed(*execution.outcome, std::move(status));
        pending_.markEnded(execution);
    }

    const Channel channel_;
    const HalVersion driver_;
    ExecutionNames names_;
    const std::chrono::milliseconds deadlineGrace_;
    std::shared_ptr<ClientControlPlane> controlPlane_;
    Peer peer_;
    TryLock isUsed_;
    // Used only by the thread that holds isUsed_, except where the parts say otherwise.
    std::uint64_t lastSubmission_ = 0;
    PendingExecutions pending_;
    RequestSender sender_;
    ResultReceiver receiver_;
    AnswerWait wait_;
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
        reusable_->options.deadline = deadline;
        return impl().execute(reusable_->request, reusable_.get(), reusable_->options, outcome);
    }

    [[nodiscard]] Result<Submission> submit(const OptionalTimePoint& deadline) override {
        reusable_->options.deadline = deadline;
        return impl().submit(reusable_->request, reusable_, reusable_->options);
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
    return impl_->channel();
}

void Controller::attach(std::shared_ptr<ClientControlPlane> controlPlane, Peer peer) {
    impl_->attach(std::move(controlPlane), std::move(peer));
}

std::vector<SharedRegion> Controller::getMemories(std::span<const std::int32_t> slots) const {
    return impl_->getMemories(slots);
}

void Controller::connectionLost() noexcept {
    impl_->connectionLost();
}

Result<> Controller::execute(const Request& request, const ExecutionOptions& options,
                             ExecutionOutcome& outcome) {
    if (Result<> known = checkMeasure(options.measure); !known) {
        impl_->refuse(request, options.deadline);
        clearOutcome(outcome);
        return known;
    }
    return impl_->execute(request, nullptr, options, outcome);
}

Result<std::unique_ptr<ReusableExecution>> Controller::createReusableExecution(
    const Request& request, const ExecutionOptions& options) {
    NNBURST_TRY(checkMeasure(options.measure));
    return std::make_unique<Reusable>(shared_from_this(), request, options);
}

Result<Submission> Controller::submit(const Request& request, const ExecutionOptions& options) {
    if (Result<> known = checkMeasure(options.measure); !known) {
        impl_->refuse(request, options.deadline);
        return tl::unexpected<Error>(std::move(known.error()));
    }
    return impl_->submit(request, nullptr, options);
}

Result<> Controller::wait(Submission submission, ExecutionOutcome& outcome) {
    return impl_->wait(submission, outcome);
}

bool Controller::isMemoryInUse() {
    return impl_->isMemoryInUse();
}

Result<> Controller::waitForMemory(const OptionalTimePoint& deadline) {
    return impl_->waitForMemory(deadline);
}

void Controller::freeMemory(const SharedRegion& region) {
    impl_->freeMemory(region);
}

BurstWaitStats Controller::waitStats() const {
    return impl_->waitStats();
}

}  // namespace nnburst::burst
