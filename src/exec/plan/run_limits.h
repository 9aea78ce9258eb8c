// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What a run has to keep to while it runs: its limits in time, and making way for others.

#include <fmt/format.h>

#include <chrono>
#include <cstdint>

#include "exec/threads/execution_gate.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

struct RunLimits {
    OptionalTimePoint deadline;
    /// Of each WHILE.
    std::chrono::nanoseconds loopTimeout{};
    /// Asked between operations whether somebody more urgent waits; null asks nobody.
    ExecutionGate::Pass* pass = nullptr;

    /// To be called before each operation. MISSED_DEADLINE_PERSISTENT after the deadline: a run
    /// that did not suffice in its time will not the next time either.
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
};

}  // namespace nnburst::exec
