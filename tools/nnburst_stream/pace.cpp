// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/pace.h"

#include <sys/prctl.h>
#include <time.h>

#include <algorithm>

namespace nnburst::stream {

namespace {

/// Sleeps until `time`, or until a signal comes.
void sleepUntil(TimePoint time) noexcept {
    using std::chrono::seconds;
    const auto sinceEpoch = time.time_since_epoch();
    const auto whole = std::chrono::duration_cast<seconds>(sinceEpoch);
    const timespec until{.tv_sec = whole.count(), .tv_nsec = (sinceEpoch - whole).count()};
    (void)::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

}  // namespace

void useExactTimers() noexcept {
    (void)::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

TimePoint waitUntil(TimePoint due, const std::atomic<bool>& stop,
                    std::chrono::nanoseconds spin) noexcept {
    const TimePoint wakeUp = due - spin;
    TimePoint now = std::chrono::steady_clock::now();
    // Relaxed: nothing else depends on the flag.
    while (now < wakeUp && !stop.load(std::memory_order_relaxed)) {
        sleepUntil(std::min<TimePoint>(wakeUp, now + kLongestSleep));
        now = std::chrono::steady_clock::now();
    }
    while (now < due && !stop.load(std::memory_order_relaxed)) {
        now = std::chrono::steady_clock::now();
    }
    return now;
}

}  // namespace nnburst::stream
