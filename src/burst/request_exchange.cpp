// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/request_exchange.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "burst/burst_errors.h"
#include "burst/give_up_time.h"

namespace nnburst::burst {

Result<> RequestExchange::waitForMemory(const OptionalTimePoint& deadline) {
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
        if (wait_.isLost()) {
            // The loss would end each wait at once. An answer over the control plane may still
            // come.
            std::this_thread::sleep_until(
                std::min(deadline.value_or(TimePoint::max()), now + kAnswerPollInterval));
        } else {
            wait_.awaitResultAtMost(deadline, kAnswerPollInterval);
        }
    }
}

Result<int> RequestExchange::completionDescriptor() {
    if (!setup_.ringsBack) {
        return cannotAnnounceResults();
    }
    auto descriptor = completion_.descriptor(setup_.doorbell.get());
    if (wait_.isLostInOrder()) {
        completion_.connectionLost();
    }
    return descriptor;
}

Result<bool> RequestExchange::armCompletion() {
    NNBURST_TRY(completionDescriptor());
    completion_.takeAllRings();
    takeResults();
    if (pending_.hasEnded() || pending_.isStuck()) {
        return true;
    }
    return !wait_.arm(completion_.ringsToCome());
}

bool RequestExchange::isDone(Submission submission) {
    completion_.takeRings();
    takeResults();
    const PendingExecution* const execution = pending_.find(submission);
    if (execution == nullptr || execution->state == State::ENDED || wait_.isLost() ||
        (execution->state == State::UNKNOWN_TO_DRIVER && pending_.isStuck())) {
        return true;
    }
    const OptionalTimePoint giveUpAt = execution->giveUpAt(deadlineGrace_);
    return giveUpAt && *giveUpAt <= std::chrono::steady_clock::now();
}

Result<> RequestExchange::launchAny(PendingExecution& execution) {
    while (true) {
        Result<bool> sent = wait_.isLost() ? Result<bool>(lost()) : sender_.trySend(execution);
        if (!sent) {
            refuse(*execution.request, execution.options.deadline);
            pending_.release(execution);
            return failed(*execution.outcome, tl::unexpected<Error>(std::move(sent.error())));
        }
        if (*sent) {
            return {};
        }
        if (receiver_.hasResult()) {
            takeResults();
        } else if (PendingExecution* const other = pending_.findFirst(State::SENT)) {
            awaitResult(*other, other->giveUpAt(deadlineGrace_), std::chrono::milliseconds(0));
        } else if (pending_.hasUnknown()) {
            executeOverControlPlane(*pending_.findFirst(State::UNKNOWN_TO_DRIVER));
        } else {
            executeOverControlPlane(execution);
            return {};
        }
    }
}

void RequestExchange::awaitAfterOthers(PendingExecution& execution) {
    const OptionalTimePoint until = execution.isSubmitted()
                                        ? execution.giveUpAt(deadlineGrace_)
                                        : giveUpAt(execution.options.deadline, deadlineGrace_);
    while (execution.state != State::ENDED) {
        sender_.sendUnknown();
        if (execution.state == State::SENT) {
            awaitResult(execution, until, std::chrono::milliseconds(0));
        } else {
            executeOverControlPlane(execution);
        }
    }
}

void RequestExchange::executeOverControlPlane(PendingExecution& execution) {
    // Made here, because nothing may fail once the driver has been asked: the execution would count
    // as one that the driver does not run.
    UnansweredOutputs::Entry outputs = UnansweredOutputs::entryOf(*execution.request);
    Result<> unanswered = notAnswered(deadlineGrace_);
    AnswerFlag answered;
    execution.status = controlPlane_->executeSynchronously(
        *execution.request, execution.options, giveUpAt(execution.options.deadline, deadlineGrace_),
        *execution.outcome, answered);
    if (answered != nullptr) {
        pending_.giveUp(std::move(outputs), std::move(answered));
        execution.status = failed(*execution.outcome, std::move(unanswered));
    }
    pending_.markEnded(execution);
}

void RequestExchange::endOutOfMemory(PendingExecution& execution) noexcept {
    if (execution.state == State::SENT) {
        // The driver has its frame, and nothing remembers that it may write the outputs.
        connectionLost();
        end(execution, lostOutOfMemory());
    } else {
        end(execution, outOfMemory());
    }
}

}  // namespace nnburst::burst
