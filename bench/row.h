// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Registers benchmarks as rows of the table.

#include <benchmark/benchmark.h>

#include <functional>
#include <optional>
#include <string>

namespace nnburst::bench {

/// The number of rounds of a benchmark, and of measured calls in each round.
struct Extent {
    int rounds;
    int calls;
};

/// Registers `run` as the row `name`, GROUP/WHAT, with a label for people. `run` reports the
/// durations of its calls itself (as measureEach does). The number of calls is set by the options
/// of the run, or by `extent` where calls are long.
void registerRow(const std::string& name, const std::string& label,
                 const std::function<void(benchmark::State&)>& run,
                 const std::optional<Extent>& extent = std::nullopt);

}  // namespace nnburst::bench
