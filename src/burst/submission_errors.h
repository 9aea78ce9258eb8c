// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Errors of the calls of a burst, most of them the same for bursts to a driver and in this
/// process.

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

/// The error of all calls after the loss of the driver.
[[nodiscard]] inline tl::unexpected<Error> lost() {
    return failure(ErrorStatus::DEVICE_UNAVAILABLE, "the connection to the driver is lost");
}

/// The error of an execution during which a result with a serial of no request came.
[[nodiscard]] inline tl::unexpected<Error> unexpectedResult(std::uint64_t serial) {
    return failure(ErrorStatus::DEVICE_UNAVAILABLE,
                   "result frame: serial " + std::to_string(serial) +
                       " matches no request in flight; the connection counts as lost");
}

/// `result`, which is an error, with the outcome that goes with it.
[[nodiscard]] inline Result<> failed(ExecutionOutcome& outcome, Result<> result) {
    clearOutcome(outcome);
    return result;
}

}  // namespace nnburst::burst
