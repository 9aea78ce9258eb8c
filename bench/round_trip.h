// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Common to all benchmarks of the group roundTrip. The measuring process is pinned to one
/// processor and its partner to the other. Messages have 64 bytes each way.

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <functional>
#include <string>

#include "row.h"

namespace nnburst::bench {

using Message = std::array<std::byte, 64>;

/// Registers `run` as roundTrip/`name`.
inline void registerRoundTrip(const std::string& name, const std::string& label,
                              const std::function<void(benchmark::State&)>& run) {
    registerRow("roundTrip/" + name, label, run);
}

}  // namespace nnburst::bench
