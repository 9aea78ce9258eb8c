// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/recent_mappings.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace nnburst {
namespace {

SharedRegion makeRegion(std::uint64_t sizeBytes = 4096) {
    return *Region::create(sizeBytes);
}

/// The same memory, as it comes with another request.
SharedRegion sentAgain(const SharedRegion& region) {
    return *Region::receive(*UniqueFd::duplicate(region->fd()), region->sizeBytes());
}

TEST(RecentMappings, memoryThatComesAgainIsNotMappedAgain) {
    RecentMappings mappings;
    const SharedRegion region = makeRegion();
    const auto first = *mappings.map(region);
    const auto again = *mappings.map(sentAgain(region));
    EXPECT_EQ(first, again);
    first->bytes()[7] = std::byte{42};
    const auto own = *Mapping::map(region);
    EXPECT_EQ(own.bytes()[7], std::byte{42});
}

TEST(RecentMappings, otherMemoryHasAnotherMapping) {
    RecentMappings mappings;
    const auto one = *mappings.map(makeRegion());
    const auto other = *mappings.map(makeRegion());
    EXPECT_NE(one->data(), other->data());
}

TEST(RecentMappings, aPartOfTheSameMemoryHasAMappingOfItsSize) {
    RecentMappings mappings;
    const SharedRegion whole = makeRegion(8192);
    const SharedRegion part = *Region::receive(*UniqueFd::duplicate(whole->fd()), 4096);
    EXPECT_EQ((*mappings.map(whole))->sizeBytes(), 8192U);
    EXPECT_EQ((*mappings.map(part))->sizeBytes(), 4096U);
    EXPECT_EQ((*mappings.map(whole))->sizeBytes(), 8192U);
}

TEST(RecentMappings, keepsThoseUsedLast) {
    RecentMappings mappings;
    const SharedRegion usedAgain = makeRegion();
    const SharedRegion notUsedAgain = makeRegion();
    const std::weak_ptr<const Mapping> kept = *mappings.map(usedAgain);
    const std::weak_ptr<const Mapping> dropped = *mappings.map(notUsedAgain);
    for (std::size_t i = 0; i + 1 < RecentMappings::kMaximumMappings; ++i) {
        (void)*mappings.map(usedAgain);
        (void)*mappings.map(makeRegion());
    }
    EXPECT_FALSE(kept.expired());
    EXPECT_TRUE(dropped.expired());
}

TEST(RecentMappings, doesNotKeepLargeMemory) {
    RecentMappings mappings;
    const std::weak_ptr<const Mapping> largest =
        *mappings.map(makeRegion(RecentMappings::kMaximumBytes));
    const std::weak_ptr<const Mapping> larger =
        *mappings.map(makeRegion(RecentMappings::kMaximumBytes + 1));
    EXPECT_FALSE(largest.expired());
    EXPECT_TRUE(larger.expired());
}

TEST(RecentMappings, whatIsDroppedStaysMappedForItsUsers) {
    RecentMappings mappings;
    const auto used = *mappings.map(makeRegion());
    for (std::size_t i = 0; i < RecentMappings::kMaximumMappings; ++i) {
        (void)*mappings.map(makeRegion());
    }
    used->bytes()[0] = std::byte{1};
    EXPECT_EQ(used.use_count(), 1);
}

TEST(RecentMappings, saysWhyMemoryCannotBeMapped) {
    RecentMappings mappings;
    EXPECT_FALSE(mappings.map(nullptr));
    const UniqueFd unsealed(::memfd_create("test", MFD_CLOEXEC));
    ASSERT_EQ(::ftruncate(unsealed.get(), 4096), 0);
    const auto foreign = mappings.map(*Region::receive(*UniqueFd::duplicate(unsealed.get()), 4096));
    ASSERT_FALSE(foreign);
    EXPECT_NE(foreign.error().message.find("seal"), std::string::npos) << foreign.error().message;
}

TEST(RecentMappings, threadsUseThemAtTheSameTime) {
    RecentMappings mappings;
    std::vector<SharedRegion> regions;
    for (std::size_t i = 0; i < 2 * RecentMappings::kMaximumMappings; ++i) {
        regions.push_back(makeRegion());
    }
    std::vector<std::thread> threads;
    for (std::size_t first = 0; first < 4; ++first) {
        threads.emplace_back([&, first] {
            for (std::size_t i = 0; i < 2000; ++i) {
                const auto mapping = *mappings.map(regions[(first + i) % regions.size()]);
                mapping->bytes()[first] = std::byte{1};
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

}  // namespace
}  // namespace nnburst
