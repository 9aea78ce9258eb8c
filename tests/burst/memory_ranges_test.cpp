// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/memory_ranges.h"

#include <gtest/gtest.h>

namespace nnburst::burst {
namespace {

/// A request with one output at these bytes of pool 0.
Request outputAt(const RequestPool& pool, std::uint32_t offset, std::uint32_t length) {
    Request request;
    request.pools = {pool};
    request.outputs = {{.location = {.poolIndex = 0, .offset = offset, .length = length}}};
    return request;
}

bool overlapInBothOrders(const Request& first, const Request& second) {
    std::vector<MemoryRange> ours;
    std::vector<MemoryRange> theirs;
    collectOutputRanges(first, ours);
    collectOutputRanges(second, theirs);
    EXPECT_EQ(overlap(ours, theirs), overlap(theirs, ours));
    return overlap(ours, theirs);
}

class MemoryRanges : public testing::Test {
  protected:
    const SharedRegion region = *Region::create(4096);
    const SharedRegion other = *Region::create(4096);
};

TEST_F(MemoryRanges, thatTouchDoNotOverlap) {
    EXPECT_FALSE(overlapInBothOrders(outputAt(region, 0, 16), outputAt(region, 16, 16)));
}

TEST_F(MemoryRanges, overlapFromOneByteOn) {
    EXPECT_TRUE(overlapInBothOrders(outputAt(region, 0, 17), outputAt(region, 16, 16)));
    EXPECT_TRUE(overlapInBothOrders(outputAt(region, 16, 16), outputAt(region, 31, 16)));
    EXPECT_TRUE(overlapInBothOrders(outputAt(region, 0, 64), outputAt(region, 16, 1)));
    EXPECT_TRUE(overlapInBothOrders(outputAt(region, 8, 4), outputAt(region, 8, 4)));
}

TEST_F(MemoryRanges, ofTwoMemoriesDoNotOverlap) {
    EXPECT_FALSE(overlapInBothOrders(outputAt(region, 0, 16), outputAt(other, 0, 16)));
    EXPECT_FALSE(
        overlapInBothOrders(outputAt(BufferToken{1}, 0, 16), outputAt(BufferToken{2}, 0, 16)));
    const BufferToken sameNumber{static_cast<std::uint32_t>(region->id())};
    EXPECT_FALSE(overlapInBothOrders(outputAt(region, 0, 16), outputAt(sameNumber, 0, 16)));
}

TEST_F(MemoryRanges, inOneBufferAreTheWholeBuffer) {
    EXPECT_TRUE(
        overlapInBothOrders(outputAt(BufferToken{1}, 0, 0), outputAt(BufferToken{1}, 0, 0)));
}

TEST_F(MemoryRanges, areLeftOutWhereThereIsNoMemory) {
    Request request = outputAt(region, 0, 16);
    request.outputs[0].hasNoValue = true;
    std::vector<MemoryRange> ranges(3);
    collectOutputRanges(request, ranges);
    EXPECT_TRUE(ranges.empty());
    request = outputAt(region, 0, 16);
    request.outputs[0].location.poolIndex = 1;  // refused later
    collectOutputRanges(request, ranges);
    EXPECT_TRUE(ranges.empty());
    collectOutputRanges(outputAt(SharedRegion(), 0, 16), ranges);
    EXPECT_TRUE(ranges.empty());
}

}  // namespace
}  // namespace nnburst::burst
