// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The limits of a run: deadline, loop time, cancellation, and yielding to more urgent executions.

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>
#include <string>

#include "account/account.h"
#include "account/growing_charge.h"
#include "exec/operation/time_limit.h"
#include "exec/threads/execution_gate.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

struct RunLimits {
    OptionalTimePoint deadline;
    const char* deadlineName = "deadline";  ///< in messages
    /// Limit on the time of each WHILE.
    std::chrono::nanoseconds loopTimeout{};
    /// Becomes true when the run is cancelled; null: never.
    const std::atomic<bool>* isCancelled = nullptr;
    /// Memory that the run takes for temporaries is charged to it; null: not charged.
    Account* account = nullptr;
    /// Memory of a plan is charged to it while the plan is made; null: not charged.
    GrowingCharge* planMemory = nullptr;
    /// Yields to more urgent executions; null never yields.
    ExecutionGate::Pass* pass = nullptr;
    /// The run computes nothing of use: see Plan::warmUp.
    bool isWarmUp = false;

    /// To be called before each operation: yields to other executions and threads, then checks
    /// whether the run may go on.
    [[nodiscard]] bool yieldThenCheck() const {
        if (pass != nullptr) {
            pass->yieldToOthers();
        }
        system::letOthersRun();
        return !isOver();
    }

    /// The same before the first operation of a run that has just passed the gate and the check of
    /// its deadline.
    [[nodiscard]] bool mayBegin() const noexcept {
        system::letOthersRun();
        return !hasBeenCancelled();
    }

    /// Whether the run was cancelled or its deadline has passed. Does not yield: for use with a
    /// mutex that other executions take.
    [[nodiscard]] bool isOver() const noexcept {
        return hasBeenCancelled() || (deadline && std::chrono::steady_clock::now() >= *deadline);
    }

    /// The error of a run that may not go on with `operation`. MISSED_DEADLINE_PERSISTENT after the
    /// deadline: a run that took too long once will take too long again.
    [[nodiscard]] tl::unexpected<Error> endedBefore(std::uint32_t operation) const {
        return ended(fmt::format("before operation {}", operation));
    }

    /// The error of a run whose deadline passed, or that was cancelled, while it waited for other
    /// runs to make their plans. MISSED_DEADLINE_TRANSIENT after the deadline: the time went to
    /// others.
    [[nodiscard]] tl::unexpected<Error> endedWhileOthersPlanned() const {
        return ended("while other executions planned the model",
                     ErrorStatus::MISSED_DEADLINE_TRANSIENT);
    }

    /// The same checks for use inside operations.
    [[nodiscard]] TimeLimit timeLimit() const noexcept {
        return TimeLimit(deadline, isCancelled,
                         pass == nullptr ? YieldCallback{} : YieldCallback{yieldToOthers, pass});
    }

    /// The error of a run that its time limit has ended inside an operation.
    [[nodiscard]] tl::unexpected<Error> endedIn(std::uint32_t operation) const {
        return ended(fmt::format("in operation {}", operation));
    }

    /// The error of a run that its time limit has ended while its arguments were copied.
    [[nodiscard]] tl::unexpected<Error> endedInCopies() const {
        return ended("while arguments were copied");
    }

    /// Charges memory of a plan. RESOURCE_EXHAUSTED_*.
    [[nodiscard]] Result<> chargePlan(std::uint64_t bytes) const {
        return planMemory == nullptr ? Result<>() : planMemory->add(bytes);
    }

  private:
    static void yieldToOthers(void* pass) noexcept {
        try {
            static_cast<ExecutionGate::Pass*>(pass)->yieldToOthers();
        } catch (const std::bad_alloc&) {
            // No memory to wait: it goes on.
        }
    }
    [[nodiscard]] bool hasBeenCancelled() const noexcept {
        // Relaxed: a flag that nothing else depends on.
        return isCancelled != nullptr && isCancelled->load(std::memory_order_relaxed);
    }
    [[nodiscard]] tl::unexpected<Error> ended(
        const std::string& when, ErrorStatus late = ErrorStatus::MISSED_DEADLINE_PERSISTENT) const {
        if (hasBeenCancelled()) {
            return failure(ErrorStatus::GENERAL_FAILURE,
                           "the execution was cancelled: its client has gone");
        }
        return failure(late, fmt::format("the {} has passed {}", deadlineName, when));
    }
};

}  // namespace nnburst::exec
