// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What a thread does while it waits, decided before it does it. A plan is a value, made from the
/// policy, from what is known of the processors, and from how long such waits have lasted;
/// fmq/wait.h carries it out. This file and its .cpp are the ones that know what a WaitMode means.
///
///              spins                              sleeps with an alarm   sleeps
///     ADAPTIVE unless contended or beside peer    in long waits          then
///     SPIN     unless beside the peer             never                  then
///     BLOCK    never                              never                  at once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "fmq/wait_forecast.h"
#include "nnburst/wait_policy.h"

namespace nnburst::fmq {

/// ADAPTIVE: from here on a wait is long. Shorter ones are spun through, because a sleeper that
/// runs again a little late would lose more than it saved.
inline constexpr std::chrono::nanoseconds kLongWait{800'000};

/// ADAPTIVE: of the time that waits last, at most this part is spent on spinning at the end of long
/// ones: 1 / kSpinShare.
inline constexpr std::int64_t kSpinShare = 40;

/// What a policy means on this machine.
struct WaitRules {
    std::chrono::nanoseconds spinWindow{};  ///< the longest time to spin; zero: sleep at once
    /// Sleeps with an alarm, and leaves the processors to others that need them.
    bool isAdaptive = false;
};

/// Not the processors that this process may use: a side that was given one processor of its own
/// spins well while the other has another one.
[[nodiscard]] bool hasOneProcessor() noexcept;

/// Nothing spins where there is one processor, on which the peer could not run meanwhile.
[[nodiscard]] WaitRules rulesOf(const WaitPolicy& policy,
                                bool isOneProcessor = hasOneProcessor()) noexcept;

/// What is known of the processors at a moment.
struct ProcessorUse {
    /// The thread that is waited for was last seen on this processor: it cannot run while this one
    /// spins.
    bool isPeerHere = false;
    /// Executions wait for processors (ADAPTIVE only).
    bool isContended = false;
    /// The other side needs all processors while it works (ADAPTIVE only).
    bool peerNeedsAll = false;
};

/// Takes functions, so that a waiter finds out no more than it must: see ProcessorUse.
template <class IsPeerHere, class IsContended>
[[nodiscard]] constexpr bool maySpin(const WaitRules& rules, IsPeerHere isPeerHere,
                                     IsContended isContended) noexcept {
    return rules.spinWindow.count() > 0 && !isPeerHere() && !(rules.isAdaptive && isContended());
}

/// The phases of a wait, in this order; a phase of zero is left out. What follows them is a sleep
/// until the thread is woken. Times count from the start of the wait.
struct WaitPlan {
    std::chrono::nanoseconds sleepUntil{};  ///< the alarm
    std::chrono::nanoseconds spinUntil{};
    std::chrono::nanoseconds spinAtMost{};  ///< counted from where spinning begins

    bool operator==(const WaitPlan&) const = default;
};

/// Time that may be spun at the end of long waits, so that all of them together keep to kSpinShare.
class SpinBudget {
  public:
    /// A wait has lasted `duration`.
    void earn(std::chrono::nanoseconds duration, std::chrono::nanoseconds most) noexcept {
        left_ = std::min(left_ + duration / kSpinShare, most);
    }
    void spend(std::chrono::nanoseconds burnt) noexcept { left_ -= burnt; }
    [[nodiscard]] std::chrono::nanoseconds left() const noexcept {
        return std::max(left_, std::chrono::nanoseconds(0));
    }

  private:
    std::chrono::nanoseconds left_{};  // below zero after a spin that took longer than it should
};

/// Plans a wait that may last `limit`. `forecast`, if there is one, is of waits of the same kind.
[[nodiscard]] WaitPlan planWait(const WaitRules& rules, const ProcessorUse& use,
                                const WaitForecast* forecast, const SpinBudget& budget,
                                std::chrono::nanoseconds limit) noexcept;

}  // namespace nnburst::fmq
