// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Lays out the temporary operands of a plan in one block of memory, so that operands share bytes
/// unless both are needed at the same time.

#include <cstdint>
#include <span>
#include <vector>

#include "nnburst/result.h"

namespace nnburst::exec {

/// Limit on the size of an arena. Networks for phones need a few megabytes; a model that needs more
/// than this is a mistake or an attack.
inline constexpr std::uint64_t kMaximumArenaBytes = std::uint64_t{4} << 30;

/// With more blocks than this, none of them share bytes: the time to lay them out grows with the
/// square of their number, which a client could use to keep a driver busy.
inline constexpr std::size_t kMaximumSharingBlocks = 4096;

/// A block of memory that is needed from one step to another, both included.
struct ArenaBlock {
    std::uint64_t sizeBytes = 0;
    std::uint32_t firstStep = 0;
    std::uint32_t lastStep = 0;
};

struct ArenaLayout {
    /// One for each block, multiples of kOperandAlignmentBytes.
    std::vector<std::uint64_t> offsets;
    std::uint64_t sizeBytes = 0;
};

/// RESOURCE_EXHAUSTED_PERSISTENT if the blocks need more than kMaximumArenaBytes.
[[nodiscard]] Result<ArenaLayout> layOutArena(std::span<const ArenaBlock> blocks);

}  // namespace nnburst::exec
