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
    return oldest;
}

void PendingExecutions::expectLateResult(const PendingExecution& execution) {
    NNBURST_ASSERT(execution.state == State::SENT);
    lateResults_.push_back({.serial = execution.serial, .lines = execution.resultLines});
    keptLines_ += execution.resultLines;
}

void PendingExecutions::dropLateResults(std::uint64_t serial) noexcept {
    std::erase_if(lateResults_, [&](const LateResult& late) {
        if (late.serial > serial) {
            return false;
        }
        freeLines(late.lines);
        return true;
    });
}

}  // namespace nnburst::burst
