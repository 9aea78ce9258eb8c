// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/threads/execution_gate.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "log/assert.h"
#include "system/relax_processor.h"
#include "system/thread.h"

namespace nnburst::exec {

namespace {

using Clock = std::chrono::steady_clock;

/// How long the next execution of its model spins before it sleeps.
constexpr std::chrono::microseconds kSpin{800};
/// The same for an execution of a light client (WaitingExecution::isLight). A running execution
/// yields within this time. A thread that slept meanwhile would wake up on a processor that another
/// one has taken.
constexpr std::chrono::microseconds kSpinOfLightClient{100};
/// After a spin that has failed, this many of the next executions sleep at once.
constexpr std::uint32_t kSleepsAfterFailedSpin = 16;
/// A running execution yields to another client only once its own client has used lanes for this
/// much longer. Passing a lane on takes some 20 microseconds, and the caches then hold other data.
/// Longer than an execution of a small network, so that clients with equal use run whole executions
/// in turn.
constexpr std::chrono::microseconds kQuantum{400};
/// An execution of a client that has saved this much is admitted at once as an extra one. Less than
/// kQuantum: from there on running executions yield, so that clients seldom save more.
constexpr std::chrono::microseconds kSavedForExtra{200};
/// Interval at which a running execution checks whether it must yield. Each check takes the gate's
/// lock and goes through all waiters, while an operation of a small network takes some
/// microseconds.
constexpr std::chrono::microseconds kYieldCheckInterval{50};
/// A running execution that has not checked for this long, though others wait, will probably not do
/// so soon: it waits for pages of memory, or computes where nothing interrupts it.
constexpr std::chrono::microseconds kYieldCheckOverdue{200};
/// Limit on how much less than the others a client or user that was idle may have used. More than
/// kQuantum, so that an execution of a light client need not wait for the end of a running one.
constexpr std::chrono::microseconds kCredit{1000};
/// For this long after an execution of a light client no execution is bound to a processor, so that
/// the threads of that client find a free one.
constexpr std::chrono::milliseconds kUnpinnedAfterLight{50};
/// What an execution of unknown duration counts, so that clients take turns.
constexpr std::chrono::nanoseconds kMinimumUse{1000};

}  // namespace

ExecutionGate::~ExecutionGate() {
    std::thread thread;
    {
        const system::MutexLock lock(mutex_);
        thread.swap(overdueThread_);
    }
    if (thread.joinable()) {
        isEnding_.store(true, std::memory_order_relaxed);  // the semaphore orders it
        overdueWakeUp_.release();
        system::joinOrOrphan(thread);
    }
}

void ExecutionGate::chargeAndAdmit(LaneShare* client, const std::optional<Admission>& admission,
                                   WakeList& admitted) {
    const system::MutexLock lock(mutex_);
    const TimePoint now = Clock::now();
    if (admission) {
        discountRunning(*client, admission->start, now);
        if (admission->processor) {
            laneProcessors_.giveBack(*admission->processor);
        }
        if (admission->isExtra) {
            client->user().hasExtra_ = false;
            extraClient_ = extraClient_ == client ? nullptr : extraClient_;
        }
    } else if (client != nullptr) {
        client->add(waiters_.empty()
                        ? kMinimumUse
                        : std::max<std::chrono::nanoseconds>(now - contendedSince_, kMinimumUse));
    }
    admitWaiters(now, admitted);
}

/// The client that has used less comes first; among the executions of one client, the most urgent.
bool ExecutionGate::precedes(const WaitingExecution& a, const WaitingExecution& b,
                             TimePoint now) const {
    if (a.client == b.client) {
        return a.work.precedes(b.work, now);
    }
    const std::chrono::nanoseconds more = a.client->usedMoreThan(*b.client, now);
    if (more.count() != 0) {
        return more.count() < 0;
    }
    // Any order that keeps those of one user together.
    return std::pair(&a.client->user(), a.client) < std::pair(&b.client->user(), b.client);
}

std::chrono::nanoseconds& ExecutionGate::admittedUsed(LaneShare& share) {
    return share.user_ ? share.user_->admittedUsed_ : admittedUsed_;
}

/// Called when an execution of `client` begins to wait: limits what the client and its user have
/// saved to kCredit. Returns whether one of them had saved more: the client is light.
bool ExecutionGate::limitCredit(LaneShare& client, TimePoint now) {
    bool isLight = false;
    for (LaneShare* share = &client; share != nullptr; share = share->user_.get()) {
        const std::chrono::nanoseconds saved = admittedUsed(*share) - share->usedUntil(now);
        if (saved > kCredit) {
            share->used_ += saved - kCredit;
            isLight = true;
        }
    }
    return isLight;
}

/// How much less the client of `waiter` has used than the one whose execution was admitted last, or
/// its user less than the other's user; or than each of those whose executions are known to run, if
/// that is more. While others may run that have not had the time to check, only the first counts.
std::chrono::nanoseconds ExecutionGate::saved(const WaitingExecution& waiter, TimePoint now) {
    LaneShare& client = *waiter.client;
    LaneShare& share = lastAdmittedUser_ == &client.user() ? client : client.user();
    const std::chrono::nanoseconds sinceLast = admittedUsed(share) - share.usedUntil(now);
    if (running_.empty() ||
        (mayOthersRunUncounted() && now - waiter.work.since < kYieldCheckOverdue)) {
        return sinceLast;
    }
    std::chrono::nanoseconds least = std::chrono::nanoseconds::max();
    for (const LaneShare* running : running_) {
        least = std::min(least, running->usedMoreThan(client, now));
    }
    return std::max(least, sinceLast);
}

/// Counts an execution of `client` that runs since `start`. `running_` must have room for it.
void ExecutionGate::countRunning(LaneShare& client, TimePoint start) {
    NNBURST_ASSERT(running_.size() < running_.capacity(), "no room for execution {} that runs",
                   running_.size() + 1);
    running_.push_back(&client);
    client.begin(start);
}

/// Ends the count of an execution that runs since `start`.
void ExecutionGate::discountRunning(LaneShare& client, TimePoint start, TimePoint now) {
    const auto found = std::ranges::find(running_, &client);
    NNBURST_ASSERT(found != running_.end(), "an execution ends that has not begun");
    running_.erase(found);
    client.end(start, std::max<std::chrono::nanoseconds>(now - start, kMinimumUse));
}

/// Gives free lanes to waiting executions, in order.
void ExecutionGate::admitWaiters(TimePoint now, WakeList& admitted) {
    std::sort(waiters_.begin(), waiters_.end(),
              [&](const WaitingExecution* a, const WaitingExecution* b)
                  NNBURST_REQUIRES(mutex_) { return precedes(*a, *b, now); });
    for (std::size_t next = 0; next < waiters_.size();) {
        WaitingExecution& waiter = *waiters_[next];
        // The lanes first: see leave. A waiter that needs more lanes than are free blocks the
        // others.
        const std::int32_t lanes = lanesOf(waiter.width);
        if (!tryTake(lanes)) {
            return;
        }
        if (tryAdmit(waiter, now, admitted)) {
            continue;
        }
        // It lends its place in the order to an execution without which it cannot run.
        WaitingExecution* const holder = waitingHolderOf(waiter.runners);
        if (holder == nullptr || lanesOf(holder->width) != lanes ||
            !tryAdmit(*holder, now, admitted)) {
            freeLanes_.fetch_add(lanes, std::memory_order_seq_cst);
            ++next;  // which may take them
        }
    }
}

/// The waiter that holds a runner of `runners`; null if there is none.
ExecutionGate::WaitingExecution* ExecutionGate::waitingHolderOf(const RunnerSet& runners) {
    const auto found = std::ranges::find_if(waiters_, [&](const WaitingExecution* waiter) {
        return waiter->holdsRunner && &waiter->runners == &runners;
    });
    return found == waiters_.end() ? nullptr : *found;
}

/// Admits `waiter`, for which lanes were taken; false if no runner is free.
bool ExecutionGate::tryAdmit(WaitingExecution& waiter, TimePoint now, WakeList& admitted) {
    waiter.admission.runner =
        waiter.holdsRunner ? waiter.runner : waiter.runners.tryHold(waiter.runner);
    if (waiter.admission.runner == kNoRunner) {
        return false;
    }
    std::erase(waiters_, &waiter);
    waiter.admission.start = now;
    lastAdmission_ = now;
    lastAdmittedUser_ = &waiter.client->user();
    countRunning(*waiter.client, now);
    for (LaneShare* share = waiter.client; share != nullptr; share = share->user_.get()) {
        admittedUsed(*share) = std::max(admittedUsed(*share), share->usedUntil(now));
    }
    waitingCount_.fetch_sub(1, std::memory_order_seq_cst);
    if (!waiter.isSpinning) {
        if (waiter.width == Width::ONE_LANE && !waiter.admission.isExtra && laneCount_ > 1 &&
            now - lightSince_ > kUnpinnedAfterLight) {
            waiter.admission.processor = laneProcessors_.take(waiter.thread.all());
        }
        admitted.add(waiter);
    }
    // sync [gate-admitted]: a spinning waiter returns without the lock, which destroys `waiter`
    waiter.isAdmitted.store(true, std::memory_order_release);
    return true;
}

/// How long `waiter` spins before it sleeps.
std::chrono::nanoseconds ExecutionGate::spinTime(const WaitingExecution& waiter) {
    if (waiter.isLight && laneCount_ > 1) {
        return kSpinOfLightClient;
    }
    // It is the only one that waits for its model, and a lane is free to spin on.
    if (waiter.holdsRunner || freeLanes_.load(std::memory_order_relaxed) <= 0 ||
        std::any_of(waiters_.begin(), waiters_.end(), [&](const WaitingExecution* other) {
            return other != &waiter && !other->holdsRunner && &other->runners == &waiter.runners;
        })) {
        return {};
    }
    if (waiter.runners.sleepsBeforeNextSpin_ > 0) {
        --waiter.runners.sleepsBeforeNextSpin_;
        return {};
    }
    return kSpin;
}

bool ExecutionGate::spin(const WaitingExecution& waiter, std::chrono::nanoseconds limit) {
    constexpr int kSpinsPerClockRead = 64;
    const TimePoint end =
        std::min(Clock::now() + limit, waiter.work.urgency.deadline.value_or(TimePoint::max()));
    do {
        for (int spin = 0; spin < kSpinsPerClockRead; ++spin) {
            // sync [gate-admitted]
            if (waiter.isAdmitted.load(std::memory_order_acquire)) {
                return true;
            }
            system::relaxProcessor();
        }
    } while (Clock::now() < end);
    return false;
}

std::optional<ExecutionGate::Admission> ExecutionGate::wait(WaitingExecution& waiter) {
    const TimePoint now = waiter.work.since;
    WakeList admitted;
    std::chrono::nanoseconds spinLimit{};
    bool wakesOverdueThread = false;
    {
        const system::MutexLock lock(mutex_);
        // First what may throw: a thread that was chosen to be woken must be woken.
        running_.reserve(running_.size() + waiters_.size() + 1);
        waiters_.reserve(waiters_.size() + 1);
        wakesOverdueThread = mayBecomeOverdue(waiter) && wakeOverdueThread();
        waiter.work.arrival = arrivals_++;
        const bool hasSaved = !waiter.holdsRunner && saved(waiter, now) >= kSavedForExtra;
        waiter.isLight = limitCredit(*waiter.client, now);
        if (waiter.isLight) {
            lightSince_ = now;
        }
        if (waiters_.empty()) {
            contendedSince_ = now;
        }
        waiters_.push_back(&waiter);
        waitingCount_.fetch_add(1, std::memory_order_seq_cst);
        delayedCount_.fetch_add(1, std::memory_order_relaxed);  // only counts
        admitWaiters(now, admitted);
        if (hasSaved && isNextExtra(waiter, now)) {
            admitExtra(waiter, now, admitted);
        }
        if (!waiter.isAdmitted.load(std::memory_order_relaxed)) {
            spinLimit = spinTime(waiter);
            waiter.isSpinning = spinLimit.count() != 0;
            waiter.retriesAsExtra =
                !waiter.holdsRunner && mayOthersRunUncounted() && mayBeExtra(waiter);
        }
    }
    admitted.wakeAll();
    if (wakesOverdueThread) {
        overdueWakeUp_.release();
    }
    if (spinLimit.count() != 0) {
        if (spin(waiter, spinLimit)) {
            return waiter.admission;
        }
        const system::MutexLock lock(mutex_);
        if (waiter.isAdmitted.load(std::memory_order_relaxed)) {
            return waiter.admission;
        }
        waiter.isSpinning = false;
        if (!waiter.isLight) {
            waiter.runners.sleepsBeforeNextSpin_ = kSleepsAfterFailedSpin;
        }
    }
    return sleep(waiter) ? std::optional(waiter.admission) : std::nullopt;
}

/// Until `waiter`, which does not spin, is admitted; false if its deadline comes first.
bool ExecutionGate::sleep(WaitingExecution& waiter) {
    const TimePoint deadline = waiter.work.urgency.deadline.value_or(TimePoint::max());
    if (waiter.retriesAsExtra &&
        !waiter.wakeUp.acquireUntil(std::min(deadline, waiter.work.since + kYieldCheckOverdue))) {
        waiter.retriesAsExtra = false;
        retryAsExtra(waiter);
    }
    if (!waiter.retriesAsExtra && !waiter.wakeUp.acquireUntil(deadline)) {
        if (giveUp(waiter)) {
            return false;
        }
        waiter.wakeUp.acquire();  // the thread that has admitted it still uses it
    }
    // sync [gate-admitted]: the semaphore has that order, too
    NNBURST_ASSERT(waiter.isAdmitted.load(std::memory_order_acquire),
                   "an execution is woken that was not admitted");
    return true;
}

/// Admits `waiter`, which has waited for kYieldCheckOverdue, as an extra execution, if its client
/// has used less than all whose executions have checked the gate since.
void ExecutionGate::retryAsExtra(WaitingExecution& waiter) {
    WakeList admitted;
    const system::MutexLock lock(mutex_);
    const TimePoint now = Clock::now();
    if (isNextExtra(waiter, now) && saved(waiter, now) >= kSavedForExtra) {
        admitExtra(waiter, now, admitted);
    }
}

/// Apart from its runner, which another execution may take without the lock.
bool ExecutionGate::mayBeExtraIgnoringRunner(const WaitingExecution& waiter) const {
    return mayBecomeOverdue(waiter) && waiter.client->runningCount_ == 0 &&
           !waiter.client->user().hasExtra_;
}

bool ExecutionGate::mayBeExtra(const WaitingExecution& waiter) const {
    return mayBeExtraIgnoringRunner(waiter) && hasRunner(waiter);
}

/// The first, in order, of the waiters that may be extra and have waited for `least`; null if there
/// is none.
ExecutionGate::WaitingExecution* ExecutionGate::nextExtra(std::chrono::nanoseconds least,
                                                          TimePoint now) const {
    WaitingExecution* next = nullptr;
    for (WaitingExecution* waiter : waiters_) {
        if (now - waiter->work.since >= least && mayBeExtra(*waiter) &&
            (next == nullptr || precedes(*waiter, *next, now))) {
            next = waiter;
        }
    }
    return next;
}

/// `waiter` may be extra. Not admitted if its runner has been taken since.
void ExecutionGate::admitExtra(WaitingExecution& waiter, TimePoint now, WakeList& admitted) {
    NNBURST_ASSERT(mayBeExtraIgnoringRunner(waiter),
                   "an execution is admitted as extra that may not be");
    freeLanes_.fetch_sub(1, std::memory_order_seq_cst);  // before the runner: see leave
    waiter.admission.isExtra = true;                     // so it is bound to no processor
    LaneShare* const client = waiter.client;
    if (tryAdmit(waiter, now, admitted)) {
        client->user().hasExtra_ = true;
        extraClient_ = client;
    } else {
        waiter.admission.isExtra = false;
        freeLanes_.fetch_add(1, std::memory_order_seq_cst);
    }
}

bool ExecutionGate::needsLowPriority(const LaneShare& client) {
    const system::MutexLock lock(mutex_);
    return extraClient_ != nullptr && client.usedMoreThan(*extraClient_, Clock::now()).count() > 0;
}

/// Admits an overdue waiter, if no execution was admitted for `longestWait_`. Returns when to check
/// again; max if no execution has waited since the last check.
TimePoint ExecutionGate::admitOverdue() {
    WakeList admitted;
    const system::MutexLock lock(mutex_);
    const TimePoint now = Clock::now();
    const bool hasWaited = delayedCount() != delayedCountSeen_ || !waiters_.empty();
    delayedCountSeen_ = delayedCount();
    isOverdueThreadIdle_ = !hasWaited;
    if (isOverdueThreadIdle_) {
        return TimePoint::max();
    }
    if (now - lastAdmission_ >= *longestWait_) {
        if (WaitingExecution* const next = nextExtra(*longestWait_, now)) {
            admitExtra(*next, now, admitted);
        }
    }
    TimePoint next = now + *longestWait_;
    for (const WaitingExecution* waiter : waiters_) {
        const TimePoint longest = waiter->work.since + *longestWait_;
        next = longest > now ? std::min(next, longest) : next;
    }
    return std::max(next, lastAdmission_ + *longestWait_);
}

void ExecutionGate::runOverdueThread() noexcept {
    while (!isEnding_.load(std::memory_order_relaxed)) {
        (void)overdueWakeUp_.acquireUntil(admitOverdue());
    }
}

/// Called when an execution begins to wait that may become overdue. Starts the overdue thread, or
/// returns whether it has to be woken. If the thread cannot be started, the next waiter tries
/// again.
bool ExecutionGate::wakeOverdueThread() {
    if (!overdueThread_.joinable()) {
        if (auto thread = system::startThread("nnburst-gate", [this] { runOverdueThread(); })) {
            overdueThread_ = std::move(*thread);
        }
        return false;
    }
    return std::exchange(isOverdueThreadIdle_, false);
}

/// Ends the wait of `waiter`; false if it was admitted meanwhile.
bool ExecutionGate::giveUp(WaitingExecution& waiter) {
    WakeList admitted;
    {
        const system::MutexLock lock(mutex_);
        if (waiter.isAdmitted.load(std::memory_order_relaxed)) {
            return false;
        }
        std::erase(waiters_, &waiter);
        waitingCount_.fetch_sub(1, std::memory_order_seq_cst);
        admitWaiters(Clock::now(), admitted);  // those that this one has blocked
    }
    admitted.wakeAll();
    return true;
}

bool ExecutionGate::mustYield(const WaitingWork& running, const RunnerSet& runners,
                              LaneShare* client, std::optional<Admission>& admission,
                              TimePoint lastYieldCheck) {
    const system::MutexLock lock(mutex_);
    const TimePoint now = Clock::now();
    if (!admission) {
        running_.reserve(running_.size() + waiters_.size() + 1);
        admission = Admission{.start = waiters_.empty() ? now : contendedSince_};
        countRunning(*client, admission->start);
    }
    const auto precedesRunning = [&](const WaitingExecution* waiter) NNBURST_REQUIRES(mutex_) {
        if (waiter->client == client) {
            return waiter->work.level(now) > static_cast<std::int64_t>(running.urgency.priority);
        }
        return client->usedMoreThan(*waiter->client, now) >= kQuantum;
    };
    // The first of those that wait for a runner, of which the running execution holds one.
    const WaitingExecution* blocked = nullptr;
    for (const WaitingExecution* waiter : waiters_) {
        if (&waiter->runners == &runners && !hasRunner(*waiter) &&
            (blocked == nullptr || precedes(*waiter, *blocked, now))) {
            blocked = waiter;
        }
    }
    bool goesOnForBlocked = false;
    for (const WaitingExecution* waiter : waiters_) {
        if (hasRunner(*waiter) && precedesRunning(waiter)) {
            if (blocked == nullptr || precedes(*waiter, *blocked, now)) {
                return true;
            }
            goesOnForBlocked = true;
        }
    }
    if (goesOnForBlocked) {
        blocked->client->add(now -
                             std::max({lastYieldCheck, admission->start, blocked->work.since}));
    }
    return false;
}

Result<> ExecutionGate::Pass::waitAndEnter() {
    wait();
    if (!admission_) {
        return failure(ErrorStatus::MISSED_DEADLINE_TRANSIENT,
                       "the deadline passed while other executions were running");
    }
    runner_ = admission_->runner;
    holdsRunner_ = true;
    hasLanes_ = true;
    return {};
}

void ExecutionGate::Pass::wait() {
    thread_.emplace();
    WaitingExecution waiter{.thread = *thread_,
                            .runners = runners_,
                            .holdsRunner = holdsRunner_,
                            .runner = runner_,
                            .width = width_,
                            .client = client_,
                            .work = {.urgency = work_.urgency, .since = Clock::now()},
                            .wakeUp = {}};
    admission_ = gate_.wait(waiter);
}

/// Called at the end of the pass.
void ExecutionGate::Pass::admitNext() {
    WakeList admitted;
    gate_.chargeAndAdmit(hasLanes_ ? client_ : nullptr, admission_, admitted);
}

void ExecutionGate::Pass::yield() {
    const TimePoint now = Clock::now();
    // While more executions run than there are lanes, an extra one has no lane to give.
    const bool hasNoLane = admission_ && admission_->isExtra && gate_.hasExtraRunning();
    if (!hasLanes_ || hasNoLane || now < lastYieldCheck_ + kYieldCheckInterval) {
        return;
    }
    const TimePoint lastYieldCheck = std::exchange(lastYieldCheck_, now);
    if (!lowPriority_ && gate_.hasExtraRunning() && gate_.needsLowPriority(*client_)) {
        lowPriority_.emplace();
    }
    if (!gate_.mustYield(work_, runners_, client_, admission_, lastYieldCheck)) {
        return;
    }
    if (!lowPriority_) {
        lowPriority_.emplace();
    }
    unpin();
    gate_.leave(nullptr, runner_, lanes_);
    WakeList admitted;
    gate_.chargeAndAdmit(client_, admission_, admitted);
    admitted.wakeAll();
    admission_.reset();
    hasLanes_ = false;  // without memory to wait, it goes on without lanes
    wait();
    hasLanes_ = admission_.has_value();
}

}  // namespace nnburst::exec
