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

/// An execution that is the next for its model spins for so long before it sleeps.
constexpr std::chrono::microseconds kSpin{800};
/// An execution of a client that has used less than its share spins for so long: one that runs will
/// make way between two operations, and who sleeps meanwhile is woken on a processor that another
/// one has got.
constexpr std::chrono::microseconds kLightSpin{100};
/// After a spin without success so many of the next executions sleep at once.
constexpr std::uint32_t kSleepsAfterVainSpin = 16;
/// A running execution keeps its lanes for at least this long before those of other clients get
/// them: passing them on takes some 20 microseconds, and the caches hold other data then. It is
/// longer than an execution of a small network, so that clients that use as much as each other run
/// one after the other.
constexpr std::chrono::microseconds kQuantum{400};
/// A running execution looks so often for those that come first: each look takes the gate's lock
/// and goes through all that wait, while an operation of a small network takes some microseconds.
constexpr std::chrono::microseconds kBetweenLooks{50};
/// So much less than the others a client or a user may have used that comes back. It is more than
/// kQuantum, so that an execution of a client that uses less than its share need not wait for the
/// end of one.
constexpr std::chrono::microseconds kCredit{1000};
/// For so long after an execution of a client that has used less than its share none is kept on a
/// processor: threads of that client are to find one where nothing has to stay.
constexpr std::chrono::milliseconds kAlone{50};
/// What an execution counts whose duration is not known, so that clients take turns.
constexpr std::chrono::nanoseconds kLeastUse{1000};

}  // namespace

bool ExecutionGate::RunnerSet::areAllHeld() const noexcept {
    const auto end = runners_.begin() + count();
    return std::all_of(runners_.begin(), end, [](const Runner& runner) {
        return runner.isHeld.load(std::memory_order_relaxed);  // only an estimate
    });
}

void ExecutionGate::RunnerSet::add() noexcept {
    const std::uint32_t count = count_.load(std::memory_order_relaxed);  // only this changes it
    NNBURST_ASSERT(count < kMaximumRunners, "a model with more than {} runners", count);
    // sync [runner-added]: a thread that sees the number may use the runner
    count_.store(count + 1, std::memory_order_release);
}

std::uint32_t ExecutionGate::RunnerSet::tryHoldAny() noexcept {
    for (std::uint32_t runner = 0; runner < count(); ++runner) {
        std::atomic<bool>& isHeld = runners_[runner].isHeld;
        // sync [gate-left]: looks first, because an exchange takes the cache line from its user
        if (!isHeld.load(std::memory_order_seq_cst) &&
            !isHeld.exchange(true, std::memory_order_seq_cst)) {
            return runner;
        }
    }
    return kNoRunner;
}

ExecutionGate::~ExecutionGate() {
    std::thread watch;
    {
        const system::MutexLock lock(mutex_);
        watch.swap(watch_);
    }
    if (watch.joinable()) {
        isEnding_.store(true, std::memory_order_relaxed);  // the semaphore orders it
        watchWakeUp_.release();
        system::joinOrOrphan(watch);
    }
}

void ExecutionGate::chargeAndAdmit(ClientShare* client, const std::optional<Admission>& admission,
                                   WakeList& admitted) {
    const system::MutexLock lock(mutex_);
    const TimePoint now = Clock::now();
    if (admission) {
        client->end(admission->start,
                    std::max<std::chrono::nanoseconds>(now - admission->start, kLeastUse));
        if (admission->processor) {
            laneProcessors_.giveBack(*admission->processor);
        }
        if (admission->isBeside) {
            client->user().runsBeside_ = false;
        }
    } else if (client != nullptr) {
        client->add(waiters_.empty()
                        ? kLeastUse
                        : std::max<std::chrono::nanoseconds>(now - contendedSince_, kLeastUse));
    }
    admitWaiters(now, admitted);
}

/// Who has used less comes first, among the executions of one client the most urgent.
bool ExecutionGate::precedes(const Waiter& a, const Waiter& b, TimePoint now) const {
    if (a.client == b.client) {
        return a.work.precedes(b.work, now);
    }
    const std::chrono::nanoseconds more = a.client->moreThan(*b.client, now);
    if (more.count() != 0) {
        return more.count() < 0;
    }
    // Any order that keeps those of one user together.
    return std::pair(&a.client->user(), a.client) < std::pair(&b.client->user(), b.client);
}

std::chrono::nanoseconds& ExecutionGate::admittedUsed(ClientShare& share) {
    return share.user_ ? share.user_->admittedUsed_ : admittedUsed_;
}

/// An execution of `client` begins to wait. Returns whether the client, or its user, uses less than
/// the others.
bool ExecutionGate::comeBack(ClientShare& client, TimePoint now) {
    bool isLight = false;
    for (ClientShare* share = &client; share != nullptr; share = share->user_.get()) {
        const std::chrono::nanoseconds saved = admittedUsed(*share) - share->usedUntil(now);
        if (saved > kCredit) {
            share->used_ += saved - kCredit;
            isLight = true;
        }
    }
    return isLight;
}

/// Gives free lanes to executions that wait for them, in order.
void ExecutionGate::admitWaiters(TimePoint now, WakeList& admitted) {
    std::sort(waiters_.begin(), waiters_.end(),
              [&](const Waiter* a, const Waiter* b)
                  NNBURST_REQUIRES(mutex_) { return precedes(*a, *b, now); });
    for (std::size_t next = 0; next < waiters_.size();) {
        Waiter& waiter = *waiters_[next];
        // The lanes first: see leave. A waiter that needs more lanes than are free blocks the
        // others.
        const std::int32_t lanes = lanesOf(waiter.width);
        if (!tryTake(lanes)) {
            return;
        }
        if (!tryAdmit(waiter, now, admitted)) {
            freeLanes_.fetch_add(lanes, std::memory_order_seq_cst);
            ++next;  // which may take them
        }
    }
}

/// Lets `waiter`, for which lanes were taken, run; false if it has no runner.
bool ExecutionGate::tryAdmit(Waiter& waiter, TimePoint now, WakeList& admitted) {
    waiter.admission.runner = waiter.runner;
    if (waiter.runners != nullptr) {
        waiter.admission.runner = waiter.runners->tryHold(waiter.runner);
        if (waiter.admission.runner == kNoRunner) {
            return false;
        }
    }
    std::erase(waiters_, &waiter);
    waiter.admission.start = now;
    admittedLast_ = now;
    waiter.client->begin(now);
    for (ClientShare* share = waiter.client; share != nullptr; share = share->user_.get()) {
        admittedUsed(*share) = std::max(admittedUsed(*share), share->usedUntil(now));
    }
    waitingCount_.fetch_sub(1, std::memory_order_seq_cst);
    if (!waiter.isSpinning) {
        if (waiter.width == Width::ONE_LANE && !waiter.admission.isBeside && laneCount_ > 1 &&
            now - lightSince_ > kAlone) {
            waiter.admission.processor = laneProcessors_.take(waiter.thread.all());
        }
        admitted.add(waiter);
    }
    // sync [gate-admitted]: a spinning waiter returns without the lock, which destroys `waiter`
    waiter.isAdmitted.store(true, std::memory_order_release);
    return true;
}

/// How long `waiter` spins before it sleeps.
std::chrono::nanoseconds ExecutionGate::spinTime(const Waiter& waiter) {
    if (waiter.isLight && laneCount_ > 1) {
        return kLightSpin;
    }
    // It is the only one that waits for its model, and a lane is free to spin on.
    if (waiter.runners == nullptr || freeLanes_.load(std::memory_order_relaxed) <= 0 ||
        std::any_of(waiters_.begin(), waiters_.end(), [&](const Waiter* other) {
            return other != &waiter && other->runners == waiter.runners;
        })) {
        return {};
    }
    if (waiter.runners->sleepsAhead_ > 0) {
        --waiter.runners->sleepsAhead_;
        return {};
    }
    return kSpin;
}

bool ExecutionGate::spin(const Waiter& waiter, std::chrono::nanoseconds limit) {
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

std::optional<ExecutionGate::Admission> ExecutionGate::wait(const system::ThreadProcessors& thread,
                                                            RunnerSet* runners,
                                                            std::uint32_t preferred, Width width,
                                                            ClientShare* client,
                                                            const Urgency& urgency) {
    const TimePoint now = Clock::now();
    Waiter waiter{.thread = thread,
                  .runners = runners,
                  .runner = preferred,
                  .width = width,
                  .client = client,
                  .work = {.urgency = urgency, .since = now},
                  .wakeUp = {}};
    WakeList admitted;
    std::chrono::nanoseconds spinLimit{};
    bool wakesWatch = false;
    {
        const system::MutexLock lock(mutex_);
        wakesWatch = isProtected(waiter) && awakenWatch();
        waiter.work.arrival = arrivals_++;
        waiter.isLight = comeBack(*client, now);
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
        if (!waiter.isAdmitted.load(std::memory_order_relaxed)) {
            spinLimit = spinTime(waiter);
            waiter.isSpinning = spinLimit.count() != 0;
        }
    }
    admitted.wakeAll();
    if (wakesWatch) {
        watchWakeUp_.release();
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
            runners->sleepsAhead_ = kSleepsAfterVainSpin;
        }
    }
    return sleep(waiter) ? std::optional(waiter.admission) : std::nullopt;
}

/// Until `waiter`, which does not spin, is admitted; false if its deadline comes first.
bool ExecutionGate::sleep(Waiter& waiter) {
    if (!waiter.wakeUp.acquireUntil(waiter.work.urgency.deadline.value_or(TimePoint::max()))) {
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

bool ExecutionGate::mayRunBeside(const Waiter& waiter) const {
    return isProtected(waiter) && waiter.client->runningCount_ == 0 &&
           !waiter.client->user().runsBeside_ &&
           (waiter.runners == nullptr || !waiter.runners->areAllHeld());
}

/// Lets the next one of those in that have waited for long and may be let in without a free lane,
/// if there is one.
void ExecutionGate::tryLetInBeside(TimePoint now, WakeList& admitted) {
    Waiter* next = nullptr;
    for (Waiter* waiter : waiters_) {
        if (now - waiter->work.since >= *longestWait_ && mayRunBeside(*waiter) &&
            (next == nullptr || precedes(*waiter, *next, now))) {
            next = waiter;
        }
    }
    if (next == nullptr) {
        return;
    }
    freeLanes_.fetch_sub(1, std::memory_order_seq_cst);  // before the runner: see leave
    next->admission.isBeside = true;                     // no processor is left to it
    ClientShare& user = next->client->user();
    if (tryAdmit(*next, now, admitted)) {
        user.runsBeside_ = true;
    } else {
        next->admission.isBeside = false;
        freeLanes_.fetch_add(1, std::memory_order_seq_cst);
    }
}

/// Looks whether one is to be let in beside others. Gives when to look again; max if no execution
/// has waited since the last look.
TimePoint ExecutionGate::letInBeside() {
    WakeList admitted;
    const system::MutexLock lock(mutex_);
    const TimePoint now = Clock::now();
    const bool hasWaited = delayedCount() != watchedCount_ || !waiters_.empty();
    watchedCount_ = delayedCount();
    isWatchAsleep_ = !hasWaited;
    if (isWatchAsleep_) {
        return TimePoint::max();
    }
    if (now - admittedLast_ >= *longestWait_) {
        tryLetInBeside(now, admitted);
    }
    TimePoint next = now + *longestWait_;
    for (const Waiter* waiter : waiters_) {
        const TimePoint longest = waiter->work.since + *longestWait_;
        next = longest > now ? std::min(next, longest) : next;
    }
    return std::max(next, admittedLast_ + *longestWait_);
}

void ExecutionGate::watch() noexcept {
    while (!isEnding_.load(std::memory_order_relaxed)) {
        (void)watchWakeUp_.acquireUntil(letInBeside());
    }
}

/// An execution waits that may be let in beside others. Whether the watch has to be woken. Without
/// memory for its thread, the next one that waits tries again.
bool ExecutionGate::awakenWatch() {
    if (!watch_.joinable()) {
        if (auto watch = system::startThread("nnburst-gate", [this] { this->watch(); })) {
            watch_ = std::move(*watch);
        }
        return false;
    }
    return std::exchange(isWatchAsleep_, false);
}

/// `waiter` waits no longer. False if it was admitted meanwhile.
bool ExecutionGate::giveUp(Waiter& waiter) {
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

bool ExecutionGate::hasMoreUrgent(const WaitingWork& running, ClientShare* client,
                                  std::optional<Admission>& admission) {
    const system::MutexLock lock(mutex_);
    const TimePoint now = Clock::now();
    if (!admission) {
        admission = Admission{.start = waiters_.empty() ? now : contendedSince_};
        client->begin(admission->start);
    }
    const auto comesFirst = [&](const Waiter* waiter) NNBURST_REQUIRES(mutex_) {
        if (waiter->client == client) {
            return waiter->work.level(now) > static_cast<std::int64_t>(running.urgency.priority);
        }
        return client->moreThan(*waiter->client, now) >= kQuantum;
    };
    return std::any_of(
        waiters_.begin(), waiters_.end(), [&](const Waiter* waiter) NNBURST_REQUIRES(mutex_) {
            const bool canRun = waiter->runners == nullptr || !waiter->runners->areAllHeld();
            return canRun && comesFirst(waiter);
        });
}

Result<> ExecutionGate::Pass::waitAndEnter() {
    wait(&runners_);
    if (!admission_) {
        return failure(ErrorStatus::MISSED_DEADLINE_TRANSIENT,
                       "the deadline passed while other executions were running");
    }
    runner_ = admission_->runner;
    holdsRunner_ = true;
    hasLanes_ = true;
    return {};
}

/// `runners`: null if it holds a runner.
void ExecutionGate::Pass::wait(RunnerSet* runners) {
    thread_.emplace();
    admission_ = gate_.wait(*thread_, runners, runner_, width_, client_, work_.urgency);
}

/// At its end.
void ExecutionGate::Pass::letOthersIn() {
    WakeList atOnce;
    gate_.chargeAndAdmit(hasLanes_ ? client_ : nullptr, admission_,
                         lateWakes_ != nullptr ? *lateWakes_ : atOnce);
}

void ExecutionGate::Pass::yield() {
    const TimePoint now = Clock::now();
    // One that runs beside those that have the lanes has no lane to give.
    const bool hasNone = admission_ && admission_->isBeside && gate_.isOvercommitted();
    if (!hasLanes_ || hasNone || now < nextLook_) {
        return;
    }
    nextLook_ = now + kBetweenLooks;
    if (!gate_.hasMoreUrgent(work_, client_, admission_)) {
        return;
    }
    if (!lowPriority_) {
        lowPriority_.emplace();
    }
    stayNoLonger();
    gate_.leave(nullptr, runner_, lanes_);
    WakeList admitted;
    gate_.chargeAndAdmit(client_, admission_, admitted);
    admitted.wakeAll();
    admission_.reset();
    hasLanes_ = false;  // if there is no memory to wait it goes on without
    wait(nullptr);
    hasLanes_ = admission_.has_value();
}

}  // namespace nnburst::exec
