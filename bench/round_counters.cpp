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
    RoundCounter{"p99.9", &Round::farTailNs},
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
    for (const auto& [name, number] : round.numbers) {
        counters[name] = number;
    }
}

Round roundOf(const benchmark::UserCounters& counters) {
    Round round;
    for (const auto& [name, number] : counters) {
        round.numbers[name] = number;
    }
    const auto take = [&](const char* name) {
        const double number = counters.at(name);
        round.numbers.erase(name);
        return number;
    };
    for (const RoundCounter& counter : kRoundCounters) {
        round.*counter.value = take(counter.name);
    }
    for (const HostCounter& counter : kHostCounters) {
        round.host.*counter.value = take(counter.name);
    }
    return round;
}

}  // namespace nnburst::bench
