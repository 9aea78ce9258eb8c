// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Clears an outcome after an execution that failed.

#include "nnburst/execution.h"
#include "nnburst/result.h"

namespace nnburst {

/// Removes shapes and timing. Keeps the memory of the shapes for the next execution.
inline void clearOutcome(ExecutionOutcome& outcome) noexcept {
    outcome.outputShapes.clear();
    outcome.timing = {};
}

/// Removes what an execution that ended with `result` does not report: nothing after a success,
/// the timing after OUTPUT_INSUFFICIENT_SIZE, timing and shapes after any other error.
inline void clearAfterFailure(const Result<>& result, ExecutionOutcome& outcome) noexcept {
    if (result) {
        return;
    }
    if (result.error().status == ErrorStatus::OUTPUT_INSUFFICIENT_SIZE) {
        outcome.timing = {};
    } else {
        clearOutcome(outcome);
    }
}

}  // namespace nnburst
