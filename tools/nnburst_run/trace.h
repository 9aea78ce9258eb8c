// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A profile in the trace format of Chrome, which Perfetto (ui.perfetto.dev) and chrome://tracing
/// show: calls of the client above, the device's executions and operations below, on one time line.

#include <cstdint>
#include <span>
#include <string>

#include "nnburst_run/profile_reader.h"

namespace nnburst::run {

/// A call of the client, in nanoseconds of CLOCK_MONOTONIC.
struct ClientCall {
    std::uint64_t beginNs = 0;
    std::uint64_t endNs = 0;
};

/// The JSON of the trace. `clientProcess` is the number of this process.
[[nodiscard]] std::string traceOf(const RecordedProfile& profile, std::span<const ClientCall> calls,
                                  std::uint32_t clientProcess);

}  // namespace nnburst::run
