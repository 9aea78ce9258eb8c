// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Summarises a benchmark: medians over its rounds, without rounds in which the host moved or took
/// the processors. Two virtual processors may be close to each other at one time and far apart at
/// another, which shows in the round trip of one word between them.

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "results.h"

namespace nnburst::bench {

/// A round is left out if the ping-pong before or after it differs from the median of the run by
/// more than this factor.
inline constexpr double kPingPongTolerance = 1.5;

/// Medians over the rounds that were not left out.
struct Figures {
    double medianNs;   ///< of p50
    double tailNs;     ///< of p99
    double farTailNs;  ///< of p99.9
    double leastNs;    ///< the lowest p50 of all rounds
    double mostNs;     ///< the highest p50 of all rounds
};

/// The same for a number that is not a duration.
struct NumberFigures {
    double median;
    double least;
    double most;
};

struct Summary {
    std::optional<Figures> figures;  ///< nullopt if all rounds are left out
    std::map<std::string, NumberFigures> numbers;
    std::size_t counted = 0;
    std::size_t leftOut = 0;
};

/// The median of all ping-pongs of a run; 0 if it has no rounds.
[[nodiscard]] double medianPingPongNs(const Results& results);

/// Whether the host treated the processors differently than in most of the run.
[[nodiscard]] bool isDisturbed(const HostState& host, double medianPingPongNs);

[[nodiscard]] Summary summarise(const BenchmarkResult& result, double medianPingPongNs);

}  // namespace nnburst::bench
