// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The random numbers of the built-in models' weights.

#include <cstdint>
#include <random>

namespace nnburst {

/// Integers that depend on the seed alone. The engine is specified bit for bit, unlike the standard
/// library's distributions.
class SeededIntegers {
  public:
    explicit SeededIntegers(std::uint32_t seed) : engine_(seed) {}

    /// The next one, in [-limit, limit], evenly to within limit / 2^31.
    [[nodiscard]] std::int32_t next(std::int32_t limit) {
        const std::int64_t count = std::int64_t{limit} * 2 + 1;
        return static_cast<std::int32_t>(static_cast<std::int64_t>(engine_()) % count - limit);
    }

  private:
    std::mt19937 engine_;
};

}  // namespace nnburst
