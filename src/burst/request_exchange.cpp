// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/request_exchange.h"

#include <chrono>
#include <utility>

#include "burst/burst_errors.h"

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
        wait_.forNewsAtMost(deadline, kAnswerPollInterval);
    }
}

Result<int> RequestExchange::completionDescriptor() {
    if (!peer_.ringsBack) {
        return cannotAnnounceResults();
    }
    auto descriptor = completion_.descriptor(peer_.doorbell.get());
    if (wait_.isLostInOrder()) {
        completion_.connectionLost();
    }
    return descriptor;
}

Result<bool> RequestExchange::armCompletion() {
    NNBURST_TRY(completionDescriptor());
    completion_.clear();
    takeResults();
    return pending_.hasEnded() || !wait_.arm();
}

bool RequestExchange::isDone(Submission submission) {
    if (completion_.exists()) {
        completion_.clear();
    }
    takeResults();
    const PendingExecution* const execution = pending_.find(submission);
    if (execution == nullptr || execution->state == State::ENDED || wait_.isLost()) {
        return true;
    }
    const OptionalTimePoint giveUpAt = execution->giveUpAt(deadlineGrace_);
    return giveUpAt && *giveUpAt <= std::chrono::steady_clock::now();
}

Result<> RequestExchange::launchAny(PendingExecution& execution) {
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
        awaitResult(*other, other->giveUpAt(deadlineGrace_), std::chrono::milliseconds(0));
    }
}

Result<bool> RequestExchange::trySend(PendingExecution& execution) {
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

void RequestExchange::awaitAfterOthers(PendingExecution& execution) {
    const OptionalTimePoint giveUpAt =
        execution.isSubmitted() ? execution.giveUpAt(deadlineGrace_)
                                : answerAwaitedUntil(execution.options.deadline, deadlineGrace_);
    while (execution.state != State::ENDED) {
        awaitResult(execution, giveUpAt, std::chrono::milliseconds(0));
    }
}

void RequestExchange::executeOverControlPlane(PendingExecution& execution) {
    AnswerFlag answered;
    execution.status = controlPlane_->executeSynchronously(
        *execution.request, execution.options,
        answerAwaitedUntil(execution.options.deadline, deadlineGrace_), *execution.outcome,
        answered);
    if (answered != nullptr) {
        pending_.giveUp(execution, std::move(answered));
        execution.status = failed(*execution.outcome, notAnswered(deadlineGrace_));
    }
    pending_.markEnded(execution);
}

}  // namespace nnburst::burst
