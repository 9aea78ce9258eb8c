// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "fmq/wait_plan.h"

#include <unistd.h>

namespace nnburst::fmq {

using std::chrono::nanoseconds;

bool hasOneProcessor() noexcept {
    static const bool hasOne = ::sysconf(_SC_NPROCESSORS_ONLN) == 1;
    return hasOne;
}

WaitRules rulesOf(const WaitPolicy& policy, bool isOneProcessor) noexcept {
    const nanoseconds window =
        isOneProcessor ? nanoseconds(0) : std::max(policy.spinWindow, nanoseconds(0));
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
    nanoseconds spin = rules.spinWindow;
    if (rules.isAdaptive && use.peerWorks && forecast != nullptr) {
        spin = std::min(spin, std::max(kShortestSpin, forecast->longestUsual()));
    }
    return {.spinUntil = spin, .spinAtMost = spin};
}

}  // namespace nnburst::fmq
