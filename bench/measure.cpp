// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <algorithm>

#include "length.h"
#include "number_names.h"
#include "percentile.h"
#include "round_counters.h"

namespace nnburst::bench {

int usualWarmUpCalls() noexcept {
    return byLength(5, 200, 200);
}

double clockCostNs() {
    using Clock = std::chrono::steady_clock;
    static const double cost = [] {
        std::vector<double> samples(10000);
        for (double& sample : samples) {
            const Clock::time_point before = Clock::now();
            const Clock::time_point after = Clock::now();
            sample = std::chrono::duration<double, std::nano>(after - before).count();
        }
        return percentile(samples, 0.5);
    }();
    return cost;
}

void setRound(benchmark::State& state, std::vector<double>& samples, const HostState& host) {
    setCounters(state.counters, {.medianNs = percentile(samples, 0.5),
                                 .tailNs = percentile(samples, 0.99),
                                 .farTailNs = percentile(samples, 0.999),
                                 .host = host});
}

int callsOfBatch(double medianNs) noexcept {
    constexpr double kLongCallNs = 20e3;
    constexpr double kBatchNs = 2e6;
    constexpr double kMaximumCalls = 10'000;
    return medianNs > 0 && medianNs < kLongCallNs
               ? static_cast<int>(
                     std::min(kMaximumCalls, byLength(1e5, kBatchNs, kBatchNs) / medianNs))
               : 0;
}

void setBatch(benchmark::State& state, double nanoseconds, int calls) {
    state.counters[kBatchNumber] = nanoseconds / calls;
}

}  // namespace nnburst::bench
