// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

#include "nnapi/staging_memory.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace nnburst::nnapi {
namespace {

Mapping take(StagingMemory& memory, std::uint64_t sizeBytes) {
    auto mapping = memory.take(sizeBytes);
    EXPECT_TRUE(mapping) << mapping.error().message;
    return mapping ? *std::move(mapping) : Mapping();
}

TEST(NnapiStagingMemory, isNeverGivenToTwoExecutionsAtATime) {
    StagingMemory memory;
    memory.giveBack(take(memory, 64));
    const Mapping first = take(memory, 64);
    const Mapping second = take(memory, 64);
    EXPECT_NE(first.region(), second.region());
}

TEST(NnapiStagingMemory, thatWasGivenBackIsTakenAgain) {
    StagingMemory memory;
    Mapping mapping = take(memory, 64);
    const SharedRegion region = mapping.region();
    memory.giveBack(std::move(mapping));
    EXPECT_NE(take(memory, 65).region(), region) << "it is too small";
    EXPECT_EQ(take(memory, 64).region(), region);
}

TEST(NnapiStagingMemory, isKeptInSmallNumbersAndSizes) {
    StagingMemory memory;
    std::vector<std::weak_ptr<const Region>> regions;
    std::vector<Mapping> mappings;
    for (std::size_t i = 0; i < StagingMemory::kMaximumKept + 2; ++i) {
        const bool isLarge = i == StagingMemory::kMaximumKept + 1;
        mappings.push_back(take(memory, StagingMemory::kMaximumKeptBytes + (isLarge ? 1 : 0)));
        regions.push_back(mappings.back().region());
    }
    for (Mapping& mapping : mappings) {
        memory.giveBack(std::move(mapping));
    }
    mappings.clear();
    EXPECT_TRUE(regions.front().expired()) << "one too many";
    EXPECT_TRUE(regions.back().expired()) << "it is too large";
    for (std::size_t i = 1; i <= StagingMemory::kMaximumKept; ++i) {
        EXPECT_FALSE(regions[i].expired()) << i;
    }
}

}  // namespace
}  // namespace nnburst::nnapi
