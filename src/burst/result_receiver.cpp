// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/result_receiver.h"

#include <bit>
#include <new>
#include <string>

#include "burst/burst_errors.h"
#include "log/assert.h"
#include "model/outcome.h"

namespace nnburst::burst {

namespace {

/// `lines` are in the queue, the header among them.
tl::unexpected<Error> brokenResult(const FrameLine& header, std::uint64_t lines) {
    const auto frame = std::bit_cast<ResultFrameHeader>(header);
    return failure(ErrorStatus::DEVICE_UNAVAILABLE,
                   "result frame " + std::to_string(frame.serial) + ": announces " +
                       std::to_string(frame.lineCount) + " lines; must be 1 to the " +
                       std::to_string(lines) + " in the queue; the connection counts as lost");
}

Result<> sameShapesAsNothing(ExecutionOutcome& outcome) {
    clearOutcome(outcome);
    return failure(ErrorStatus::GENERAL_FAILURE,
                   "the driver answered with the same output shapes as before to a request that is "
                   "not a reusable execution");
}

Result<> unknownThoughWhole(ExecutionOutcome& outcome) {
    clearOutcome(outcome);
    return failure(ErrorStatus::GENERAL_FAILURE,
                   "the driver answered that it does not know a request that was sent whole");
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

Result<> ResultReceiver::tryTake() {
    FrameLine header;
    if (!results_.peek(0, header)) {
        return lost();
    }
    const std::uint64_t serial = serialOf(header);
    PendingExecution* const execution = pending_.findSent(serial);
    const bool hasSameShapes =
        execution != nullptr && execution->reusable != nullptr && isSameShapes(header);
    std::uint32_t lineCount = 1;
    if (hasSameShapes) {
        results_.consume(1);
    } else {
        lineCount = readFrame(header);
        if (lineCount == 0) {
            return brokenResult(header, results_.availableToRead());
        }
        if (execution == nullptr && !pending_.isGivenUp(serial)) {
            return unexpectedResult(serial);
        }
    }
    pending_.resultArrived(serial);
    if (execution != nullptr) {
        try {
            hasSameShapes ? giveSameShapes(*execution, header)
                          : give(*execution, std::span(lines_).first(lineCount));
        } catch (const std::bad_alloc&) {
            giveOutOfMemory(*execution);
        }
    }
    return {};
}

/// The result is out of the queue, and there was no memory to give it.
void ResultReceiver::giveOutOfMemory(PendingExecution& execution) noexcept {
    if (execution.reusable != nullptr) {
        execution.reusable->isRemembered = false;  // its shapes may be incomplete
    }
    execution.status = failed(*execution.outcome, outOfMemory());
    pending_.markEnded(execution);
}

/// The shortest result, of an execution that is repeated.
void ResultReceiver::giveSameShapes(PendingExecution& execution, const FrameLine& line) {
    ExecutionOutcome& outcome = *execution.outcome;
    if (outcome.outputShapes != execution.reusable->shapes) {
        outcome.outputShapes = execution.reusable->shapes;
    }
    outcome.timing = timingOf(line);
    if (!hasRightShapeCount(execution)) {
        execution.status = wrongShapeCount(execution);
    }
    pending_.markEnded(execution);
}

/// Writes status and outcome, and remembers the shapes if the execution is to be repeated.
void ResultReceiver::give(PendingExecution& execution, std::span<const FrameLine> frame) {
    const std::uint16_t flags = resultFlagsOf(frame[0]);
    NNBURST_ASSERT(execution.outcome != nullptr && execution.request != nullptr,
                   "execution {} was not prepared", execution.serial);
    ReusableRequest* const reusable = execution.reusable;
    ExecutionOutcome& outcome = *execution.outcome;
    if (reusable != nullptr && (flags & kUnknownExecution) != 0 &&
        execution.serial != execution.wholeSerial) {
        reusable->isRemembered = false;
        pending_.markUnknownToDriver(execution);
        return;
    }
    if ((flags & kUnknownExecution) != 0) {
        execution.status = unknownThoughWhole(outcome);
    } else if (isSameShapes(frame[0])) {
        execution.status = sameShapesAsNothing(outcome);
    } else {
        execution.status = decodeResult(frame, outcome);
    }
    if (!hasRightShapeCount(execution)) {
        execution.status = wrongShapeCount(execution);
    } else if (reusable != nullptr) {
        if ((flags & kRemembered) != 0) {
            reusable->isRemembered = true;
            reusable->slotVersion = execution.slotVersion;
        }
        reusable->shapes = outcome.outputShapes;
    }
    pending_.markEnded(execution);
}

}  // namespace nnburst::burst
