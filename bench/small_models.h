// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Models that compute next to nothing, so that what is around them shows.

#include <cstdint>

#include "nnburst/types.h"

namespace nnburst::bench {

/// RESHAPE of one float to the same shape. With more than one input, the others are not used.
[[nodiscard]] Model makeSmallestModel(std::uint32_t inputs = 1);

inline constexpr std::uint32_t kAddedFloats = 64;

/// ADD of two inputs of kAddedFloats floats.
[[nodiscard]] Model makeAddition();

}  // namespace nnburst::bench
