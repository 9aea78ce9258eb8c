// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Results as a run could have given them.

#include <initializer_list>
#include <string>
#include <utility>

#include "results.h"

namespace nnburst::bench {

/// The time of a word's ping-pong while the host does not disturb the processors.
inline constexpr double kCalmPingPongNs = 200;

inline HostState calmHost() {
    return {.startSeconds = 1,
            .seconds = 0.5,
            .pingPongBeforeNs = kCalmPingPongNs,
            .pingPongAfterNs = kCalmPingPongNs};
}

/// A benchmark with one round a pair of p50 and p99, in nanoseconds; p99.9 is twice p99.
inline BenchmarkResult measured(std::string name, std::string label,
                                std::initializer_list<std::pair<double, double>> rounds) {
    BenchmarkResult result{.name = std::move(name), .label = std::move(label)};
    for (const auto& [medianNs, tailNs] : rounds) {
        result.rounds.push_back(
            {.medianNs = medianNs, .tailNs = tailNs, .farTailNs = 2 * tailNs, .host = calmHost()});
    }
    return result;
}

inline BenchmarkResult skipped(std::string name, std::string label, std::string reason) {
    return {.name = std::move(name), .label = std::move(label), .skipped = std::move(reason)};
}

}  // namespace nnburst::bench
