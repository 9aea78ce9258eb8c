// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Huge pages for large blocks of private memory, which cause fewer TLB misses. A setting of the
/// whole process, as XNNPACK's allocator is.

#include <cstddef>
#include <cstdint>

#include "nnburst/result.h"

namespace nnburst::system {

/// Enables huge pages for blocks that are allocated from now on. GENERAL_FAILURE, with a remedy, if
/// the system has none; blocks then have normal pages. Thread-safe.
[[nodiscard]] Result<> useHugePages();

/// The alignment of a block of this size: that of a huge page if they are enabled and the block
/// fills one, else `least`.
[[nodiscard]] std::size_t blockAlignment(std::uint64_t sizeBytes, std::size_t least) noexcept;

/// Asks for huge pages for a block, if they are enabled and the block fills one.
void adviseHugePages(void* block, std::uint64_t sizeBytes) noexcept;

}  // namespace nnburst::system
