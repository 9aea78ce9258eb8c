// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The limits of a run: deadline, loop time, and giving way to more urgent executions.

#include <fmt/format.h>

#include <chrono>
#include <cstdint>

#include "exec/operation/time_limit.h"
#include "exec/threads/execution_gate.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

struct RunLimits {
    OptionalTimePoint deadline;
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
            return failure(ErrorStatus::MISSED_DEADLINE_PERSISTENT,
                           fmt::format("the deadline has passed before operation {}", operation));
        }
        return {};
    }

    /// To be called after each operation. MISSED_DEADLINE_PERSISTENT if it ended early because the
    /// deadline passed.
    [[nodiscard]] static Result<> checkAfter(std::uint32_t operation, const TimeLimit& limit) {
        if (limit.isOver()) {
            return failure(ErrorStatus::MISSED_DEADLINE_PERSISTENT,
                           fmt::format("the deadline has passed in operation {}", operation));
        }
        return {};
    }
};

}  // namespace nnburst::exec
