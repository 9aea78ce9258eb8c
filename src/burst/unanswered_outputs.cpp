// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/unanswered_outputs.h"

#include <algorithm>
#include <utility>

namespace nnburst::burst {

UnansweredOutputs::Entry UnansweredOutputs::entryOf(const Request& request) {
    Entry entry(1);
    collectOutputRanges(request, entry.front().outputs);
    return entry;
}

void UnansweredOutputs::add(Entry execution, AnswerFlag answered) noexcept {
    execution.front().answered = std::move(answered);
    executions_.splice(executions_.end(), execution);
}

bool UnansweredOutputs::overlapWith(std::span<const MemoryRange> ranges) const noexcept {
    return std::any_of(executions_.begin(), executions_.end(), [&](const Execution& execution) {
        return overlap(ranges, execution.outputs);
    });
}

void UnansweredOutputs::dropAnswered() noexcept {
    std::erase_if(executions_, [](const Execution& execution) {
        // sync [late-answer]: the driver has written its last byte
        return execution.answered->load(std::memory_order_acquire);
    });
}

}  // namespace nnburst::burst
