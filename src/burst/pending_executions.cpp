// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/pending_executions.h"

#include <algorithm>

#include "burst/slot_table.h"

namespace nnburst::burst {

PendingExecution* PendingExecutions::find(Submission submission) noexcept {
    for (PendingExecution& execution : executions_) {
        if (execution.state != State::FREE && execution.submission == submission &&
            submission != Submission{}) {
            return &execution;
        }
    }
    return nullptr;
}

PendingExecution* PendingExecutions::findAnySent() noexcept {
    for (PendingExecution& execution : executions_) {
        if (execution.state == State::SENT) {
            return &execution;
        }
    }
    return nullptr;
}

const PendingExecution* PendingExecutions::findOverlapping(
    const PendingExecution& execution) const noexcept {
    for (const PendingExecution& other : executions_) {
        if (other.state != State::FREE && &other != &execution &&
            overlap(execution.outputs, other.outputs)) {
            return &other;
        }
    }
    return nullptr;
}

std::uint64_t PendingExecutions::oldestSlotVersion() const noexcept {
    std::uint64_t oldest = SlotTable::kNothingInFlight;
    for (const PendingExecution& execution : executions_) {
        if (execution.state == State::SENT) {
            oldest = std::min(oldest, execution.slotVersion);
        }
    }
    for (const GivenUp& givenUp : givenUp_) {
        if (givenUp.answered == nullptr) {
            oldest = std::min(oldest, givenUp.slotVersion);
        }
    }
    return oldest;
}

void PendingExecutions::giveUp(const PendingExecution& execution, AnswerFlag answered) {
    const bool isInQueue = answered == nullptr;
    NNBURST_ASSERT(!isInQueue || execution.state == State::SENT);
    GivenUp& givenUp = givenUp_.emplace_back();
    givenUp.answered = std::move(answered);
    collectOutputs(*execution.request, givenUp.outputs);
    if (isInQueue) {
        givenUp.serial = execution.serial;
        givenUp.resultLines = execution.resultLines;
        givenUp.slotVersion = execution.slotVersion;
        keptLines_ += execution.resultLines;
    }
}

bool PendingExecutions::isMemoryInUse(const Request& request) const {
    std::vector<MemoryRange> ranges;
    appendRanges(request, request.inputs, ranges);
    appendRanges(request, request.outputs, ranges);
    return std::any_of(givenUp_.begin(), givenUp_.end(),
                       [&](const GivenUp& givenUp) { return overlap(ranges, givenUp.outputs); });
}

void PendingExecutions::dropGivenUp(std::uint64_t serial) noexcept {
    std::erase_if(givenUp_, [&](const GivenUp& givenUp) {
        if (givenUp.answered != nullptr || givenUp.serial > serial) {
            return false;
        }
        freeLines(givenUp.resultLines);
        return true;
    });
}

void PendingExecutions::dropAnswered() noexcept {
    std::erase_if(givenUp_, [](const GivenUp& givenUp) {
        // sync [late-answer]: the driver has written its last byte
        return givenUp.answered != nullptr && givenUp.answered->load(std::memory_order_acquire);
    });
}

void PendingExecutions::dropAllGivenUp() noexcept {
    for (const GivenUp& givenUp : givenUp_) {
        freeLines(givenUp.resultLines);
    }
    givenUp_.clear();
}

}  // namespace nnburst::burst
