// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Models that compute next to nothing, so that the overhead around them can be measured.

#include <cstdint>

#include "nnburst/types.h"

namespace nnburst::bench {

/// RESHAPE of one float to the same shape. Further inputs are not used.
[[nodiscard]] Model makeSmallestModel(std::uint32_t inputs = 1);

inline constexpr std::uint32_t kAddedFloats = 64;

/// ADD of two inputs of kAddedFloats floats.
[[nodiscard]] Model makeAddition();

/// WHILE of one float that is never above `limit`, so that only the loop's time limit ends it.
/// Models with other limits share nothing.
[[nodiscard]] Model makeEndlessLoop(float limit);

}  // namespace nnburst::bench
