// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Counts heap allocations of all threads: a program that links allocation_counter.cpp has its
/// malloc, calloc, realloc and aligned kinds counted, whoever calls them (operator new does).
/// Sanitizers bring an allocator of their own: there nothing is counted and `kCountsAllocations` is
/// false.

#include <cstdint>

#include "support/sanitizers.h"

namespace nnburst::test {

inline constexpr bool kCountsAllocations = !kHasSanitizer;

/// Allocations since the program started.
[[nodiscard]] std::uint64_t allocationCount() noexcept;

}  // namespace nnburst::test
