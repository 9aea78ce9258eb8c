// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "round_counters.h"

#include <array>

namespace nnburst::bench {
namespace {

struct RoundCounter {
    const char* name;
    double Round::*value;
};
constexpr std::array kRoundCounters{
    RoundCounter{"p50", &Round::medianNs},
    RoundCounter{"p99", &Round::tailNs},
};

struct HostCounter {
    const char* name;
    double HostState::*value;
};
constexpr std::array kHostCounters{
    HostCounter{"start", &HostState::startSeconds},
    HostCounter{"seconds", &HostState::seconds},
    HostCounter{"pingPongBefore", &HostState::pingPongBeforeNs},
    HostCounter{"pingPongAfter", &HostState::pingPongAfterNs},
    HostCounter{"stolen", &HostState::stolenSeconds},
};

}  // namespace

void setCounters(benchmark::UserCounters& counters, const Round& round) {
    for (const RoundCounter& counter : kRoundCounters) {
        counters[counter.name] = round.*counter.value;
    }
    for (const HostCounter& counter : kHostCounters) {
        counters[counter.name] = round.host.*counter.value;
    }
}

Round roundOf(const benchmark::UserCounters& counters) {
    Round round;
    for (const RoundCounter& counter : kRoundCounters) {
        round.*counter.value = counters.at(counter.name);
    }
    for (const HostCounter& counter : kHostCounters) {
        round.host.*counter.value = counters.at(counter.name);
    }
    return round;
}

}  // namespace nnburst::bench
