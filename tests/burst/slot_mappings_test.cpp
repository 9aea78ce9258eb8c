// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/slot_mappings.h"

#include <gtest/gtest.h>

#include "fakes.h"

namespace nnburst::burst {
namespace {

class SlotMappingsTest : public testing::Test {
  protected:
    static FramePool slot(std::uint32_t number) {
        return {.kind = static_cast<std::uint32_t>(FramePool::Kind::SLOT), .value = number};
    }
    static FramePool token(std::uint32_t number) {
        return {.kind = static_cast<std::uint32_t>(FramePool::Kind::TOKEN), .value = number};
    }

    Result<> resolve(std::vector<FramePool> framePools) {
        pools.clear();
        return slots.resolve(framePools, pools);
    }

    SharedRegion region = *Region::create(4096);
    std::shared_ptr<FakeDriverControlPlane> client = std::make_shared<FakeDriverControlPlane>(
        [this](std::span<const std::int32_t> asked) -> Result<std::vector<SharedRegion>> {
            return std::vector<SharedRegion>(asked.size(), region);
        });
    std::shared_ptr<ServingThreadPool> threads = *ServingThreadPool::create();
    SlotMappings slots{client, *threads};
    std::vector<exec::RequestMemory> pools;
};

TEST_F(SlotMappingsTest, fetchesEachSlotOnce) {
    ASSERT_TRUE(resolve({slot(5), slot(0), slot(5)}));
    EXPECT_EQ(client->fetched, 2);
    ASSERT_EQ(pools.size(), 3U);
    EXPECT_NE(pools[0].view.data, nullptr);
    EXPECT_EQ(pools[0].view.data, pools[2].view.data);
    EXPECT_EQ(pools[0].view.sizeBytes, region->sizeBytes());
    ASSERT_TRUE(resolve({slot(0), slot(5)}));
    EXPECT_EQ(client->fetched, 2);
}

TEST_F(SlotMappingsTest, fetchesAgainWhatWasFreed) {
    ASSERT_TRUE(resolve({slot(1), slot(2)}));
    EXPECT_FALSE(slots.hasUnmapRequests());
    slots.requestUnmap(2);
    EXPECT_TRUE(slots.hasUnmapRequests());
    slots.unmapRequested();
    EXPECT_TRUE(slots.isKnown(1));
    EXPECT_FALSE(slots.isKnown(2));
    EXPECT_FALSE(slots.hasUnmapRequests());
    ASSERT_TRUE(resolve({slot(1), slot(2)}));
    EXPECT_EQ(client->fetched, 3);
    slots.unmapRequested();
    EXPECT_TRUE(slots.isKnown(2)) << "each request is served once";
}

/// A slot may be freed that the driver has never fetched: its request went over the control plane.
TEST_F(SlotMappingsTest, doesNotUnmapWhatWasFetchedAfterItsSlotWasFreed) {
    ASSERT_TRUE(resolve({slot(0)}));
    slots.requestUnmap(5);
    slots.unmapRequested();
    ASSERT_TRUE(resolve({slot(5)}));
    slots.requestUnmap(0);
    slots.unmapRequested();
    EXPECT_FALSE(slots.isKnown(0));
    EXPECT_TRUE(slots.isKnown(5));
}

TEST_F(SlotMappingsTest, ignoreSlotsThatCannotExist) {
    ASSERT_TRUE(resolve({slot(0)}));
    slots.requestUnmap(-1);
    slots.requestUnmap(kMaximumSlots);
    EXPECT_FALSE(slots.hasUnmapRequests());
    slots.unmapRequested();
    EXPECT_TRUE(slots.isKnown(0));
}

TEST_F(SlotMappingsTest, refusesMoreUnknownSlotsThanItMayAskForAndDoesNotAsk) {
    std::vector<FramePool> framePools;
    for (std::uint32_t i = 0; i <= kMaximumSlotsAskedFor; ++i) {
        framePools.push_back(slot(i));
    }
    framePools.push_back(token(9));
    const Result<> result = resolve(framePools);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT);
    EXPECT_EQ(result.error().message,
              "request pool 127: slot 127 makes 128 slots whose memory the driver does not have; "
              "must be at most 127 in one request");
    EXPECT_EQ(client->fetched, 0);
    ASSERT_EQ(pools.size(), framePools.size());
    EXPECT_EQ(pools.back().token, BufferToken{9}) << "buffers are known all the same";
    framePools.erase(framePools.begin());
    EXPECT_TRUE(resolve(framePools));
    EXPECT_EQ(client->fetched, 127);
}

TEST_F(SlotMappingsTest, refusesASlotThatTheClientDoesNotKnow) {
    region = nullptr;
    const Result<> result = resolve({slot(3), token(9)});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
    ASSERT_EQ(pools.size(), 2U);
    EXPECT_EQ(pools[1].token, BufferToken{9}) << "buffers are known all the same";
}

TEST_F(SlotMappingsTest, refusesAnotherNumberOfMemories) {
    client->setMemories([this](auto) -> Result<std::vector<SharedRegion>> {
        return std::vector<SharedRegion>{region};
    });
    const Result<> result = resolve({slot(0), slot(1)});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "the client gave 1 memories for 2 slots: must be as many");
}

TEST_F(SlotMappingsTest, tellsTheClientsErrorAndAsksAgain) {
    client->setMemories([](auto) -> Result<std::vector<SharedRegion>> {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT, "no descriptor is left");
    });
    const Result<> result = resolve({slot(0)});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_EQ(result.error().message, "no descriptor is left");
    client->setMemories([this](auto) -> Result<std::vector<SharedRegion>> {
        return std::vector<SharedRegion>{region};
    });
    EXPECT_TRUE(resolve({slot(0)}));
    EXPECT_EQ(client->fetched, 2);
}

TEST_F(SlotMappingsTest, leavesBuffersToTheSession) {
    ASSERT_TRUE(resolve({token(4)}));
    EXPECT_EQ(client->fetched, 0);
    ASSERT_EQ(pools.size(), 1U);
    EXPECT_EQ(pools[0].token, BufferToken{4});
    EXPECT_EQ(pools[0].view.data, nullptr);
}

}  // namespace
}  // namespace nnburst::burst
