// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The limits of a run: deadline, loop time, and giving way to more urgent executions.

#include <fmt/format.h>

#include <chrono>
#include <cstdint>

#include "exec/threads/execution_gate.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

struct RunLimits {
    OptionalTimePoint deadline;
    const char* deadlineName = "deadline";  ///< in messages
    /// Limit on the time of each WHILE.
    std::chrono::nanoseconds loopTimeout{};
    /// Yields between operations to more urgent executions; null never yields.
    ExecutionGate::Pass* pass = nullptr;

    /// To be called before each operation. MISSED_DEADLINE_PERSISTENT after the deadline: a run
    /// that took too long once will take too long again.
    [[nodiscard]] Result<> checkBefore(std::uint32_t operation) const {
        if (pass != nullptr) {
            pass->letOthersPass();
        }
        if (deadline && std::chrono::steady_clock::now() >= *deadline) {
            return failure(
                ErrorStatus::MISSED_DEADLINE_PERSISTENT,
                fmt::format("the {} has passed before operation {}", deadlineName, operation));
        }
        return {};
    }

    /// The error of a run whose deadline passed inside an operation (TimeLimit).
    [[nodiscard]] tl::unexpected<Error> missedIn(std::uint32_t operation) const {
        return failure(ErrorStatus::MISSED_DEADLINE_PERSISTENT,
                       fmt::format("the {} has passed in operation {}", deadlineName, operation));
    }
};

}  // namespace nnburst::exec
