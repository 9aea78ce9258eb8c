// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How the host treats the two processors of a measurement. A virtual processor may move to another
/// core at any time, and may be taken away; both change what a round trip costs and have nothing to
/// do with what is measured.

#include <chrono>

#include "results.h"

namespace nnburst::bench {

/// Watches one round from its construction to finish(). Bounces one word between the processors of
/// processorPair() before and after, 2000 times.
class HostWatch {
  public:
    HostWatch();

    /// The host from the construction until now. To be called once.
    [[nodiscard]] HostState finish();

  private:
    HostState state_;
    std::chrono::steady_clock::time_point start_;
};

}  // namespace nnburst::bench
