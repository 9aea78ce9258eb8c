// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Where values of the program lie that are copied into one memory pool: constants of a model, and
/// arguments of an execution.

#include <cstdint>
#include <limits>

#include "nnburst/memory.h"

namespace nnburst::nnapi {

/// The HAL counts the bytes of a value, and those of a pool, in 32 bits.
inline constexpr std::uint64_t kMaximumLength = std::numeric_limits<std::uint32_t>::max();

/// The place of the next value after `end` bytes, in bytes.
constexpr std::uint64_t placeAfter(std::uint64_t end) {
    constexpr std::uint64_t kAlignment = MemoryPool::kDefaultAlignmentBytes;
    return (end + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace nnburst::nnapi
