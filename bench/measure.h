// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Measures a benchmark call by call, so that its median and its 99th percentile are known and not
/// only its mean, and observes the host meanwhile.

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <vector>

#include "host_watch.h"
#include "results.h"

namespace nnburst::bench {

/// The time between two readings of the clock in a row, in nanoseconds (the median). It is part of
/// every measured duration and is subtracted from it.
[[nodiscard]] double clockCostNs();

/// Warm-up calls of short benchmarks: they wake sleepers and fill caches and branch predictors.
[[nodiscard]] int usualWarmUpCalls() noexcept;

/// Reports `samples` (nanoseconds; at least one) as the durations of one round. Reorders them.
void setRound(benchmark::State& state, std::vector<double>& samples, const HostState& host);

/// Calls in a batch whose calls take `medianNs` each; 0 for those that are long enough for the
/// clock.
[[nodiscard]] int callsOfBatch(double medianNs) noexcept;

/// Reports the time of a call in a batch of `calls` that took `nanoseconds`.
void setBatch(benchmark::State& state, double nanoseconds, int calls);

/// Calls `operation` (which returns false if it failed) as often as `state` asks for, after
/// `warmUpCalls` calls that are not counted, and reports the durations. `prepare` is called before
/// each call and is not measured.
template <class Prepare, class Operation>
void measureEach(benchmark::State& state, Prepare prepare, Operation operation,
                 int warmUpCalls = usualWarmUpCalls()) {
    using Clock = std::chrono::steady_clock;
    using Nanoseconds = std::chrono::duration<double, std::nano>;

    HostWatch host;
    std::vector<double> samples(static_cast<std::size_t>(state.max_iterations));  // touched: no
    bool isSuccess = true;                                                        // page faults
    for (int call = 0; call < warmUpCalls && isSuccess; ++call) {
        prepare();
        isSuccess = operation();
    }
    const double clockCost = clockCostNs();
    std::size_t count = 0;
    for ([[maybe_unused]] auto iteration : state) {
        if (!isSuccess) {
            state.SkipWithError("the measured operation failed");
            return;
        }
        prepare();
        const Clock::time_point before = Clock::now();
        isSuccess = operation();
        const Clock::time_point after = Clock::now();
        const double duration = Nanoseconds(after - before).count() - clockCost;
        samples[count++] = duration;
        state.SetIterationTime(duration * 1e-9);
    }
    if (count > 0) {
        samples.resize(count);
        setRound(state, samples, host.finish());
    }
}

/// The same without preparation; short calls are measured in a batch as well.
template <class Operation>
void measureEach(benchmark::State& state, Operation operation) {
    using Clock = std::chrono::steady_clock;
    measureEach(
        state, [] {}, operation);
    const auto median = state.counters.find("p50");
    const int calls =
        median == state.counters.end() ? 0 : callsOfBatch(static_cast<double>(median->second));
    if (calls == 0) {
        return;
    }
    const Clock::time_point before = Clock::now();
    bool isSuccess = true;
    for (int call = 0; call < calls && isSuccess; ++call) {
        isSuccess = operation();
    }
    const std::chrono::duration<double, std::nano> taken = Clock::now() - before;
    if (isSuccess) {
        setBatch(state, taken.count(), calls);
    }
}

}  // namespace nnburst::bench
