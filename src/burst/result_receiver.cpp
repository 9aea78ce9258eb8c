// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/result_receiver.h"

#include <string>

#include "log/assert.h"
#include "model/outcome.h"

namespace nnburst::burst {

namespace {

Result<> sameShapesAsNothing(ExecutionOutcome& outcome) {
    clearOutcome(outcome);
    return failure(ErrorStatus::GENERAL_FAILURE,
                   "the driver answered with the same output shapes as before to a request that is "
                   "not a reusable execution");
}

Result<> wrongShapeCount(const PendingExecution& execution) {
    const std::size_t received = execution.outcome->outputShapes.size();
    clearOutcome(*execution.outcome);
    return failure(ErrorStatus::GENERAL_FAILURE,
                   "the driver answered with " + std::to_string(received) +
                       " output shapes; the request has " +
                       std::to_string(execution.request->outputs.size()) + " outputs");
}

}  // namespace

ResultReceiver::Taken ResultReceiver::take() {
    const std::uint32_t lineCount = readFrame();
    if (lineCount == 0) {
        return {};
    }
    const std::uint64_t serial = serialOf(lines_[0]);
    pending_.resultArrived(serial);
    PendingExecution* const execution = pending_.findSent(serial);
    if (execution != nullptr) {
        give(*execution, std::span(lines_).first(lineCount));
    }
    return {.isFrame = true, .execution = execution};
}

/// Writes status and outcome, and remembers the shapes if the execution is to be repeated.
void ResultReceiver::give(PendingExecution& execution, std::span<const FrameLine> frame) {
    const std::uint16_t flags = resultFlagsOf(frame[0]);
    NNBURST_ASSERT(execution.outcome != nullptr && execution.request != nullptr,
                   "execution {} was not prepared", execution.serial);
    ReusableRequest* const reusable = execution.reusable;
    ExecutionOutcome& outcome = *execution.outcome;
    if (reusable != nullptr && (flags & kUnknownExecution) != 0) {
        reusable->isRemembered = false;
        PendingExecutions::markUnknownToDriver(execution);
        return;
    }
    const bool hasSameShapes = (flags & kSameShapes) != 0;
    if (hasSameShapes) {
        if (reusable == nullptr) {
            execution.status = sameShapesAsNothing(outcome);
            pending_.markEnded(execution);
            return;
        }
        if (outcome.outputShapes != reusable->shapes) {
            outcome.outputShapes = reusable->shapes;
        }
    }
    execution.status = decodeResult(frame, outcome);
    if (!hasRightShapeCount(execution)) {
        execution.status = wrongShapeCount(execution);
    } else if (reusable != nullptr && !hasSameShapes) {
        if ((flags & kRemembered) != 0) {
            reusable->isRemembered = true;
            reusable->slotVersion = execution.slotVersion;
        }
        reusable->shapes = outcome.outputShapes;
    }
    pending_.markEnded(execution);
}

}  // namespace nnburst::burst
