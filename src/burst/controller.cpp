// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/controller.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <utility>

#include "burst/channel.h"
#include "burst/exclusive_use.h"
#include "burst/frame.h"
#include "burst/pending_executions.h"
#include "burst/request_sender.h"
#include "burst/result_receiver.h"
#include "burst/reusable_request.h"
#include "burst/submission_errors.h"
#include "fmq/wait.h"
#include "model/outcome.h"
#include "model/request_check.h"
#include "model/version_rules.h"
#include "system/time.h"

namespace nnburst::burst {

namespace {

/// The controller asks whether the driver is alive after each such time without a result.
constexpr std::chrono::milliseconds kPingInterval{1000};

/// The driver gives up at the deadline by itself; this much later its answer is no longer waited
/// for.
constexpr std::chrono::milliseconds kDeadlineGrace{10};

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
          waiter_(channel_.resultEvent(), channel_.requestEvent(), options.clientWait, waits_),
          pending_(options.inFlight, results.capacity()),
          sender_(requests, pending_),
          receiver_(results, pending_, driver) {}

    [[nodiscard]] const SharedRegion& channel() const noexcept { return channel_.region(); }

    void attach(std::shared_ptr<ClientControlPlane> controlPlane, Peer peer) {
        controlPlane_ = std::move(controlPlane);
        peer_ = std::move(peer);
        sender_.attach(controlPlane_, peer_.doorbell.get());
        waiter_.setPeerNeedsAllProcessors(
            peer_.kernelThreads > 1 && peer_.kernelThreads >= std::thread::hardware_concurrency());
    }

    [[nodiscard]] std::vector<SharedRegion> getMemories(std::span<const std::int32_t> slots) {
        return sender_.regions(slots);
    }

    void connectionLost() noexcept {
        // sync [connection-lost]: ordered before the wake-up
        isLost_.store(true, std::memory_order_seq_cst);
        // The word on which this side sleeps; the queues stay the driver's and the executing
        // thread's.
        channel_.resultEvent().wakeSleepers();
    }

    [[nodiscard]] std::shared_ptr<ReusableRequest> makeReusable(const Request& request,
                                                                const ExecutionOptions& options) {
        auto reusable = std::make_shared<ReusableRequest>();
        reusable->request = request;
        reusable->options = options;
        reusable->resultLines = longestResultLineCount(request.outputs.size());
        if (keepsReusableExecutions(driver_)) {
            reusable->name = names_.take();
        }
        return reusable;
    }
    void giveBack(const ExecutionName& name) { names_.giveBack(name); }

    /// Executes `request`, which is that of `reusable` unless that is null.
    Result<> execute(const Request& request, ReusableRequest* reusable,
                     const ExecutionOptions& options, ExecutionOutcome& outcome) {
        const ExclusiveUse use(isUsed_);
        if (!use) {
            return failed(outcome, usedByAnotherThread());
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

    void freeMemory(const SharedRegion& region) { sender_.freeMemory(region); }

    [[nodiscard]] BurstWaitStats waitStats() const noexcept {
        return {.client = waits_.stats(), .driver = channel_.driverWaits().stats()};
    }

  private:
    using State = PendingExecution::State;

    void prepare(PendingExecution& execution, const Request& request, ReusableRequest* reusable,
                 const ExecutionOptions& options, ExecutionOutcome& outcome) noexcept {
        pending_.prepare(execution);
        execution.request = &request;
        execution.reusable = reusable;
        execution.resultLines = reusable != nullptr
                                    ? reusable->resultLines
                                    : longestResultLineCount(request.outputs.size());
        execution.options = options;
        if (!knowsDeadlines(driver_)) {
            // Nobody waits for a deadline that the driver does not know.
            execution.options = {.measure = options.measure};
        }
        execution.outcome = &outcome;
    }

    /// Sends a prepared execution, or executes it over the control plane when no result is awaited
    /// that would make room for it. It is free again after an error.
    Result<> launch(PendingExecution& execution) {
        while (true) {
            Result<bool> sent = trySend(execution);
            if (!sent) {
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
        if (isLost_.load(std::memory_order_relaxed)) {  // only a hint: the wait looks again
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
        fmq::WaitLimit limit;
        if (execution.options.deadline) {
            limit.deadline = system::saturatingAdd(*execution.options.deadline, kDeadlineGrace);
        }
        const auto hasNews = [&]() noexcept {
            // sync [message-published], [connection-lost]
            return receiver_.hasNews() || isLost_.load(std::memory_order_acquire);
        };
        const auto isAlive = [&] { return isDriverAlive(execution, limit.deadline); };
        if (!waiter_.wait(limit, &forecastOf(execution), hasNews,
                          fmq::WaitCheck{kPingInterval, isAlive})) {
            if (execution.state != State::ENDED) {
                endLate(execution);
            }
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
        if (taken.execution != nullptr && taken.execution->state == State::UNKNOWN_TO_DRIVER) {
            sendAgain(*taken.execution);
        }
        return true;
    }

    void sendAgain(PendingExecution& execution) {
        const Result<bool> sent = sender_.sendWhole(execution);
        if (sent && *sent) {
            pending_.markSent(execution);
        } else {
            executeOverControlPlane(execution);
        }
    }

    void executeOverControlPlane(PendingExecution& execution) {
        execution.status = controlPlane_->executeSynchronously(
            *execution.request, execution.options, *execution.outcome);
        pending_.markEnded(execution);
    }

    [[nodiscard]] fmq::WaitForecast& forecastOf(const PendingExecution& execution) noexcept {
        if (execution.submission != Submission{}) {
            return pipelineForecast_;
        }
        return execution.reusable != nullptr ? execution.reusable->forecast : forecast_;
    }

    /// The deadline has passed without a result.
    void endLate(PendingExecution& execution) {
        pending_.expectLateResult(execution);
        end(execution, failure(ErrorStatus::MISSED_DEADLINE_TRANSIENT,
                               "the driver gave no result before the deadline; it may still be "
                               "writing the outputs"));
    }

    /// Asked again and again while the wait for a result takes long. If the driver is not alive,
    /// ends `execution`.
    bool isDriverAlive(PendingExecution& execution, const std::optional<TimePoint>& deadline) {
        if (deadline && system::saturatingDifference(*deadline, std::chrono::steady_clock::now()) <
                            kHangTimeout) {
            return true;  // the deadline comes sooner than the driver would have to answer
        }
        const Result<> alive = controlPlane_->checkAlive();
        if (!alive) {
            connectionLost();
            end(execution, alive);
        }
        return alive.has_value();
    }

    void end(PendingExecution& execution, Result<> status) noexcept {
        execution.status = failed(*execution.outcome, std::move(status));
        pending_.markEnded(execution);
    }

    const Channel channel_;
    const HalVersion driver_;
    std::shared_ptr<ClientControlPlane> controlPlane_;
    Peer peer_;
    ExecutionNames names_;
    TryLock isUsed_;
    std::atomic<bool> isLost_{false};

    // Used only by the thread that holds isUsed_, except where the sender says otherwise.
    fmq::SharedWaitStats waits_{};
    fmq::Waiter waiter_;
    fmq::WaitForecast forecast_;          // of plain executions
    fmq::WaitForecast pipelineForecast_;  // of those that were submitted
    std::uint64_t lastSubmission_ = 0;
    PendingExecutions pending_;
    RequestSender sender_;
    ResultReceiver receiver_;
};

class Controller::Reusable final : public ReusableExecution {
  public:
    Reusable(std::shared_ptr<Controller> controller, const Request& request,
             const ExecutionOptions& options)
        : controller_(std::move(controller)), reusable_(impl().makeReusable(request, options)) {}
    Reusable(const Reusable&) = delete;
    Reusable& operator=(const Reusable&) = delete;
    ~Reusable() override { impl().giveBack(reusable_->name); }

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
    NNBURST_TRY(checkMeasure(options.measure));
    return impl_->submit(request, nullptr, options);
}

Result<> Controller::wait(Submission submission, ExecutionOutcome& outcome) {
    return impl_->wait(submission, outcome);
}

void Controller::freeMemory(const SharedRegion& region) {
    impl_->freeMemory(region);
}

BurstWaitStats Controller::waitStats() const {
    return impl_->waitStats();
}

}  // namespace nnburst::burst
