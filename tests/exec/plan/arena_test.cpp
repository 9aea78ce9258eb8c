// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/plan/arena.h"

#include <gtest/gtest.h>

#include <numeric>

#include "memory/aligned_buffer.h"
#include "support/test_request.h"

namespace nnburst::exec {
namespace {

bool overlap(std::uint64_t a, std::uint64_t aBytes, std::uint64_t b, std::uint64_t bBytes) {
    return a < b + bBytes && b < a + aBytes;
}

TEST(Arena, blocksOfDifferentTimesShareBytes) {
    const std::vector<ArenaBlock> blocks{{1000, 0, 1}, {1000, 2, 3}};
    const auto layout = layOutArena(blocks);
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->offsets[0], layout->offsets[1]);
    EXPECT_EQ(layout->sizeBytes, 1024U);
}

TEST(Arena, aChainOfOperandsNeedsNoMoreThanItsLargestNeighbours) {
    // Each is written by one step and read by the next.
    const std::vector<ArenaBlock> blocks{
        {131072, 0, 1}, {131072, 1, 2}, {262144, 2, 3}, {65536, 3, 4}, {131072, 4, 5}};
    const auto layout = layOutArena(blocks);
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->sizeBytes, 131072U + 262144U);
}

TEST(Arena, blocksOfOneTimeNeverOverlap) {
    Random random(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<ArenaBlock> blocks(random.size(1, 60));
        for (ArenaBlock& block : blocks) {
            block.sizeBytes = random.size(0, 3000);
            block.firstStep = random.size(0, 30);
            block.lastStep = block.firstStep + random.size(0, 10);
        }
        const auto layout = layOutArena(blocks);
        ASSERT_TRUE(layout);
        for (std::size_t a = 0; a < blocks.size(); ++a) {
            ASSERT_EQ(layout->offsets[a] % kOperandAlignmentBytes, 0U);
            ASSERT_LE(layout->offsets[a] + blocks[a].sizeBytes, layout->sizeBytes);
            for (std::size_t b = 0; b < a; ++b) {
                const bool areTogether = blocks[a].firstStep <= blocks[b].lastStep &&
                                         blocks[b].firstStep <= blocks[a].lastStep;
                ASSERT_FALSE(areTogether && overlap(layout->offsets[a], blocks[a].sizeBytes,
                                                    layout->offsets[b], blocks[b].sizeBytes))
                    << "round " << round << ", blocks " << a << " and " << b;
            }
        }
    }
}

TEST(Arena, tooManyBlocksDoNotShareButAreLaidOut) {
    const std::vector<ArenaBlock> blocks(kMaximumSharingBlocks + 1, {64, 0, 0});
    const auto layout = layOutArena(blocks);
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->sizeBytes, 64 * blocks.size());
}

TEST(Arena, refusesMoreThanItsLimit) {
    const std::vector<ArenaBlock> blocks(2, {kMaximumArenaBytes / 2 + 64, 0, 0});
    const auto layout = layOutArena(blocks);
    ASSERT_FALSE(layout);
    EXPECT_EQ(layout.error().status, ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT);
}

TEST(Arena, sizesThatWouldOverflowAreRefused) {
    const std::vector<ArenaBlock> blocks{{UINT64_MAX, 0, 0}, {UINT64_MAX - 64, 0, 0}};
    EXPECT_FALSE(layOutArena(blocks));
}

}  // namespace
}  // namespace nnburst::exec
