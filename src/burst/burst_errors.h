// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The errors of all calls of a burst, most of them the same for bursts to a driver and in this
/// process.

#include <chrono>
#include <cstdint>
#include <string>

#include "model/outcome.h"
#include "nnburst/burst.h"
#include "nnburst/result.h"

namespace nnburst::burst {

/// Of `submit`: an output overlaps with one of `other`.
[[nodiscard]] inline tl::unexpected<Error> overlapping(Submission other) {
    return failure(ErrorStatus::INVALID_ARGUMENT,
                   "submit: an output overlaps with one of submission " +
                       std::to_string(static_cast<std::uint64_t>(other)) +
                       ", which is in flight: wait for it first");
}

/// The error of `submit` and `execute` if `count` executions, the maximum, are in flight.
[[nodiscard]] inline tl::unexpected<Error> tooManyInFlight(std::size_t count) {
    return failure(
        ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
        std::to_string(count) +
            " executions are in flight on this burst: wait for one, or configure it with "
            "more (BurstOptions::inFlight)");
}

/// The error of `wait` if `submission` is not, or no longer, in flight.
[[nodiscard]] inline tl::unexpected<Error> notInFlight(Submission submission) {
    return failure(ErrorStatus::INVALID_ARGUMENT,
                   "wait: submission " + std::to_string(static_cast<std::uint64_t>(submission)) +
                       " is not in flight: each can be waited for once");
}

/// The error of an execution for which an allocation has failed. Takes no memory: the message fits
/// into the string.
[[nodiscard]] inline tl::unexpected<Error> outOfMemory() {
    return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT, "out of memory");
}

/// The error of an execution if the connection counts as lost because an allocation has failed.
/// Takes no memory.
[[nodiscard]] inline tl::unexpected<Error> lostOutOfMemory() {
    return failure(ErrorStatus::DEVICE_UNAVAILABLE, "out of memory");
}

/// The error of all calls after the loss of the driver.
[[nodiscard]] inline tl::unexpected<Error> lost() {
    return failure(ErrorStatus::DEVICE_UNAVAILABLE, "the connection to the driver is lost");
}

/// The error of an execution that was given up `grace` after its deadline.
[[nodiscard]] inline tl::unexpected<Error> notAnswered(std::chrono::milliseconds grace) {
    return failure(ErrorStatus::DEVICE_UNAVAILABLE,
                   "the driver has not answered " + std::to_string(grace.count()) +
                       " ms after the deadline of the execution: it may still write the outputs, "
                       "whose memory is in use until isMemoryInUse() is false");
}

/// The error of a request that uses the outputs of such an execution.
[[nodiscard]] inline tl::unexpected<Error> memoryInUse() {
    return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                   "an input or output of the request overlaps with an output of an execution that "
                   "the driver has not answered and may still write: wait until isMemoryInUse() "
                   "is false");
}

/// The error of a wait for that memory that has ended before it was free.
[[nodiscard]] inline tl::unexpected<Error> memoryStillInUse() {
    return failure(ErrorStatus::MISSED_DEADLINE_TRANSIENT,
                   "memory of executions without an answer was in use until the deadline");
}

/// The error of completionDescriptor if the driver is of an earlier version.
[[nodiscard]] inline tl::unexpected<Error> cannotAnnounceResults() {
    return failure(ErrorStatus::GENERAL_FAILURE,
                   "completionDescriptor of a burst whose driver is of an earlier version: it "
                   "cannot announce results to an event loop");
}

/// The error of an execution during which a result with a serial of no request came.
[[nodiscard]] inline tl::unexpected<Error> unexpectedResult(std::uint64_t serial) {
    return failure(ErrorStatus::DEVICE_UNAVAILABLE,
                   "result frame: serial " + std::to_string(serial) +
                       " matches no request in flight; the connection counts as lost");
}

/// The error of a call that was refused because another thread is using the burst.
[[nodiscard]] inline tl::unexpected<Error> usedByAnotherThread() {
    return failure(ErrorStatus::GENERAL_FAILURE,
                   "another thread is using this burst: at most one thread may execute, submit or "
                   "wait on it at a time");
}

/// `result`, which is an error, with the outcome that goes with it.
[[nodiscard]] inline Result<> failed(ExecutionOutcome& outcome, Result<> result) {
    clearOutcome(outcome);
    return result;
}

}  // namespace nnburst::burst
