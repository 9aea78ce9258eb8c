// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/unanswered_outputs.h"

#include <algorithm>
#include <string>
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

tl::unexpected<Error> unanswered(std::chrono::milliseconds grace) {
    return failure(ErrorStatus::DEVICE_UNAVAILABLE,
                   "the driver has not answered " + std::to_string(grace.count()) +
                       " ms after the deadline of the execution: it may still write the outputs, "
                       "whose memory is in use until isMemoryInUse() is false");
}

tl::unexpected<Error> memoryInUse() {
    return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                   "an input or output of the request overlaps with an output of an execution that "
                   "the driver has not answered and may still write: wait until isMemoryInUse() "
                   "is false");
}

tl::unexpected<Error> memoryStillInUse() {
    return failure(ErrorStatus::MISSED_DEADLINE_TRANSIENT,
                   "memory of executions without an answer was in use until the deadline");
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
