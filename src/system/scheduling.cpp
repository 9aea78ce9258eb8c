// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/scheduling.h"

#include <linux/capability.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace nnburst::system {

namespace {

constexpr int kHighNice = -10;
constexpr int kLowNice = 10;
/// RLIMIT_NICE is this less the lowest nice value that a thread may take.
constexpr int kNiceOfLimitZero = 20;
/// Not less, because a thread that yields gives up the rest of its time slice. In a program of two
/// threads that compute on one processor, one of them of low priority, that one gets 6.4 % of the
/// processor if it yields each 100 us, 4.0 % each 50 us, and 9.7 % if it never yields (Linux 6.18).
constexpr std::chrono::microseconds kBetweenYields{100};
constexpr pid_t kCallingThread = 0;
/// At how a thread uses its processor: two ticks of the kernel or more.
constexpr std::chrono::milliseconds kBetweenLooks{10};
/// A thread in a ScopedBackgroundPriority gets at least 1 / kBackgroundShare of a processor.
constexpr int kBackgroundShare = 20;
/// Limits on how far such a thread counts as behind or ahead of that share.
constexpr std::chrono::milliseconds kLongestOwed{50};
constexpr std::chrono::milliseconds kLongestAhead{5};

/// The first version of sched_attr, see sched_setattr(2). The C library of Debian 12 declares
/// neither this nor the calls.
struct SchedulingAttributes {
    std::uint32_t size;
    std::uint32_t policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime;
    std::uint64_t deadline;
    std::uint64_t period;
};
static_assert(sizeof(SchedulingAttributes) == 48, "SCHED_ATTR_SIZE_VER0");

/// The attributes of the calling thread; nullopt if it has another policy.
std::optional<SchedulingAttributes> attributesOfThread(
    std::uint32_t policy = SCHED_OTHER) noexcept {
    SchedulingAttributes attributes{};
    if (::syscall(SYS_sched_getattr, kCallingThread, &attributes, sizeof(attributes), 0) != 0 ||
        attributes.policy != policy) {
        return std::nullopt;
    }
    return attributes;
}

bool setAttributes(const SchedulingAttributes& attributes) noexcept {
    return ::syscall(SYS_sched_setattr, kCallingThread, &attributes, 0) == 0;
}

/// Moves the calling thread between SCHED_OTHER and SCHED_IDLE. Its nice value and time slice stay.
bool changePolicy(std::uint32_t from, std::uint32_t to) noexcept {
    std::optional<SchedulingAttributes> attributes = attributesOfThread(from);
    if (!attributes) {
        return false;
    }
    attributes->policy = to;
    return setAttributes(*attributes);
}

std::chrono::nanoseconds sliceOf(const SchedulingAttributes& attributes) noexcept {
    return std::chrono::nanoseconds(attributes.runtime);
}

void setSlice(SchedulingAttributes& attributes, std::chrono::nanoseconds slice) noexcept {
    attributes.runtime = static_cast<std::uint64_t>(slice.count());
}

/// Sets the time slice of the calling thread, if that is of SCHED_OTHER, and returns the one
/// before. Leaves it alone after a failure.
std::chrono::nanoseconds setTimeSlice(std::chrono::nanoseconds slice) noexcept {
    std::optional<SchedulingAttributes> attributes = attributesOfThread();
    if (!attributes) {
        return slice;
    }
    const std::chrono::nanoseconds before = sliceOf(*attributes);
    if (before != slice) {
        setSlice(*attributes, slice);
        (void)setAttributes(*attributes);
    }
    return before;
}

/// The nice value of the calling thread alone: on Linux PRIO_PROCESS means that.
int niceOfThread() noexcept {
    return ::getpriority(PRIO_PROCESS, kCallingThread);
}

/// Sets the nice value of the calling thread, if it may have that.
void setNice(int nice) noexcept {
    (void)::setpriority(PRIO_PROCESS, kCallingThread, nice);
}

/// What the calling thread had before the outermost scope that has changed it; none outside.
thread_local std::optional<int> niceBeforeScopes;

/// Whether the calling thread is in a ScopedLowPriority.
thread_local bool hasLowPriority = false;
/// The scope that the calling thread is in, if it is in effect.
thread_local ScopedBackgroundPriority* background = nullptr;
/// When the calling thread last let others run.
thread_local std::chrono::steady_clock::time_point lastLetOthersRun;

/// Whether the calling thread has CAP_SYS_NICE.
[[nodiscard]] bool mayTakeAnyNice() noexcept {
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = kCallingThread};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
    return ::syscall(SYS_capget, &header, sets.data()) == 0 &&
           (sets[CAP_TO_INDEX(CAP_SYS_NICE)].effective & CAP_TO_MASK(CAP_SYS_NICE)) != 0;
}

/// Whether RLIMIT_NICE lets a thread of this process lower its nice value to `nice`.
[[nodiscard]] bool doesLimitAllowNice(int nice) noexcept {
    static const rlim_t limit = [] {
        rlimit both{};
        return ::getrlimit(RLIMIT_NICE, &both) == 0 ? both.rlim_cur : 0;
    }();
    return limit >= static_cast<rlim_t>(kNiceOfLimitZero - nice);
}

/// Whether a thread of this process may lower its nice value to `nice`.
[[nodiscard]] bool mayTakeNice(int nice) noexcept {
    static const bool mayTakeAny = mayTakeAnyNice();
    return mayTakeAny || doesLimitAllowNice(nice);
}

/// Whether the calling thread has got its high priority. What it starts does not inherit it.
bool takeHighPriority() noexcept {
    std::optional<SchedulingAttributes> attributes = attributesOfThread();
    if (!attributes || attributes->nice != 0 || !mayTakeNice(kHighNice)) {
        return false;
    }
    attributes->nice = kHighNice;
    attributes->flags |= SCHED_FLAG_RESET_ON_FORK;
    return setAttributes(*attributes);
}

}  // namespace

ScopedTimeSlice::ScopedTimeSlice(std::chrono::nanoseconds slice) noexcept
    : before_(setTimeSlice(slice)) {}

ScopedTimeSlice::~ScopedTimeSlice() {
    (void)setTimeSlice(before_);
}

ScopedHighPriority::ScopedHighPriority() noexcept : isRaised_(takeHighPriority()) {
    if (isRaised_) {
        niceBeforeScopes = 0;
    }
}

ScopedHighPriority::~ScopedHighPriority() {
    if (isRaised_) {
        niceBeforeScopes.reset();
        setNice(0);
    }
}

ScopedAdaptivePriority::ScopedAdaptivePriority() noexcept
    : lastLook_(std::chrono::steady_clock::now()), usedBefore_(processorTimeOfThread()) {
    high_.emplace();
}

void ScopedAdaptivePriority::look() noexcept {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::nanoseconds passed = now - lastLook_;
    if (passed < kBetweenLooks) {
        return;
    }
    const std::chrono::nanoseconds usedNow = processorTimeOfThread();
    const std::chrono::nanoseconds used = usedNow - usedBefore_;
    if (used > passed / 2) {
        high_.reset();
    } else if (used < passed / 8 && !high_) {
        high_.emplace();
    }
    lastLook_ = now;
    usedBefore_ = usedNow;
}

ScopedLowPriority::ScopedLowPriority() noexcept : niceBeforeOuterScopes_(niceBeforeScopes) {
    std::optional<SchedulingAttributes> attributes = attributesOfThread();
    if (!attributes) {
        return;
    }
    const Before before{.nice = attributes->nice, .slice = sliceOf(*attributes)};
    if (before.nice < kLowNice && mayTakeNice(before.nice)) {
        attributes->nice = kLowNice;
    }
    if (attributes->nice == before.nice && before.slice == kBackgroundTimeSlice) {
        return;  // a scope inside another one
    }
    setSlice(*attributes, kBackgroundTimeSlice);
    if (setAttributes(*attributes)) {
        before_ = before;
        niceBeforeScopes = niceBeforeOuterScopes_.value_or(before.nice);
        hadLowPriority_ = std::exchange(hasLowPriority, true);
    }
}

ScopedLowPriority::~ScopedLowPriority() {
    std::optional<SchedulingAttributes> attributes;
    if (before_ && (attributes = attributesOfThread())) {
        attributes->nice = before_->nice;
        setSlice(*attributes, before_->slice);
        (void)setAttributes(*attributes);
        niceBeforeScopes = niceBeforeOuterScopes_;
        hasLowPriority = hadLowPriority_;
    }
}

ScopedBackgroundPriority::ScopedBackgroundPriority() noexcept {
    if (background != nullptr || !low_.isInEffect()) {
        return;
    }
    isInEffect_ = true;
    background = this;
    isIdle_ = changePolicy(SCHED_OTHER, SCHED_IDLE);
    lastLook_ = std::chrono::steady_clock::now();
    usedBefore_ = processorTimeOfThread();
}

ScopedBackgroundPriority::~ScopedBackgroundPriority() {
    if (isIdle_) {
        (void)changePolicy(SCHED_IDLE, SCHED_OTHER);
    }
    if (isInEffect_) {
        background = nullptr;
    }
}

void ScopedBackgroundPriority::look(std::chrono::steady_clock::time_point now) noexcept {
    const std::chrono::nanoseconds passed = now - lastLook_;
    if (passed < kBetweenLooks) {
        return;
    }
    const std::chrono::nanoseconds used = processorTimeOfThread();
    owed_ = std::clamp<std::chrono::nanoseconds>(
        owed_ + passed / kBackgroundShare - (used - usedBefore_), -kLongestAhead, kLongestOwed);
    lastLook_ = now;
    usedBefore_ = used;
    const bool shallBeIdle = owed_ <= std::chrono::nanoseconds(0);
    if (shallBeIdle != isIdle_ && (shallBeIdle ? changePolicy(SCHED_OTHER, SCHED_IDLE)
                                               : changePolicy(SCHED_IDLE, SCHED_OTHER))) {
        isIdle_ = shallBeIdle;
    }
}

void letOthersRun() noexcept {
    if (!hasLowPriority) {
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    if (now - lastLetOthersRun >= kBetweenYields) {
        if (background != nullptr) {
            background->look(now);
        }
        (void)::sched_yield();
        lastLetOthersRun = std::chrono::steady_clock::now();
    }
}

std::chrono::nanoseconds processorTimeOfThread() noexcept {
    timespec used{};
    (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

InheritedPriority priorityWithoutScopes() noexcept {
    return {.nice = niceBeforeScopes ? *niceBeforeScopes : niceOfThread(),
            .isInBackground = background != nullptr};
}

void leaveScopes(const InheritedPriority& inherited) noexcept {
    if (inherited.isInBackground) {
        (void)changePolicy(SCHED_IDLE, SCHED_OTHER);
    }
    setNice(inherited.nice);
}

void followMainThread() noexcept {
    const pid_t mainThread = ::getpid();
    const int mains = ::sched_getscheduler(mainThread) & ~SCHED_RESET_ON_FORK;
    const int policy = mains == SCHED_IDLE || mains == SCHED_BATCH ? mains : SCHED_OTHER;
    if (::sched_getscheduler(kCallingThread) != policy) {
        const sched_param noPriority{};
        (void)::sched_setscheduler(kCallingThread, policy, &noPriority);
    }
    setNice(::getpriority(PRIO_PROCESS, static_cast<id_t>(mainThread)));
    cpu_set_t processors;
    if (::sched_getaffinity(mainThread, sizeof(processors), &processors) == 0) {
        (void)::sched_setaffinity(kCallingThread, sizeof(processors), &processors);
    }
}

bool mayProgramsLeaveScopes() noexcept {
    return ::geteuid() == 0 || doesLimitAllowNice(priorityWithoutScopes().nice);
}

}  // namespace nnburst::system
