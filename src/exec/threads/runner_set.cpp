// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/threads/runner_set.h"

#include <algorithm>

#include "log/assert.h"

namespace nnburst::exec {

bool RunnerSet::areAllHeld() const noexcept {
    const auto end = runners_.begin() + count();
    return std::all_of(runners_.begin(), end, [](const Runner& runner) {
        return runner.isHeld.load(std::memory_order_relaxed);  // only an estimate
    });
}

void RunnerSet::add() noexcept {
    const std::uint32_t count = count_.load(std::memory_order_relaxed);  // only this changes it
    NNBURST_ASSERT(count < kMaximumRunners, "a model with more than {} runners", count);
    // sync [runner-added]: a thread that sees the number may use the runner
    count_.store(count + 1, std::memory_order_release);
}

std::uint32_t RunnerSet::tryHoldAny() noexcept {
    for (std::uint32_t runner = 0; runner < count(); ++runner) {
        std::atomic<bool>& isHeld = runners_[runner].isHeld;
        // sync [gate-left]: looks first, because an exchange takes the cache line from its user
        if (!isHeld.load(std::memory_order_seq_cst) &&
            !isHeld.exchange(true, std::memory_order_seq_cst)) {
            return runner;
        }
    }
    return kNone;
}

}  // namespace nnburst::exec
