// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "nnburst/memory.h"

namespace nnburst {
namespace {

using Block = MemoryPool::Block;

MemoryPool createPool(std::uint64_t sizeBytes) {
    Result<MemoryPool> pool = MemoryPool::create(sizeBytes);
    EXPECT_TRUE(pool) << pool.error().message;
    return std::move(*pool);
}

Block allocate(MemoryPool& pool, std::uint64_t sizeBytes, std::size_t alignmentBytes = 1) {
    Result<Block> block = pool.allocate(sizeBytes, alignmentBytes);
    EXPECT_TRUE(block) << block.error().message;
    return std::move(*block);
}

TEST(MemoryPool, refusesSizesOutOfItsRange) {
    for (const std::uint64_t sizeBytes : {std::uint64_t{0}, std::uint64_t{UINT32_MAX} + 1}) {
        const Result<MemoryPool> pool = MemoryPool::create(sizeBytes);
        ASSERT_FALSE(pool) << sizeBytes;
        EXPECT_EQ(pool.error().status, ErrorStatus::INVALID_ARGUMENT);
    }
}

TEST(MemoryPool, refusesBlocksWithoutSizeOrWithOddAlignment) {
    MemoryPool pool = createPool(1000);
    EXPECT_EQ(pool.allocate(0).error().status, ErrorStatus::INVALID_ARGUMENT);
    for (const std::size_t alignment : {std::size_t{0}, std::size_t{3}, std::size_t{8192}}) {
        EXPECT_EQ(pool.allocate(1, alignment).error().status, ErrorStatus::INVALID_ARGUMENT)
            << alignment;
    }
    EXPECT_EQ(pool.freeBytes(), 1000U);
}

TEST(MemoryPool, refusesBlocksLargerThanWhatIsFree) {
    MemoryPool pool = createPool(1000);
    const Block block = allocate(pool, 600);
    for (const std::uint64_t sizeBytes :
         {std::uint64_t{401}, std::uint64_t{UINT32_MAX}, std::uint64_t{UINT64_MAX}}) {
        EXPECT_EQ(pool.allocate(sizeBytes, 1).error().status,
                  ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT)
            << sizeBytes;
    }
    EXPECT_EQ(pool.freeBytes(), 400U);
}

TEST(MemoryPool, alignsBlocksToACacheLineUnlessAskedOtherwise) {
    MemoryPool pool = createPool(4096);
    const Block first = allocate(pool, 1);
    const Result<Block> second = pool.allocate(10);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->offset(), 64U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(second->data()) % 64, 0U);
    const Block third = allocate(pool, 10, 1024);
    EXPECT_EQ(third.offset(), 1024U);
}

TEST(MemoryPool, showsItsBlocksAtTheirOffsetsInTheRegion) {
    MemoryPool pool = createPool(4096);
    const Block unused = allocate(pool, 100);
    const Block block = allocate(pool, 200, 64);
    EXPECT_EQ(block.length(), 200U);
    std::ranges::fill(block.bytes(), std::byte{9});
    const Result<Mapping> mapping = Mapping::map(pool.region());
    ASSERT_TRUE(mapping);
    EXPECT_TRUE(std::ranges::equal(mapping->bytes().subspan(block.offset(), block.length()),
                                   block.bytes()));
    EXPECT_EQ(mapping->bytes()[block.offset() + block.length()], std::byte{0});
}

TEST(MemoryPool, joinsFreeBlocksInWhateverOrderTheyAreFreed) {
    std::vector<std::size_t> order{0, 1, 2, 3};
    do {
        MemoryPool pool = createPool(4000);
        std::vector<Block> blocks;
        for (std::size_t i = 0; i < order.size(); ++i) {
            blocks.push_back(allocate(pool, 1000));
        }
        EXPECT_FALSE(pool.allocate(1, 1));
        for (const std::size_t index : order) {
            blocks[index] = Block();
        }
        EXPECT_TRUE(pool.allocate(4000, 1));
    } while (std::ranges::next_permutation(order).found);
}

TEST(MemoryPoolBlock, isGivenBackOnceHoweverOftenItIsMoved) {
    MemoryPool pool = createPool(1000);
    {
        Block block = allocate(pool, 300);
        Block moved = std::move(block);
        EXPECT_EQ(block.data(), nullptr);  // NOLINT(bugprone-use-after-move): says what is left
        EXPECT_EQ(block.length(), 0U);
        EXPECT_EQ(pool.freeBytes(), 700U);
    }
    EXPECT_EQ(pool.freeBytes(), 1000U);
}

TEST(MemoryPoolBlock, isGivenBackAtOnceWhenAnotherTakesItsPlace) {
    MemoryPool pool = createPool(1000);
    Block block = allocate(pool, 300);
    Block other = allocate(pool, 100);
    block = std::move(other);
    EXPECT_EQ(pool.freeBytes(), 900U);
    EXPECT_EQ(block.length(), 100U);
}

TEST(MemoryPoolBlock, keepsItsMemoryWhenThePoolIsGone) {
    std::optional<MemoryPool> pool = createPool(1000);
    std::weak_ptr<const Region> region = pool->region();
    std::optional<Block> block = allocate(*pool, 300);
    pool.reset();
    EXPECT_FALSE(region.expired());
    std::ranges::fill(block->bytes(), std::byte{1});
    block.reset();
    EXPECT_TRUE(region.expired());
}

/// A model of the pool, byte by byte.
class PoolModel {
  public:
    explicit PoolModel(std::size_t sizeBytes) : isUsed_(sizeBytes, false) {}

    /// The lowest offset that fits.
    [[nodiscard]] std::optional<std::size_t> find(std::size_t sizeBytes,
                                                  std::size_t alignmentBytes) const {
        for (std::size_t offset = 0; offset + sizeBytes <= isUsed_.size();
             offset += alignmentBytes) {
            const auto begin = isUsed_.begin() + static_cast<std::ptrdiff_t>(offset);
            const auto end = begin + static_cast<std::ptrdiff_t>(sizeBytes);
            if (std::find(begin, end, true) == end) {
                return offset;
            }
        }
        return std::nullopt;
    }

    void mark(std::size_t offset, std::size_t sizeBytes, bool isUsed) {
        const auto begin = isUsed_.begin() + static_cast<std::ptrdiff_t>(offset);
        std::fill(begin, begin + static_cast<std::ptrdiff_t>(sizeBytes), isUsed);
    }

    [[nodiscard]] std::uint64_t freeBytes() const {
        return static_cast<std::uint64_t>(std::count(isUsed_.begin(), isUsed_.end(), false));
    }

  private:
    std::vector<bool> isUsed_;
};

/// The seed of random tests: NNBURST_SEED, or a new one each time.
std::uint32_t testSeed() {
    const char* given = std::getenv("NNBURST_SEED");
    return given != nullptr ? static_cast<std::uint32_t>(std::stoul(given))
                            : std::random_device()();
}

TEST(MemoryPool, doesWhatASimpleModelDoesUnderRandomOperations) {
    constexpr std::size_t kPoolBytes = 20000;
    constexpr int kOperations = 2000;
    const std::uint32_t seed = testSeed();
    SCOPED_TRACE("NNBURST_SEED=" + std::to_string(seed));
    std::mt19937 random(seed);
    MemoryPool pool = createPool(kPoolBytes);
    PoolModel model(kPoolBytes);
    std::vector<Block> blocks;
    for (int operation = 0; operation < kOperations; ++operation) {
        if (blocks.empty() || random() % 2 == 0) {
            const std::size_t sizeBytes = 1 + random() % (random() % 2 == 0 ? 100 : 4000);
            const std::size_t alignmentBytes = std::size_t{1} << (random() % 13);
            Result<Block> block = pool.allocate(sizeBytes, alignmentBytes);
            const auto expected = model.find(sizeBytes, alignmentBytes);
            ASSERT_EQ(block.has_value(), expected.has_value());
            if (block) {
                ASSERT_EQ(block->offset(), *expected);
                ASSERT_EQ(block->length(), sizeBytes);
                model.mark(*expected, sizeBytes, true);
                blocks.push_back(std::move(*block));
            }
        } else {
            std::swap(blocks[random() % blocks.size()], blocks.back());
            model.mark(blocks.back().offset(), blocks.back().length(), false);
            blocks.pop_back();
        }
        ASSERT_EQ(pool.freeBytes(), model.freeBytes());
    }
}

TEST(MemoryPool, servesSeveralThreadsAtOnce) {
    constexpr int kThreads = 4;
    constexpr int kRounds = 500;
    MemoryPool pool = createPool(8192);
    std::vector<std::thread> threads;
    for (int id = 1; id <= kThreads; ++id) {
        threads.emplace_back([&pool, id] {
            const auto mark = static_cast<std::byte>(id);
            for (int round = 0; round < kRounds; ++round) {
                const Result<Block> block = pool.allocate(static_cast<std::uint64_t>(round) + 1);
                ASSERT_TRUE(block) << block.error().message;
                std::ranges::fill(block->bytes(), mark);
                EXPECT_TRUE(std::ranges::all_of(block->bytes(),
                                                [&](std::byte byte) { return byte == mark; }));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(pool.freeBytes(), 8192U);
}

}  // namespace
}  // namespace nnburst
