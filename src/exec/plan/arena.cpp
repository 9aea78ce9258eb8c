// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/plan/arena.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "log/assert.h"
#include "memory/aligned_buffer.h"

namespace nnburst::exec {

namespace {

std::uint64_t roundUp(std::uint64_t sizeBytes) noexcept {
    return (sizeBytes + kOperandAlignmentBytes - 1) / kOperandAlignmentBytes *
           kOperandAlignmentBytes;
}

bool existTogether(const ArenaBlock& a, const ArenaBlock& b) noexcept {
    return a.firstStep <= b.lastStep && b.firstStep <= a.lastStep;
}

}  // namespace

Result<ArenaLayout> layOutArena(std::span<const ArenaBlock> blocks) {
    ArenaLayout layout;
    layout.offsets.resize(blocks.size());
    const bool mayShare = blocks.size() <= kMaximumSharingBlocks;

    // Largest first, each at the lowest offset where it overlaps with none that is needed at the
    // same time (greedy by size).
    std::vector<std::uint32_t> order(blocks.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return blocks[a].sizeBytes > blocks[b].sizeBytes;
    });
    std::vector<std::uint32_t> placed;  // by offset
    placed.reserve(mayShare ? blocks.size() : 0);
    for (const std::uint32_t index : order) {
        const ArenaBlock& block = blocks[index];
        NNBURST_ASSERT(block.firstStep <= block.lastStep, "block {} lives from step {} to {}",
                       index, block.firstStep, block.lastStep);
        const std::uint64_t sizeBytes = block.sizeBytes;
        std::uint64_t offset = mayShare ? 0 : layout.sizeBytes;
        for (const std::uint32_t other : placed) {
            if (!existTogether(block, blocks[other])) {
                continue;
            }
            if (layout.offsets[other] >= offset + sizeBytes) {
                break;  // the gap before this one is wide enough
            }
            offset = std::max(offset, layout.offsets[other] + roundUp(blocks[other].sizeBytes));
        }
        if (sizeBytes > kMaximumArenaBytes || offset > kMaximumArenaBytes - sizeBytes) {
            return failure(ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT,
                           fmt::format("temporary operands need more than {} bytes at once",
                                       kMaximumArenaBytes));
        }
        layout.offsets[index] = offset;
        layout.sizeBytes = std::max(layout.sizeBytes, roundUp(offset + sizeBytes));
        if (mayShare) {
            placed.insert(std::upper_bound(placed.begin(), placed.end(), index,
                                           [&](std::uint32_t a, std::uint32_t b) {
                                               return layout.offsets[a] < layout.offsets[b];
                                           }),
                          index);
        }
    }
    return layout;
}

}  // namespace nnburst::exec
