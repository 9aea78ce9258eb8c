// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/xnnpack/allocator.h"

#include <gtest/gtest.h>

#include <cstring>

#include "memory/drop_pages.h"
#include "support/page_drops.h"

namespace nnburst::exec::xnnpack {
namespace {

TEST(XnnpackAllocator, emptiesLargeBlocksInPiecesBeforeItFreesThem) {
    constexpr std::size_t kPageBytes = 4096;
    constexpr std::size_t kLargeBytes = 2 * kPagesDroppedAtOnceBytes + 3 * kPageBytes;
    const xnn_allocator& memory = allocator();
    for (const bool isAligned : {false, true}) {
        void* const block = isAligned ? memory.aligned_allocate(memory.context, 64, kLargeBytes)
                                      : memory.allocate(memory.context, kLargeBytes);
        ASSERT_NE(block, nullptr);
        std::memset(block, 7, kLargeBytes);
        test::resetDrops();
        if (isAligned) {
            memory.aligned_deallocate(memory.context, block);
        } else {
            memory.deallocate(memory.context, block);
        }
        EXPECT_GE(test::droppedBytes(), kLargeBytes - 2 * kPageBytes);
        EXPECT_EQ(test::longestDropBytes(), kPagesDroppedAtOnceBytes);
    }
}

}  // namespace
}  // namespace nnburst::exec::xnnpack
