// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/slot_table.h"

#include <gtest/gtest.h>

#include <array>

namespace nnburst::burst {
namespace {

TEST(SlotTable, givesEachRegionASlotOfItsOwn) {
    SlotTable table;
    const SharedRegion first = *Region::create(64);
    const SharedRegion second = *Region::create(64);
    const auto slot = table.add(first);
    EXPECT_NE(slot, table.add(second));
    EXPECT_EQ(table.find(*first), slot);
    const std::int32_t slots[] = {*slot};
    EXPECT_EQ(table.regions(slots)[0], first);
}

TEST(SlotTable, reusesARetiredSlotOnlyAfterTheDriverHasForgottenIt) {
    SlotTable table;
    const SharedRegion first = *Region::create(64);
    const auto slot = table.add(first);
    const std::uint64_t version = table.version();
    EXPECT_EQ(table.retire(first.get()), std::vector<std::int32_t>{*slot});
    EXPECT_NE(table.version(), version);
    EXPECT_EQ(table.find(*first), std::nullopt);
    EXPECT_NE(table.add(*Region::create(64)), slot);
    table.reuse(*slot);
    EXPECT_EQ(table.add(first), slot);
}

TEST(SlotTable, leavesASlotToFramesInFlightThatNameIt) {
    SlotTable table;
    const SharedRegion first = *Region::create(64);
    const SharedRegion second = *Region::create(64);
    const std::int32_t slot = *table.add(first);
    const std::uint64_t inFlight = table.version();
    EXPECT_EQ(table.retire(first.get()).size(), 1U);
    table.reuse(slot);
    EXPECT_EQ(table.regions(std::array{slot})[0], first) << "for a frame that was sent before";
    EXPECT_NE(table.add(second, inFlight), slot);

    // The driver has mapped it again, so it has to forget it again.
    EXPECT_NE(table.add(second), slot);
    EXPECT_TRUE(table.retire(nullptr, inFlight).empty());
    EXPECT_EQ(table.retire(nullptr, table.version()), std::vector<std::int32_t>{slot});
    EXPECT_NE(table.add(second), slot);
    table.reuse(slot);
    EXPECT_EQ(table.add(second), slot);
    EXPECT_EQ(table.regions(std::array{slot})[0], second);
    EXPECT_TRUE(table.retire(nullptr, table.version()).empty());
}

TEST(SlotTable, retiresRegionsThatHaveVanished) {
    SlotTable table;
    const auto slot = table.add(*Region::create(64));
    const SharedRegion kept = *Region::create(64);
    EXPECT_TRUE(table.add(kept));
    EXPECT_EQ(table.retire(nullptr), std::vector<std::int32_t>{*slot});
}

TEST(SlotTable, knowsNoRegionOfASlotThatWasNeverGiven) {
    SlotTable table;
    const std::int32_t slots[] = {-1, 0, kMaximumSlots};
    for (const SharedRegion& region : table.regions(slots)) {
        EXPECT_EQ(region, nullptr);
    }
}

TEST(SlotTable, givesNoMoreSlotsThanThereAre) {
    SlotTable table;
    const SharedRegion region = *Region::create(64);
    for (std::int32_t i = 0; i < kMaximumSlots; ++i) {
        ASSERT_EQ(table.add(region), i);
    }
    EXPECT_EQ(table.add(region), std::nullopt);
}

}  // namespace
}  // namespace nnburst::burst
