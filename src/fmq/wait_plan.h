// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Plans a wait before it begins. A plan is a value, made from the policy, the state of the
/// processors, and the durations of earlier waits; fmq/wait.h carries it out. Only this file and
/// its .cpp define what a WaitMode means.
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

/// ADAPTIVE: a wait for work of the other side spins for at least this long, also if such waits are
/// shorter.
inline constexpr std::chrono::nanoseconds kShortestSpin{200'000};

/// ADAPTIVE: spinning at the end of long waits takes at most 1 / kSpinShare of the time that they
/// last.
inline constexpr std::int64_t kSpinShare = 40;

/// What a policy means on this machine.
struct WaitRules {
    std::chrono::nanoseconds spinWindow{};  ///< the longest time to spin; zero: sleep at once
    /// Sleeps with an alarm, and leaves the processors to others that need them.
    bool isAdaptive = false;
};

/// Whether the machine has one processor. The processors that this process may use do not matter: a
/// side that is bound to one processor may spin while the other side runs on another one.
[[nodiscard]] bool hasOneProcessor() noexcept;

/// The rules of `policy`. On a machine with one processor they allow no spinning, since the peer
/// could not run meanwhile.
[[nodiscard]] WaitRules rulesOf(const WaitPolicy& policy,
                                bool isOneProcessor = hasOneProcessor()) noexcept;

/// The state of the processors at the beginning of a wait.
struct ProcessorUse {
    /// The thread that is waited for was last seen on this processor: it cannot run while this one
    /// spins.
    bool isPeerHere = false;
    /// Executions wait for processors (ADAPTIVE only).
    bool isContended = false;
    /// The other side needs all processors while it works (ADAPTIVE only).
    bool peerNeedsAll = false;
    /// The other side works during the whole wait: if that takes much longer than usual, it has no
    /// processor, perhaps because this thread spins on it (ADAPTIVE only).
    bool peerWorks = false;
};

/// Whether a wait may spin now. Takes functions, which are called only if their result matters: see
/// ProcessorUse.
template <class IsPeerHere, class IsContended>
[[nodiscard]] constexpr bool maySpin(const WaitRules& rules, IsPeerHere isPeerHere,
                                     IsContended isContended) noexcept {
    return rules.spinWindow.count() > 0 && !isPeerHere() && !(rules.isAdaptive && isContended());
}

/// The phases of a wait, in this order; a phase of zero is left out. After them the thread sleeps
/// until it is woken. Times count from the start of the wait.
struct WaitPlan {
    std::chrono::nanoseconds sleepUntil{};  ///< the alarm
    std::chrono::nanoseconds spinUntil{};
    std::chrono::nanoseconds spinAtMost{};  ///< counted from the beginning of the spin

    bool operator==(const WaitPlan&) const = default;
};

/// The time for which long waits may still spin at their end, so that all of them together keep to
/// kSpinShare.
class SpinBudget {
  public:
    /// Adds the share of a wait that has lasted `duration`, up to a budget of `most`.
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
