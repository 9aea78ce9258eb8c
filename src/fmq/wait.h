// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The one place where threads wait for another process. A wait goes through up to four phases:
///
///     look without a clock  | under a microsecond: the answer of a small model is there
///     sleep with an alarm   | ADAPTIVE, if the wait is known to be long: until shortly before its
///     end spin                  | for the policy's window, or to the longest of the usual ends
///     sleep until woken
///
/// A sleeper announces itself (event_flag.h), so that the other side makes a system call only for a
/// thread that sleeps.

#include <algorithm>
#include <chrono>
#include <optional>

#include "fmq/event_flag.h"
#include "fmq/shared_wait_stats.h"
#include "fmq/wait_forecast.h"
#include "nnburst/wait_policy.h"
#include "system/relax_processor.h"
#include "system/time.h"

namespace nnburst::fmq {

/// `policy` as it makes sense on this machine: no spinning on a single processor.
[[nodiscard]] WaitPolicy effectivePolicy(const WaitPolicy& policy) noexcept;

/// How long a wait may last. With neither limit it lasts until what it waits for happens.
struct WaitLimit {
    std::optional<SteadyTime> deadline;
    /// Counted from the first look at the clock, so that a short wait never looks at it.
    std::optional<std::chrono::nanoseconds> atMost;
};

/// Waits for what another process does, again and again. Of one thread. Allocates nothing.
class Waiter {
  public:
    /// From here on a wait is long: shorter ones are spun through, because a sleeper that runs
    /// again a little late would lose more than it saved.
    static constexpr std::chrono::nanoseconds kLongWait{800'000};
    /// Of the time that long waits last, at most this part is spent on spinning: 1 / kSpinShare.
    static constexpr std::int64_t kSpinShare = 40;

    /// Sleeps on `flag`, as the only thread. `peer` is the flag on which the thread sleeps that
    /// makes happen what is waited for, if it has one: while that thread was last seen on this
    /// one's processor, this one does not spin, because the other could not run. What waiting costs
    /// goes to `record`, which outlives the waiter.
    Waiter(EventFlag flag, std::optional<EventFlag> peer, const WaitPolicy& policy,
           SharedWaitStats& record) noexcept
        : flag_(flag), peer_(peer), policy_(effectivePolicy(policy)), record_(record) {}

    /// Sleeps on a flag on which others may sleep.
    [[nodiscard]] static Waiter sharing(EventFlag flag, const WaitPolicy& policy,
                                        SharedWaitStats& record) noexcept {
        Waiter waiter(flag, std::nullopt, policy, record);
        waiter.isAlone_ = false;
        return waiter;
    }

    /// Waits until `ready()` is true, or the limit is reached. Gives whether it is true. Whoever
    /// makes it true does so with a release store, which `ready` acquires, and then calls
    /// wakeAnnounced on the flag; once `ready` has given true, it is not called again. `forecast`,
    /// if there is one, is of waits of this kind, and learns from this one.
    template <class Ready>
    [[nodiscard]] bool wait(const WaitLimit& limit, WaitForecast* forecast, Ready ready) noexcept;

    /// The other side needs all processors while it works: sleep also through shorter waits.
    void leaveProcessors(bool leave) noexcept { leavesProcessors_ = leave; }

    /// Others have work for the processors, more than there are: this side sleeps at once instead
    /// of spinning, and so does the peer. Both only if their policy is ADAPTIVE.
    void setContended(bool isContended) noexcept { flag_.setContended(isContended); }

  private:
    static constexpr int kTurnsWithoutClock = 32;  // under a microsecond
    static constexpr int kTurnsPerClockRead = 16;

    template <class Ready>
    bool waitLong(const WaitLimit& limit, WaitForecast* forecast, Ready& ready) noexcept;
    template <class Ready>
    bool spin(SteadyTime until, Ready& ready) noexcept;
    template <class Ready>
    bool sleep(std::optional<SteadyTime> until, Ready& ready) noexcept;

    [[nodiscard]] bool mustNotSpin() const noexcept {
        return policy_.spinWindow.count() <= 0 || policy_.mode == WaitMode::BLOCK ||
               (peer_ && peer_->isOnThisProcessor()) || isContended();
    }

    [[nodiscard]] bool isContended() const noexcept {
        return policy_.mode == WaitMode::ADAPTIVE &&
               (flag_.isContended() || (peer_ && peer_->isContended()));
    }

    /// Nobody need make a system call for this thread any more.
    void retract() noexcept {
        if (isAlone_) {
            flag_.retractSleeper();
        }
    }

    EventFlag flag_;
    std::optional<EventFlag> peer_;
    WaitPolicy policy_;
    SharedWaitStats& record_;
    bool isAlone_ = true;
    bool leavesProcessors_ = false;
    std::chrono::nanoseconds credit_{};  ///< spinning in long waits that was earned and not used
};

template <class Ready>
bool Waiter::wait(const WaitLimit& limit, WaitForecast* forecast, Ready ready) noexcept {
    flag_.publishWaiterCpu();
    if (ready()) {
        return true;
    }
    if (!mustNotSpin()) {
        for (int turn = 0; turn < kTurnsWithoutClock; ++turn) {
            system::relaxProcessor();
            if (ready()) {
                return true;
            }
        }
    }
    return waitLong(limit, forecast, ready);
}

template <class Ready>
bool Waiter::waitLong(const WaitLimit& limit, WaitForecast* forecast, Ready& ready) noexcept {
    const SteadyTime start = std::chrono::steady_clock::now();
    std::optional<SteadyTime> end = limit.deadline;
    if (limit.atMost) {
        end =
            std::min(end.value_or(SteadyTime::max()), system::saturatingAdd(start, *limit.atMost));
    }
    const SteadyTime last = end.value_or(SteadyTime::max());
    SharedWaitStats::add(record_.waits, 1);

    WaitForecast::Plan plan;
    if (forecast != nullptr && policy_.mode == WaitMode::ADAPTIVE && !mustNotSpin()) {
        plan = forecast->plan(leavesProcessors_ ? std::chrono::nanoseconds(0) : kLongWait);
    }
    bool isReady = false;
    SteadyTime now = start;
    if (plan.sleepUntil.count() > 0) {
        const SteadyTime alarm = std::min(system::saturatingAdd(start, plan.sleepUntil), last);
        isReady = sleep(alarm, ready);
        now = std::chrono::steady_clock::now();
        SharedWaitStats::add(isReady ? record_.lateWakes : record_.earlyWakes, 1);
        if (now >= alarm) {
            forecast->addOversleep(now - alarm);
        }
    }
    if (!isReady && !mustNotSpin() && !(leavesProcessors_ && plan.sleepUntil.count() == 0)) {
        const SteadyTime spinStart = now;
        SteadyTime spinUntil = system::saturatingAdd(spinStart, policy_.spinWindow);
        if (plan.sleepUntil.count() > 0) {
            spinUntil =
                std::min({spinUntil, start + plan.spinUntil, spinStart + std::max(credit_, {})});
        }
        isReady = spin(std::min(spinUntil, last), ready);
        now = std::chrono::steady_clock::now();
        const std::chrono::nanoseconds burnt = now - spinStart;
        SharedWaitStats::add(record_.burntNs, static_cast<std::uint64_t>(burnt.count()));
        credit_ -= plan.sleepUntil.count() > 0 ? burnt : std::chrono::nanoseconds(0);
    }
    if (!isReady) {
        isReady = sleep(end, ready);
        now = std::chrono::steady_clock::now();
    }
    if (forecast != nullptr && isReady) {
        const std::chrono::nanoseconds duration = now - start;
        forecast->addDuration(duration);
        credit_ =
            std::min<std::chrono::nanoseconds>(credit_ + duration / kSpinShare, policy_.spinWindow);
    }
    return isReady;
}

template <class Ready>
bool Waiter::spin(SteadyTime until, Ready& ready) noexcept {
    while (std::chrono::steady_clock::now() < until) {
        if (peer_) {
            flag_.publishWaiterCpu();
            if (peer_->isOnThisProcessor()) {
                return false;
            }
        }
        for (int turn = 0; turn < kTurnsPerClockRead; ++turn) {
            if (ready()) {
                return true;
            }
            system::relaxProcessor();
        }
    }
    return ready();
}

/// Sleeps until `ready` or `until`. Once `ready` was true it is not asked again.
template <class Ready>
bool Waiter::sleep(std::optional<SteadyTime> until, Ready& ready) noexcept {
    bool isReady = false;
    while (!isReady && (!until || std::chrono::steady_clock::now() < *until)) {
        const std::uint32_t announced = flag_.announceSleeper();
        isReady = ready();
        if (!isReady) {
            SharedWaitStats::add(record_.sleeps, 1);
            flag_.sleep(announced, until);
            flag_.publishWaiterCpu();
            isReady = ready();
        }
    }
    retract();
    return isReady || ready();
}

/// One wait of which nothing is learnt: spins for the window of `policy`, then sleeps. Any number
/// of threads may sleep on `flag`.
template <class Ready>
[[nodiscard]] bool waitUntil(EventFlag flag, const WaitPolicy& policy, const WaitLimit& limit,
                             Ready ready) noexcept {
    SharedWaitStats unread{};
    return Waiter::sharing(flag, policy, unread).wait(limit, nullptr, ready);
}

}  // namespace nnburst::fmq
