// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Latencies in the form of TFLite's benchmark_model, for scripts that read its output.

#include <string>

#include "nnburst_stream/distribution.h"

namespace nnburst::stream {

/// "count=50 first=412 curr=390 min=385 max=501 avg=395.2 std=12 p50=391.1 p90=402.8 p99=480.2
/// p99.9=501", in microseconds; "count=0" if there are none. What benchmark_model prints in whole
/// microseconds is whole here, too.
[[nodiscard]] std::string benchmarkLine(const Distribution& latency);

}  // namespace nnburst::stream
