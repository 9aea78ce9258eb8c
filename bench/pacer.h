// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Starts calls at a constant rate.

#include <chrono>
#include <thread>

namespace nnburst::bench {

/// Sleeps until the next call is due.
class Pacer {
  public:
    explicit Pacer(std::chrono::nanoseconds period)
        : period_(period), next_(std::chrono::steady_clock::now()) {}

    void await() {
        next_ += period_;
        std::this_thread::sleep_until(next_);
    }

  private:
    std::chrono::nanoseconds period_;
    std::chrono::steady_clock::time_point next_;
};

}  // namespace nnburst::bench
