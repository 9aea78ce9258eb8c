// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A round as counters of Google Benchmark, which is how it gets from where it is measured to where
/// results are collected.

#include <benchmark/benchmark.h>

#include "results.h"

namespace nnburst::bench {

void setCounters(benchmark::UserCounters& counters, const Round& round);

/// What setCounters has set. All other counters are numbers of the round.
[[nodiscard]] Round roundOf(const benchmark::UserCounters& counters);

}  // namespace nnburst::bench
