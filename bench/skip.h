// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Benchmarks that cannot be measured here and say why: a package is not installed, a service does
/// not start. They stand in the table by name, and the run has not failed.

#include <benchmark/benchmark.h>

#include <string>

namespace nnburst::bench {

/// How the message of a benchmark begins that was skipped and did not fail.
inline constexpr const char* kSkippedMark = "skipped: ";

inline void skip(benchmark::State& state, const std::string& reason) {
    state.SkipWithError((kSkippedMark + reason).c_str());
}

}  // namespace nnburst::bench
