// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What a run of nnburst-bench gave, before anybody judges it: all rounds of all benchmarks.

#include <map>
#include <string>
#include <vector>

namespace nnburst::bench {

/// How the host treated the two processors around and during one round.
struct HostState {
    double startSeconds = 0;      ///< since the first round of the run
    double seconds = 0;           ///< that the round took
    double pingPongBeforeNs = 0;  ///< one word in one cache line, just before the round
    double pingPongAfterNs = 0;   ///< the same just after it
    double stolenSeconds = 0;     ///< of both processors, in which the host ran others on them
};

/// One repetition of a benchmark.
struct Round {
    double medianNs = 0;   ///< p50 of its calls
    double tailNs = 0;     ///< p99 of its calls
    double farTailNs = 0;  ///< p99.9 of its calls
    HostState host;
    std::map<std::string, double> numbers;  ///< what is no duration, by names with units
};

struct BenchmarkResult {
    std::string name;  ///< GROUP/WHAT
    std::string label;
    std::vector<Round> rounds;
    std::string skipped;  ///< why it was not measured; empty if it was
};

/// Where the run took place.
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
