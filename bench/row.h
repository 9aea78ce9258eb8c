// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How a benchmark gets into the table.

#include <benchmark/benchmark.h>

#include <functional>
#include <optional>
#include <string>

namespace nnburst::bench {

/// Rounds of a benchmark, and its measured calls in each.
struct Extent {
    int rounds;
    int calls;
};

/// Registers `run` as the row `name`, GROUP/WHAT, with a label for people. It tells itself how long
/// its calls took (measureEach does). It runs as often as the options of the run say, or, where
/// calls are long, as `extent` does.
void registerRow(const std::string& name, const std::string& label,
                 const std::function<void(benchmark::State&)>& run,
                 const std::optional<Extent>& extent = std::nullopt);

}  // namespace nnburst::bench
