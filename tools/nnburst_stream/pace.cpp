// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/pace.h"

#include <sys/prctl.h>
#include <time.h>

#include <cerrno>

namespace nnburst::stream {

void useExactTimers() noexcept {
    (void)::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

TimePoint waitUntil(TimePoint due, std::chrono::nanoseconds spin) noexcept {
    using std::chrono::seconds;
    const TimePoint wakeUp = due - spin;
    if (std::chrono::steady_clock::now() < wakeUp) {
        const auto sinceEpoch = wakeUp.time_since_epoch();
        const auto whole = std::chrono::duration_cast<seconds>(sinceEpoch);
        const timespec time{.tv_sec = whole.count(), .tv_nsec = (sinceEpoch - whole).count()};
        while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
        }
    }
    TimePoint now = std::chrono::steady_clock::now();
    while (now < due) {
        now = std::chrono::steady_clock::now();
    }
    return now;
}

}  // namespace nnburst::stream
