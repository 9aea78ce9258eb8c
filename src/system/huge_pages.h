// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Huge pages behind large blocks of private memory: fewer misses of the processor's table of
/// pages. Of the whole process, as XNNPACK's allocator is.

#include <cstddef>
#include <cstdint>

#include "nnburst/result.h"

namespace nnburst::system {

/// From now on large blocks ask for huge pages. GENERAL_FAILURE if the system gives none, with what
/// to do; blocks then stay as they were. Thread-safe.
[[nodiscard]] Result<> useHugePages();

/// What a block of this size is to be aligned to: a huge page if those are wanted and it fills one,
/// else `least`.
[[nodiscard]] std::size_t blockAlignment(std::uint64_t sizeBytes, std::size_t least) noexcept;

/// Asks for huge pages behind a block, if they are wanted and it fills one.
void adviseHugePages(void* block, std::uint64_t sizeBytes) noexcept;

}  // namespace nnburst::system
