// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/pending_executions.h"

#include <algorithm>
#include <utility>

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

PendingExecution* PendingExecutions::findFirst(State state) noexcept {
    for (PendingExecution& execution : executions_) {
        if (execution.state == state) {
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
        oldest = std::min(oldest, givenUp.slotVersion);
    }
    return oldest;
}

void PendingExecutions::giveUp(const PendingExecution& execution) {
    NNBURST_ASSERT(execution.state == State::SENT);
    if (execution.reusable != nullptr) {
        // Its answer, which will be dropped, may have other shapes, and later ones none.
        execution.reusable->isRemembered = false;
    }
    GivenUp givenUp{.serial = execution.serial,
                    .resultLines = execution.resultLines,
                    .slotVersion = execution.slotVersion,
                    .outputs = {}};
    collectOutputRanges(*execution.request, givenUp.outputs);
    givenUp_.push_back(std::move(givenUp));
    keptLines_ += execution.resultLines;
}

bool PendingExecutions::isMemoryInUse(const Request& request) const {
    const std::vector<MemoryRange> ranges = memoryOf(request);
    return unanswered_.overlapWith(ranges) ||
           std::any_of(givenUp_.begin(), givenUp_.end(),
                       [&](const GivenUp& givenUp) { return overlap(ranges, givenUp.outputs); });
}

void PendingExecutions::dropGivenUp(std::uint64_t serial) noexcept {
    std::erase_if(givenUp_, [&](const GivenUp& givenUp) {
        if (givenUp.serial > serial) {
            return false;
        }
        freeLines(givenUp.resultLines);
        return true;
    });
}

void PendingExecutions::dropAllGivenUp() noexcept {
    for (const GivenUp& givenUp : givenUp_) {
        freeLines(givenUp.resultLines);
    }
    givenUp_.clear();
}

}  // namespace nnburst::burst
