// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The client's exchange with the driver: sends the frames of executions and gives each its result,
/// over the queues, or over the control plane where these have no room. Connects the table of
/// pending executions, the sender, the receiver and the wait.

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "burst/answer_wait.h"
#include "burst/burst_errors.h"
#include "burst/channel.h"
#include "burst/completion_signal.h"
#include "burst/control_plane.h"
#include "burst/give_up_time.h"
#include "burst/pending_executions.h"
#include "burst/request_sender.h"
#include "burst/result_receiver.h"
#include "burst/unanswered_outputs.h"
#include "model/outcome.h"
#include "model/version_rules.h"
#include "system/time.h"

namespace nnburst::burst {

/// Used by one thread at a time, except `getMemories`, `connectionLost`, `freeMemory`, `refuse` and
/// `waitStats`. If the driver does not know a request, ResultReceiver only marks the execution
/// UNKNOWN_TO_DRIVER; it is sent again when there is room, before any other.
class RequestExchange {
  public:
    RequestExchange(Channel channel, FrameQueue::Writer requests, FrameQueue::Reader results,
                    const BurstOptions& options, HalVersion driver)
        : channel_(std::move(channel)),
          driver_(driver),
          deadlineGrace_(std::max(options.deadlineGrace, std::chrono::milliseconds(0))),
          pending_(options.inFlight, results.capacity()),
          sender_(requests, pending_),
          receiver_(results, pending_, driver),
          wait_(channel_, receiver_, options.clientWait) {}

    [[nodiscard]] const SharedRegion& channel() const noexcept { return channel_.region(); }

    void attach(std::shared_ptr<ClientControlPlane> controlPlane, BurstSetup setup) {
        controlPlane_ = std::move(controlPlane);
        setup_ = std::move(setup);
        sender_.attach(controlPlane_, setup_.doorbell.get());
        wait_.attach(controlPlane_, setup_.kernelThreads);
    }

    [[nodiscard]] std::vector<SharedRegion> getMemories(std::span<const std::int32_t> slots) {
        return sender_.regions(slots);
    }

    void connectionLost() noexcept {
        wait_.connectionLost();
        completion_.connectionLost();
    }

    void freeMemory(const SharedRegion& region) { sender_.freeMemory(region); }

    /// To be called when `request` was refused without asking the driver: has the driver drop the
    /// contents of its outputs.
    void refuse(const Request& request, const OptionalTimePoint& deadline) {
        controlPlane_->discardOutputs(request, giveUpAt(deadline, deadlineGrace_));
    }

    [[nodiscard]] BurstWaitStats waitStats() const noexcept {
        return {.client = wait_.stats(), .driver = channel_.driverWaits().stats()};
    }

    [[nodiscard]] PendingExecutions& pending() noexcept { return pending_; }

    /// Whether an input or output of `request` overlaps with an output that the driver may still
    /// write.
    [[nodiscard]] bool usesMemoryInUse(const Request& request) {
        if (!pending_.hasGivenUp()) {
            return false;
        }
        takeLateAnswers();
        return pending_.isMemoryInUse(request);
    }

    /// `request` is that of `reusable` unless that is null.
    void prepare(PendingExecution& execution, const Request& request, ReusableRequest* reusable,
                 const ExecutionOptions& options, ExecutionOutcome& outcome) const noexcept {
        PendingExecutions::prepare(execution, request, reusable, outcome);
        execution.options.measure = options.measure;
        system::copyByParts(options.deadline, execution.options.deadline);
        system::copyByParts(options.loopTimeout, execution.options.loopTimeout);
        if (!supportsDeadlines(driver_)) {
            // No wait ends at a deadline that the driver does not know.
            execution.options = {.measure = options.measure};
        }
    }

    /// Sends a prepared execution, or executes it over the control plane when no result is awaited
    /// that would make room for it. It is free again after an error.
    Result<> launch(PendingExecution& execution) {
        wait_.beforeSending();
        if (!wait_.isLost() && sender_.trySendRemembered(execution)) {
            return {};
        }
        try {
            return launchAny(execution);
        } catch (const std::bad_alloc&) {
            endOutOfMemory(execution);
            return finish(execution);
        }
    }

    /// Waits for the result of an execution and makes it free.
    Result<> finish(PendingExecution& execution) {
        try {
            if (execution.state == State::SENT) {
                awaitResult(
                    execution, execution.giveUpAt(deadlineGrace_),
                    execution.isSubmitted() ? std::chrono::milliseconds(0) : deadlineGrace_);
            }
            if (execution.state != State::ENDED) [[unlikely]] {
                awaitAfterOthers(execution);
            }
        } catch (const std::bad_alloc&) {
            endOutOfMemory(execution);
        }
        pending_.release(execution);
        return execution.status ? Result<>() : std::move(execution.status);
    }

    /// Takes the answers that have come meanwhile.
    void takeLateAnswers() noexcept {
        takeResults();
        pending_.dropAnswered();
        if (wait_.isLost()) {
            pending_.dropAllGivenUp();
        }
    }

    // As in Burst.
    [[nodiscard]] Result<> waitForMemory(const OptionalTimePoint& deadline);
    [[nodiscard]] Result<int> completionDescriptor();
    [[nodiscard]] Result<bool> armCompletion();
    [[nodiscard]] bool isDone(Submission submission);

  private:
    using State = PendingExecution::State;

    Result<> launchAny(PendingExecution& execution);

    /// Takes the results that have come meanwhile. They are few, whatever the driver writes: an
    /// execution that is in flight or was given up has two frames at most, each with one answer.
    /// Does not block.
    void takeResults() noexcept {
        while (receiver_.hasResult() && takeResult()) {
        }
        sender_.sendUnknown();
    }

    /// Waits for the result of `execution` after another one has come instead, or after the driver
    /// did not know it: one time for all waits, so that no driver prolongs them by many late
    /// answers.
    void awaitAfterOthers(PendingExecution& execution);

    /// Takes one result, or ends `execution` if none comes until `giveUpAt`, and for `atLeast`.
    void awaitResult(PendingExecution& execution, const OptionalTimePoint& giveUpAt,
                     std::chrono::milliseconds atLeast) {
        Result<> alive;
        wait_.yieldWhileDriverFetches(sender_.consumeHasNewMemory());
        if (!wait_.awaitResult(giveUpAt, atLeast, wait_.forecastOf(execution), alive)) {
            if (alive) {
                pending_.giveUp(execution);
                alive = notAnswered(deadlineGrace_);
            }
            end(execution, std::move(alive));
            return;
        }
        if (Result<> taken = takeResult(); !taken) {
            end(execution, std::move(taken));
        }
    }

    /// Takes one result, and sends its execution again if the driver does not know the request and
    /// there is room. After an error of ResultReceiver::take the connection counts as lost.
    Result<> takeResult() noexcept {
        Result<> taken = receiver_.take();
        if (!taken) {
            connectionLost();
        }
        sender_.sendUnknown();
        return taken;
    }

    void executeOverControlPlane(PendingExecution& execution);

    void end(PendingExecution& execution, Result<> status) noexcept {
        execution.status = failed(*execution.outcome, std::move(status));
        pending_.markEnded(execution);
    }

    /// Ends an execution for which an allocation has failed.
    void endOutOfMemory(PendingExecution& execution) noexcept;

    const Channel channel_;
    const HalVersion driver_;
    const std::chrono::milliseconds deadlineGrace_;
    std::shared_ptr<ClientControlPlane> controlPlane_;
    BurstSetup setup_;
    PendingExecutions pending_;
    RequestSender sender_;
    ResultReceiver receiver_;
    AnswerWait wait_;
    CompletionSignal completion_;
};

}  // namespace nnburst::burst
