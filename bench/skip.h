// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Benchmarks that cannot be measured here, for a reason that they report: a package is not
/// installed, or a service does not start. The table lists them, and the run has not failed.

#include <benchmark/benchmark.h>

#include <string>

namespace nnburst::bench {

/// The start of the message of a benchmark that was skipped and did not fail.
inline constexpr const char* kSkippedMark = "skipped: ";

inline void skip(benchmark::State& state, const std::string& reason) {
    state.SkipWithError((kSkippedMark + reason).c_str());
}

}  // namespace nnburst::bench
