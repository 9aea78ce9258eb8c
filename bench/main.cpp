// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// nnburst-bench: what a burst costs beside what the machine can do and beside the alternatives.
/// All benchmarks run in rounds, in random order within each, so that noise hits all alike. Takes
/// the options of Google Benchmark and prints one table; docs/performance.md says how to read it.

#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <vector>

#include "peer.h"
#include "suites.h"
#include "table.h"

namespace {

/// CTest's for a test that cannot run here.
constexpr int kSkipped = 77;

}  // namespace

int main(int argc, char** argv) {
    using nnburst::bench::processorPair;
    // Before the user's, so that his come last and count.
    std::vector<std::string> arguments{argv[0], "--benchmark_repetitions=20",
                                       "--benchmark_min_time=0.1",
                                       "--benchmark_enable_random_interleaving=true"};
    arguments.insert(arguments.end(), argv + 1, argv + argc);
    std::vector<char*> pointers;
    for (std::string& argument : arguments) {
        pointers.push_back(argument.data());
    }
    int count = static_cast<int>(pointers.size());
    benchmark::Initialize(&count, pointers.data());
    if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) {
        return 1;
    }

    if (!processorPair()) {
        std::fputs("nnburst-bench: a round trip needs two processors, this program may use one\n",
                   stderr);
        return kSkipped;
    }
    nnburst::bench::pinTo(processorPair()->client);
    nnburst::bench::registerLatency();
    nnburst::bench::registerMobileNet();
    nnburst::bench::registerPreparation();
    nnburst::bench::TableReporter table;
    const std::size_t measured = benchmark::RunSpecifiedBenchmarks(&table);
    benchmark::Shutdown();
    return measured > 0 && !table.hasFailed() ? 0 : 1;
}
