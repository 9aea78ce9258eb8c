// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "fmq/wait_forecast.h"

#include <algorithm>

namespace nnburst::fmq {

namespace {

using std::chrono::nanoseconds;

/// With fewer values nothing is expected.
constexpr std::size_t kMinimumKnownDurations = 4;
/// Assumed until enough wake latencies are known.
constexpr nanoseconds kTypicalWakeLatency{100'000};
/// Wake up this much before the shortest of the usual durations.
constexpr nanoseconds kMargin{20'000};

}  // namespace

void WaitForecast::addDuration(nanoseconds duration) noexcept {
    durations_.add(duration);
    // Rises fast and falls slowly. One long wait lets it rise by a quarter at most.
    if (durations_.count() <= kMinimumKnownDurations) {
        high_ = std::max(high_, duration);
    } else if (duration > high_) {
        high_ += std::min(duration - high_, high_) / 4;
    } else {
        high_ -= (high_ - duration) / 16;
    }
}

nanoseconds WaitForecast::longestUsual() const noexcept {
    return durations_.count() < kMinimumKnownDurations ? nanoseconds::max() : 2 * high_;
}

nanoseconds RecentDurations::ranked(std::size_t rank) const noexcept {
    std::array<std::int64_t, kCapacity> sorted = values_;
    const auto nth = sorted.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(sorted.begin(), nth, sorted.begin() + static_cast<std::ptrdiff_t>(count()));
    return nanoseconds(*nth);
}

WaitForecast::Range WaitForecast::expect(nanoseconds shortestSleep) const noexcept {
    const std::size_t known = durations_.count();
    if (durations_.latest() < shortestSleep || known < kMinimumKnownDurations) {
        return {};
    }
    // One in 16 may be shorter or longer than usual without changing what is expected.
    const std::size_t outliers = known / 16;
    const nanoseconds shortest = durations_.ranked(outliers);
    const std::size_t wakeUps = wakeLatencies_.count();
    const nanoseconds wakeLatency = wakeUps < kMinimumKnownDurations
                                        ? kTypicalWakeLatency
                                        : wakeLatencies_.ranked(wakeUps * 7 / 8);
    // At least half of it, so that the wake latency is measured again after a bad time.
    const nanoseconds sleep = std::max(shortest - wakeLatency - kMargin, shortest / 2);
    if (sleep < shortestSleep) {
        return {};
    }
    const nanoseconds longest = durations_.ranked(known - 1 - outliers);
    return {.sleepUntil = sleep, .spinUntil = longest + kMargin};
}

}  // namespace nnburst::fmq
