// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Observes how the host treats the two processors of a measurement. A virtual processor may move
/// to another core at any time, and the host may take it away. Both change the cost of a round
/// trip, and neither is the subject of the measurement.

#include <chrono>

#include "results.h"

namespace nnburst::bench {

/// Observes one round from its construction to finish(). Before and after it measures 2000 round
/// trips of one word between the processors of processorPair().
class HostWatch {
  public:
    HostWatch();

    /// The state of the host since the construction. Must be called once.
    [[nodiscard]] HostState finish();

  private:
    HostState state_;
    std::chrono::steady_clock::time_point start_;
};

}  // namespace nnburst::bench
