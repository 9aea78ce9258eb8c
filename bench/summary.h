// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The figures of a benchmark: medians over its rounds, without those in which the host moved or
/// took the processors. Two virtual processors are near each other at one time and far at another;
/// what one word costs between them tells.

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "results.h"

namespace nnburst::bench {

/// A round is left out if the ping-pong before or after it is so many times above or below the
/// median of the run's.
inline constexpr double kPingPongTolerance = 1.5;

/// Medians over the rounds that count.
struct Figures {
    double medianNs;   ///< of p50
    double tailNs;     ///< of p99
    double farTailNs;  ///< of p99.9
    double leastNs;    ///< the lowest p50 of a round
    double mostNs;     ///< the highest
};

/// The same of a number that is no duration.
struct NumberFigures {
    double median;
    double least;
    double most;
};

struct Summary {
    std::optional<Figures> figures;  ///< nothing if no round counts
    std::map<std::string, NumberFigures> numbers;
    std::size_t counted = 0;
    std::size_t leftOut = 0;
};

/// The median of all ping-pongs of a run; 0 if it has no rounds.
[[nodiscard]] double medianPingPongNs(const Results& results);

/// Whether the host treated the processors otherwise than in most of the run.
[[nodiscard]] bool isDisturbed(const HostState& host, double medianPingPongNs);

[[nodiscard]] Summary summarise(const BenchmarkResult& result, double medianPingPongNs);

}  // namespace nnburst::bench
