// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#include "nnburst/memory.h"

namespace nnburst {
namespace {

std::uint64_t pageBytes() {
    return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

Mapping mapNew(std::uint64_t sizeBytes, MappingAccess access = MappingAccess::READ_WRITE) {
    Result<SharedRegion> region = Region::create(sizeBytes);
    EXPECT_TRUE(region) << region.error().message;
    Result<Mapping> mapping = Mapping::map(*region, access);
    EXPECT_TRUE(mapping) << mapping.error().message;
    return std::move(*mapping);
}

bool isMapped(void* address) {
    return ::msync(address, 1, MS_ASYNC) == 0;
}

TEST(Mapping, showsZeroedMemoryOfTheRegionsSizeOnPageBoundaries) {
    for (const std::uint64_t sizeBytes :
         {std::uint64_t{1}, std::uint64_t{100}, pageBytes(), 3 * pageBytes() + 1}) {
        const Mapping mapping = mapNew(sizeBytes);
        EXPECT_EQ(mapping.sizeBytes(), sizeBytes);
        EXPECT_EQ(mapping.bytes().size(), sizeBytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mapping.data()) % pageBytes(), 0U);
        EXPECT_TRUE(std::ranges::all_of(mapping.bytes(),
                                        [](std::byte byte) { return byte == std::byte{0}; }));
        std::ranges::fill(mapping.bytes(), std::byte{1});
    }
}

// Without padding of its own a page-exact region ends where the next mapping or nothing begins.
TEST(Mapping, isFollowedByReadablePaddingWhateverItsSize) {
    for (const std::uint64_t sizeBytes : {std::uint64_t{1}, pageBytes() - kMappingPaddingBytes - 1,
                                          pageBytes() - kMappingPaddingBytes, pageBytes() - 1,
                                          pageBytes(), pageBytes() + 1, 16 * pageBytes()}) {
        const Mapping mapping = mapNew(sizeBytes, MappingAccess::READ_ONLY);
        const volatile std::byte* end = mapping.data() + sizeBytes;
        for (std::size_t i = 0; i < kMappingPaddingBytes; ++i) {
            EXPECT_EQ(std::byte{end[i]}, std::byte{0}) << sizeBytes << " + " << i;
        }
    }
}

TEST(Mapping, paddingOfAPageExactRegionIsNotSharedMemory) {
    const Mapping mapping = mapNew(pageBytes());
    EXPECT_DEATH(mapping.data()[pageBytes()] = std::byte{1}, "");
}

TEST(Mapping, faultsWhenWrittenToWithReadOnlyAccess) {
    const Mapping mapping = mapNew(pageBytes(), MappingAccess::READ_ONLY);
    EXPECT_DEATH(mapping.data()[0] = std::byte{1}, "");
}

TEST(Mapping, sharesItsMemoryWithOtherMappingsOfTheRegion) {
    const Mapping first = mapNew(2 * pageBytes());
    const Result<Mapping> second = Mapping::map(first.region(), MappingAccess::READ_ONLY);
    ASSERT_TRUE(second);
    EXPECT_NE(first.data(), second->data());
    first.data()[pageBytes() + 5] = std::byte{7};
    EXPECT_EQ(second->data()[pageBytes() + 5], std::byte{7});
}

TEST(Mapping, keepsItsRegionAlive) {
    std::weak_ptr<const Region> region;
    {
        const Mapping mapping = mapNew(100);
        region = mapping.region();
        EXPECT_FALSE(region.expired());
    }
    EXPECT_TRUE(region.expired());
}

TEST(Mapping, staysWhereItIsWhenMoved) {
    Mapping mapping = mapNew(100);
    std::byte* address = mapping.data();
    Mapping moved = std::move(mapping);
    EXPECT_EQ(moved.data(), address);
    EXPECT_TRUE(mapping.bytes().empty());  // NOLINT(bugprone-use-after-move): says what is left
    EXPECT_EQ(mapping.region(), nullptr);
    moved.data()[99] = std::byte{1};
}

TEST(Mapping, unmapsTheRegionAndItsPadding) {
    Mapping mapping = mapNew(pageBytes());
    std::byte* address = mapping.data();
    EXPECT_TRUE(isMapped(address));
    EXPECT_TRUE(isMapped(address + pageBytes()));
    mapping = Mapping();
    EXPECT_FALSE(isMapped(address));
    EXPECT_FALSE(isMapped(address + pageBytes()));
}

// The padding was once unmapped together with the pages before it, which another thread might have
// got in the meantime.
TEST(Mapping, unmapsNothingThatAnotherThreadMapped) {
    constexpr int kRounds = 5000;
    std::atomic<bool> isDone{false};
    std::thread other([&] {
        while (!isDone.load(std::memory_order_relaxed)) {  // nothing else depends on the flag
            void* pages = ::mmap(nullptr, pageBytes(), PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            ASSERT_NE(pages, MAP_FAILED);
            for (int i = 0; i < 10; ++i) {
                *static_cast<volatile char*>(pages) = 1;
                std::this_thread::yield();
            }
            ::munmap(pages, pageBytes());
        }
    });
    const SharedRegion region = *Region::create(pageBytes());
    for (int round = 0; round < kRounds; ++round) {
        EXPECT_TRUE(Mapping::map(region));
    }
    isDone.store(true, std::memory_order_relaxed);
    other.join();
}

TEST(Mapping, refusesToMapNoRegion) {
    const Result<Mapping> mapping = Mapping::map(nullptr);
    ASSERT_FALSE(mapping);
    EXPECT_EQ(mapping.error().status, ErrorStatus::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace nnburst
