// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "fmq/wait_plan.h"

#include <unistd.h>

namespace nnburst::fmq {

namespace {

using std::chrono::nanoseconds;

/// Not the processors that this process may use: a side that was given one processor of its own
/// spins well while the other has another one.
bool hasOneProcessor() noexcept {
    static const bool hasOne = ::sysconf(_SC_NPROCESSORS_ONLN) == 1;
    return hasOne;
}

}  // namespace

WaitRules rulesOf(const WaitPolicy& policy) noexcept {
    const nanoseconds window =
        hasOneProcessor() ? nanoseconds(0) : std::max(policy.spinWindow, nanoseconds(0));
    switch (policy.mode) {
        case WaitMode::ADAPTIVE:
            return {.spinWindow = window, .isAdaptive = true};
        case WaitMode::SPIN:
            return {.spinWindow = window};
        case WaitMode::BLOCK:
            break;
    }
    return {};
}

WaitPlan planWait(const WaitRules& rules, const ProcessorUse& use, const WaitForecast* forecast,
                  const SpinBudget& budget, nanoseconds limit) noexcept {
    if (!maySpin(
            rules, [&] { return use.isPeerHere; }, [&] { return use.isContended; })) {
        return {};
    }
    const bool leavesProcessors = rules.isAdaptive && use.peerNeedsAll;
    if (rules.isAdaptive && forecast != nullptr) {
        const WaitForecast::Range expected =
            forecast->expect(leavesProcessors ? nanoseconds(0) : kLongWait);
        if (expected.sleepUntil >= limit) {
            return {};
        }
        if (expected.sleepUntil.count() > 0) {
            return {.sleepUntil = expected.sleepUntil,
                    .spinUntil = expected.spinUntil,
                    .spinAtMost = std::min(rules.spinWindow, budget.left())};
        }
    }
    if (leavesProcessors) {
        return {};
    }
    return {.spinUntil = rules.spinWindow, .spinAtMost = rules.spinWindow};
}

}  // namespace nnburst::fmq
