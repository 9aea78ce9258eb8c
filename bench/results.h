// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The results of a run of nnburst-bench before any evaluation: all rounds of all benchmarks.

#include <map>
#include <string>
#include <vector>

namespace nnburst::bench {

/// The state of the host around and during one round.
struct HostState {
    double startSeconds = 0;      ///< start of the round, since that of the first round
    double seconds = 0;           ///< duration of the round
    double pingPongBeforeNs = 0;  ///< round trip of one word, just before the round
    double pingPongAfterNs = 0;   ///< the same just after it
    double stolenSeconds = 0;     ///< stolen by the host, of both processors
};

/// One repetition of a benchmark.
struct Round {
    double medianNs = 0;   ///< p50 of its calls
    double tailNs = 0;     ///< p99 of its calls
    double farTailNs = 0;  ///< p99.9 of its calls
    HostState host;
    std::map<std::string, double> numbers;  ///< numbers that are not durations, by name with unit
};

struct BenchmarkResult {
    std::string name;  ///< GROUP/WHAT
    std::string label;
    std::vector<Round> rounds;
    std::string skipped;  ///< the reason, if it was not measured; else empty
};

/// The machine of the run.
struct Machine {
    std::string date;
    std::string processor;
    std::string kernel;
    std::string compiler;
};

struct Results {
    Machine machine;
    std::vector<BenchmarkResult> benchmarks;  ///< in the order of registration
};

}  // namespace nnburst::bench
