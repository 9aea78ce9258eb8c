// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/unanswered_outputs.h"

#include <algorithm>
#include <utility>

#include "system/time.h"

namespace nnburst::burst {

OptionalTimePoint answerAwaitedUntil(const OptionalTimePoint& deadline,
                                     std::chrono::milliseconds grace) noexcept {
    if (!deadline) {
        return std::nullopt;
    }
    return system::saturatingAdd(std::max(*deadline, std::chrono::steady_clock::now()),
                                 system::saturatingNanoseconds(grace));
}

void UnansweredOutputs::add(const Request& request, AnswerFlag answered) {
    Execution& execution = executions_.emplace_back();
    execution.answered = std::move(answered);
    collectOutputs(request, execution.outputs);
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
