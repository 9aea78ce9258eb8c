// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Measures how far outputs are from expected ones.

#include <cmath>
#include <cstddef>

namespace nnburst::run {

/// Root of the mean of the squares of all differences that were added; 0 without any.
class RootMeanSquare {
  public:
    void add(double difference) {
        sum_ += difference * difference;
        ++count_;
    }
    [[nodiscard]] double value() const {
        return count_ == 0 ? 0 : std::sqrt(sum_ / static_cast<double>(count_));
    }

  private:
    double sum_ = 0;
    std::size_t count_ = 0;
};

}  // namespace nnburst::run
