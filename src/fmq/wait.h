// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The one place where threads wait for another process. A wait goes through up to four phases:
///
///     poll without a clock  | under a microsecond: the answer of a small model is there
///     sleep with an alarm   | as planned (wait_plan.h): ADAPTIVE, if the wait is known to be long
///     spin                  | as planned
///     sleep                 | until woken
///
/// A sleeper announces itself (event_flag.h), so that the other side makes a system call only for a
/// thread that sleeps. See docs/waiting.md.

#include <algorithm>
#include <chrono>
#include <optional>

#include "fmq/event_flag.h"
#include "fmq/shared_wait_stats.h"
#include "fmq/spin_allowance.h"
#include "fmq/wait_forecast.h"
#include "fmq/wait_plan.h"
#include "nnburst/wait_policy.h"
#include "system/relax_processor.h"
#include "system/time.h"

namespace nnburst::fmq {

/// How long a wait may last. With neither limit it lasts until what it waits for happens.
struct WaitLimit {
    OptionalTimePoint deadline;
    /// Counted from when the clock is first read, so that a short wait never reads it.
    std::optional<std::chrono::nanoseconds> atMost;
    /// The deadline does not end the wait sooner than this after the clock is first read.
    std::chrono::nanoseconds atLeast{0};
};

/// A check that is repeated during a long wait, in each of its phases, for instance whether the
/// other side is alive. It does not divide the wait: statistics see one wait.
template <class IsWorthWaiting>
struct WaitCheck {
    std::chrono::nanoseconds interval;
    IsWorthWaiting isWorthWaiting;  ///< the wait ends where it gives false
};
template <class IsWorthWaiting>
WaitCheck(std::chrono::nanoseconds, IsWorthWaiting) -> WaitCheck<IsWorthWaiting>;

/// A WaitCheck during one wait, which interrupts the phases of the wait where it is due.
template <class IsWorthWaiting>
class DueCheck {
  public:
    DueCheck(WaitCheck<IsWorthWaiting>& check, TimePoint start) noexcept
        : check_(check), last_(start) {}

    /// Runs a phase that lasts until `end`, in parts: `part` is called with the end of each, gives
    /// whether what is waited for is there, and leaves the time in `now`. A part that ends early
    /// ends the phase. The check is called between the parts; once it has given false, no part is
    /// run any more.
    template <class Part>
    bool runPhase(TimePoint end, TimePoint& now, Part part) {
        while (isWorthWaiting_) {
            const TimePoint next = check_.interval < end - last_ ? last_ + check_.interval : end;
            const bool isReady = part(next);
            if (isReady || next == end || now < next) {
                return isReady;
            }
            isWorthWaiting_ = check_.isWorthWaiting();
            now = std::chrono::steady_clock::now();
            last_ = now;
        }
        return false;
    }

  private:
    WaitCheck<IsWorthWaiting>& check_;
    TimePoint last_;
    bool isWorthWaiting_ = true;
};

/// Waits for another process, repeatedly. Belongs to one thread at a time. Allocates nothing.
class Waiter {
  public:
    /// Sleeps on `flag`, as the only thread. `peer`, if there is one, is the flag on which the
    /// peer's thread waits: while that thread was last seen on this one's processor, this one does
    /// not spin, because the peer could not run. The costs of waiting are counted in `stats`, which
    /// outlives the waiter.
    Waiter(EventFlag flag, std::optional<EventFlag> peer, const WaitPolicy& policy,
           SharedWaitStats& stats) noexcept
        : flag_(flag), peer_(peer), rules_(rulesOf(policy)), stats_(stats) {}

    /// A waiter on a flag on which other threads may sleep, too.
    [[nodiscard]] static Waiter sharing(EventFlag flag, const WaitPolicy& policy,
                                        SharedWaitStats& stats) noexcept {
        Waiter waiter(flag, std::nullopt, policy, stats);
        waiter.isAlone_ = false;
        // Not all that sleep there may be able to make heavy fences.
        waiter.flag_.setWakerMakesFences(true);
        return waiter;
    }

    /// Waits until `ready()` is true, or the limit is reached. Returns whether it is true. The
    /// thread that makes it true does so with a release store, which `ready` acquires, and then
    /// calls wakeAnnounced on the flag. Once `ready` has returned true, it is not called again.
    /// `forecast`, if there is one, is of waits of this kind, and learns from this one.
    template <class Ready>
    [[nodiscard]] bool wait(const WaitLimit& limit, WaitForecast* forecast, Ready ready) noexcept {
        if (pollWithoutClock(ready)) {
            return true;
        }
        WaitCheck noCheck{std::chrono::nanoseconds::max(), []() noexcept { return true; }};
        return waitLong(limit, forecast, ready, noCheck);
    }

    /// As above. Calls `check` each time that its interval has passed.
    template <class Ready, class IsWorthWaiting>
    [[nodiscard]] bool wait(const WaitLimit& limit, WaitForecast* forecast, Ready ready,
                            WaitCheck<IsWorthWaiting> check) {
        return pollWithoutClock(ready) || waitLong(limit, forecast, ready, check);
    }

    /// Parks: this side goes on waiting without a thread until the other side rings the doorbell. A
    /// wait that has reached its limit before is continued. False, and not parked, if `ready` is
    /// true. `ringsToCome`, if it is not null, counts the rings that the other side has been asked
    /// for; the caller takes off those that it receives.
    template <class Ready>
    [[nodiscard]] bool park(Ready ready, std::uint32_t* ringsToCome = nullptr) noexcept;

    /// Ends a parked wait after the doorbell was rung. Adds the duration of the whole wait to
    /// `forecast`.
    void unpark(WaitForecast& forecast) noexcept;

    /// To be called before this side publishes what the peer waits for. If that wakes the peer, it
    /// may run in the place of this thread at once, and then has to know not to spin there.
    void beforeWakingPeer() noexcept {
        if (peer_ && peer_->hasAnnounced()) {
            flag_.publishWaiterCpu();
        }
    }

    /// If true, the other side needs all processors while it works: ADAPTIVE then also sleeps
    /// through shorter waits.
    void setPeerNeedsAllProcessors(bool needsAll) noexcept { peerNeedsAll_ = needsAll; }

    /// If true, the other side works during the whole wait: ADAPTIVE stops spinning where that
    /// takes much longer than usual.
    void setPeerWorks(bool works) noexcept { peerWorks_ = works; }

    /// From now on waits spin only while `allowance`, which outlives them, permits it. Without one
    /// they always may.
    void setSpinAllowance(SpinAllowance& allowance) noexcept { allowance_ = &allowance; }

    /// If true, executions wait for processors: this side and the peer then sleep at once instead
    /// of spinning, each only if its policy is ADAPTIVE.
    void setContended(bool isContended) noexcept { flag_.setContended(isContended); }

  private:
    static constexpr int kSpinsWithoutClock = 32;  // under a microsecond
    static constexpr int kSpinsPerClockRead = 16;

    template <class Ready>
    bool pollWithoutClock(Ready& ready) noexcept;
    template <class Ready, class IsWorthWaiting>
    bool waitLong(const WaitLimit& limit, WaitForecast* forecast, Ready& ready,
                  WaitCheck<IsWorthWaiting>& check);
    // The phases. Each gives whether `ready` is true, and leaves the time of its end in `now`.
    template <class Ready, class Check>
    bool sleepWithAlarm(TimePoint alarm, WaitForecast& forecast, Ready& ready, Check& check,
                        TimePoint& now);
    template <class Ready, class Check>
    bool spin(const WaitPlan& plan, TimePoint start, TimePoint end, Ready& ready, Check& check,
              TimePoint& now);
    template <class Ready, class Check>
    bool sleepUntilWoken(TimePoint end, Ready& ready, Check& check, TimePoint& now);

    template <class Ready>
    bool spinUntil(TimePoint until, Ready& ready) noexcept;
    template <class Ready>
    bool sleep(TimePoint until, Ready& ready, TimePoint& now) noexcept;

    void learn(WaitForecast& forecast, std::chrono::nanoseconds duration) noexcept {
        forecast.addDuration(duration);
        budget_.earn(duration, rules_.spinWindow);
    }

    [[nodiscard]] bool isPeerHere() const noexcept { return peer_ && peer_->isOnThisProcessor(); }
    [[nodiscard]] bool isContended() const noexcept {
        return flag_.isContended() || (peer_ && peer_->isContended());
    }
    [[nodiscard]] bool maySpinNow() const noexcept {
        return maySpin(
            rules_, [this] { return isPeerHere(); }, [this] { return isContended(); });
    }

    EventFlag flag_;
    std::optional<EventFlag> peer_;
    WaitRules rules_;
    SharedWaitStats& stats_;
    SpinAllowance* allowance_ = nullptr;
    bool isAlone_ = true;
    bool peerNeedsAll_ = false;
    bool peerWorks_ = false;
    SpinBudget budget_;
    TimePoint waitStart_;            ///< of the last wait that read a clock
    OptionalTimePoint parkedSince_;  ///< the start of the wait that is parked
};

template <class Ready>
bool Waiter::pollWithoutClock(Ready& ready) noexcept {
    flag_.publishWaiterCpu();
    if (ready()) {
        return true;
    }
    if (maySpinNow()) {
        if (isAlone_) {
            // An earlier wait, which slept at once, may have delegated the fences.
            flag_.setWakerMakesFences(false);
        }
        for (int spin = 0; spin < kSpinsWithoutClock; ++spin) {
            system::relaxProcessor();
            if (ready()) {
                return true;
            }
        }
    }
    return false;
}

template <class Ready, class IsWorthWaiting>
bool Waiter::waitLong(const WaitLimit& limit, WaitForecast* forecast, Ready& ready,
                      WaitCheck<IsWorthWaiting>& check) {
    const TimePoint start = std::chrono::steady_clock::now();
    TimePoint end = limit.deadline.value_or(TimePoint::max());
    end = std::max(end, system::saturatingAdd(start, limit.atLeast));
    if (limit.atMost && *limit.atMost < TimePoint::max() - start) {
        end = std::min(end, start + *limit.atMost);
    }
    waitStart_ = start;
    stats_.add<&WaitStats::waits>(1);

    const ProcessorUse use{.isPeerHere = isPeerHere(),
                           .isContended = isContended(),
                           .peerNeedsAll = peerNeedsAll_,
                           .peerWorks = peerWorks_};
    const WaitPlan plan = planWait(rules_, use, forecast, budget_, end - start);
    DueCheck due(check, start);
    TimePoint now = start;
    bool isReady = plan.sleepUntil.count() > 0 &&
                   sleepWithAlarm(start + plan.sleepUntil, *forecast, ready, due, now);
    isReady = isReady || spin(plan, start, end, ready, due, now);
    isReady = isReady || sleepUntilWoken(end, ready, due, now);
    if (forecast != nullptr && isReady) {
        learn(*forecast, now - start);
    }
    return isReady;
}

template <class Ready, class Check>
bool Waiter::sleepWithAlarm(TimePoint alarm, WaitForecast& forecast, Ready& ready, Check& check,
                            TimePoint& now) {
    const bool isReady =
        check.runPhase(alarm, now, [&](TimePoint until) { return sleep(until, ready, now); });
    if (isReady) {
        stats_.add<&WaitStats::lateWakes>(1);
    } else if (now >= alarm) {
        stats_.add<&WaitStats::earlyWakes>(1);
    }
    if (now >= alarm) {
        forecast.addWakeLatency(now - alarm);
    }
    return isReady;
}

template <class Ready, class Check>
bool Waiter::spin(const WaitPlan& plan, TimePoint start, TimePoint end, Ready& ready, Check& check,
                  TimePoint& now) {
    if (plan.spinAtMost.count() <= 0 || !maySpinNow() ||
        (allowance_ != nullptr && !allowance_->tryBeginSpin())) {
        return false;
    }
    const TimePoint spinEnd = std::min({system::saturatingAdd(start, plan.spinUntil),
                                        system::saturatingAdd(now, plan.spinAtMost), end});
    const bool isReady = check.runPhase(spinEnd, now, [&](TimePoint until) {
        const TimePoint spinStart = now;
        const bool isThere = spinUntil(until, ready);
        now = std::chrono::steady_clock::now();
        stats_.add<&WaitStats::burnt>(static_cast<std::uint64_t>((now - spinStart).count()));
        if (plan.sleepUntil.count() > 0) {
            budget_.spend(now - spinStart);
        }
        return isThere;
    });
    if (allowance_ != nullptr) {
        allowance_->endSpin();
    }
    return isReady;
}

template <class Ready>
bool Waiter::spinUntil(TimePoint until, Ready& ready) noexcept {
    while (std::chrono::steady_clock::now() < until) {
        if (peer_) {
            flag_.publishWaiterCpu();
            if (peer_->isOnThisProcessor()) {
                return false;
            }
        }
        for (int spin = 0; spin < kSpinsPerClockRead; ++spin) {
            if (ready()) {
                return true;
            }
            system::relaxProcessor();
        }
    }
    return ready();
}

template <class Ready, class Check>
bool Waiter::sleepUntilWoken(TimePoint end, Ready& ready, Check& check, TimePoint& now) {
    return check.runPhase(end, now, [&](TimePoint until) { return sleep(until, ready, now); });
}

/// Sleeps until `ready` or `until`; leaves the time in `now`. Once `ready` was true it is not asked
/// again.
template <class Ready>
bool Waiter::sleep(TimePoint until, Ready& ready, TimePoint& now) noexcept {
    bool isReady = false;
    if (isAlone_) {
        flag_.setWakerMakesFences(!maySpinNow());
        flag_.publishWaiterCpu();
    }
    while (!isReady && (until == TimePoint::max() || std::chrono::steady_clock::now() < until)) {
        const EventFlag::Announcement announcement = flag_.announceSleeper();
        isReady = ready();
        if (!isReady) {
            stats_.add<&WaitStats::sleeps>(1);
            (void)flag_.sleep(announcement, until);
            flag_.publishWaiterCpu();
            isReady = ready();
        }
    }
    if (isAlone_) {
        flag_.retractSleeper();
    }
    isReady = isReady || ready();
    now = std::chrono::steady_clock::now();
    return isReady;
}

template <class Ready>
bool Waiter::park(Ready ready, std::uint32_t* ringsToCome) noexcept {
    // An event loop parks in each wait, and a heavy fence each time would interrupt the other
    // processors.
    flag_.setWakerMakesFences(true);
    flag_.publishWaiterCpu();
    const bool isRingAsked = flag_.announceParked();
    const bool isReady = ready();
    const bool isRingCancelled = isReady && flag_.retractParked();
    if (ringsToCome != nullptr) {
        *ringsToCome += isRingAsked ? 1 : 0;
        // A ring that was not asked for may have been taken off before.
        *ringsToCome -= isRingCancelled && *ringsToCome != 0 ? 1 : 0;
    }
    if (isReady) {
        return false;
    }
    if (waitStart_ != TimePoint{}) {  // it has waited itself
        parkedSince_ = waitStart_;
    }
    return true;
}

inline void Waiter::unpark(WaitForecast& forecast) noexcept {
    flag_.retractParked();
    if (parkedSince_) {
        learn(forecast, std::chrono::steady_clock::now() - *parkedSince_);
        parkedSince_.reset();
    }
}

/// A single wait without forecast and statistics: spins for the window of `policy`, then sleeps.
/// Any number of threads may sleep on `flag`.
template <class Ready>
[[nodiscard]] bool waitUntil(EventFlag flag, const WaitPolicy& policy, const WaitLimit& limit,
                             Ready ready) noexcept {
    SharedWaitStats unread{};
    return Waiter::sharing(flag, policy, unread).wait(limit, nullptr, ready);
}

}  // namespace nnburst::fmq
