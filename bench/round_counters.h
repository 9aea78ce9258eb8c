// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Encodes a round as counters of Google Benchmark, to pass it from the benchmark to the collector
/// of results.

#include <benchmark/benchmark.h>

#include "results.h"

namespace nnburst::bench {

void setCounters(benchmark::UserCounters& counters, const Round& round);

/// Decodes what setCounters has set. All other counters are numbers of the round.
[[nodiscard]] Round roundOf(const benchmark::UserCounters& counters);

}  // namespace nnburst::bench
