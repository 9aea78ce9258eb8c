// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/drop_pages.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "memory/aligned_buffer.h"
#include "nnburst/memory.h"
#include "support/page_drops.h"

namespace nnburst {
namespace {

constexpr std::size_t kPageBytes = 4096;
/// Not a whole number of pieces.
constexpr std::size_t kLargeBytes = 2 * kPagesDroppedAtOnceBytes + 3 * kPageBytes;

/// Whether the page at `address` has an entry in the page tables of this process
/// (Documentation/admin-guide/mm/pagemap.rst).
bool isPresent(const std::byte* address) {
    const UniqueFd pagemap(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
    std::uint64_t entry = 0;
    const auto page = reinterpret_cast<std::uintptr_t>(address) / kPageBytes;
    EXPECT_EQ(
        ::pread(pagemap.get(), &entry, sizeof(entry), static_cast<off_t>(page * sizeof(entry))),
        sizeof(entry));
    return entry >> 63 != 0;
}

void touchEachPage(std::span<std::byte> memory) {
    for (std::size_t i = 0; i < memory.size(); i += kPageBytes) {
        memory[i] = std::byte{7};
    }
}

TEST(DropPages, keepsTheContentsOfSharedMemory) {
    const Mapping mapping = *Mapping::map(*Region::create(kLargeBytes));
    touchEachPage(mapping.bytes());
    ASSERT_TRUE(isPresent(mapping.data()));
    dropPages(mapping.data(), kLargeBytes);
    for (std::size_t i = 0; i < kLargeBytes; i += kPageBytes) {
        ASSERT_FALSE(isPresent(mapping.data() + i)) << i;
    }
    for (std::size_t i = 0; i < kLargeBytes; i += kPageBytes) {
        ASSERT_EQ(mapping.data()[i], std::byte{7}) << i;
    }
}

TEST(DropPages, ofPrivateMemoryLetsItReadAsZeroAndLeavesWhatFollows) {
    void* const mapped = ::mmap(nullptr, kLargeBytes + kPageBytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    const std::span memory(static_cast<std::byte*>(mapped), kLargeBytes + kPageBytes);
    touchEachPage(memory);
    dropPages(memory.data(), kLargeBytes);
    for (std::size_t i = 0; i < kLargeBytes; i += kPageBytes) {
        ASSERT_EQ(memory[i], std::byte{0}) << i;
    }
    EXPECT_EQ(memory[kLargeBytes], std::byte{7});
    ::munmap(mapped, memory.size());
}

TEST(DropPages, leavesPagesThatLieOnlyInPartInTheRange) {
    void* const mapped =
        ::mmap(nullptr, 4 * kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    const std::span memory(static_cast<std::byte*>(mapped), 4 * kPageBytes);
    touchEachPage(memory);
    dropPages(memory.data() + 1, memory.size() - 2);
    dropPages(memory.data() + 1, kPageBytes - 2);  // no whole page
    EXPECT_EQ(memory[0], std::byte{7});
    EXPECT_EQ(memory[kPageBytes], std::byte{0});
    EXPECT_EQ(memory[2 * kPageBytes], std::byte{0});
    EXPECT_EQ(memory[3 * kPageBytes], std::byte{7});
    ::munmap(mapped, memory.size());
}

TEST(DropPages, takesPiecesOfMemoryThatIsLocked) {
    const Mapping mapping = *Mapping::map(*Region::create(kPageBytes));
    touchEachPage(mapping.bytes());
    if (::mlock(mapping.data(), kPageBytes) != 0) {
        GTEST_SKIP() << "memory cannot be locked here";
    }
    dropPages(mapping.data(), kPageBytes);
    const bool isKept = isPresent(mapping.data());
    constexpr int kDropLocked = 24;  // MADV_DONTNEED_LOCKED
    (void)::madvise(mapping.data(), kPageBytes, kDropLocked);
    if (isPresent(mapping.data())) {
        GTEST_SKIP()
            << "locked memory stays before Linux 5.18 and in QEMU's emulation of a process";
    }
    EXPECT_FALSE(isKept);
}

// A client once delayed all others for seconds: it freed gigabytes that its bursts had touched.
TEST(Mapping, isEmptiedInPiecesBeforeItIsUnmapped) {
    const SharedRegion region = *Region::create(kLargeBytes);
    Mapping mapping = *Mapping::map(region);
    touchEachPage(mapping.bytes());
    std::byte* const address = mapping.data();
    test::resetDrops();
    mapping = Mapping();
    EXPECT_EQ(test::droppedBytes(), kLargeBytes);
    EXPECT_EQ(test::longestDropBytes(), kPagesDroppedAtOnceBytes);
    EXPECT_EQ(::msync(address, 1, MS_ASYNC), -1) << "it is still mapped";
    std::array<std::byte, 1> byte{};
    ASSERT_TRUE(region->read(kLargeBytes - kPageBytes, byte));
    EXPECT_EQ(byte[0], std::byte{7});
}

TEST(AlignedBuffer, isEmptiedInPiecesBeforeItIsFreed) {
    AlignedBuffer buffer = std::move(*AlignedBuffer::allocate(kLargeBytes));
    touchEachPage({buffer.data(), kLargeBytes});
    test::resetDrops();
    buffer = AlignedBuffer();
    EXPECT_GE(test::droppedBytes(), kLargeBytes - 2 * kPageBytes);
    EXPECT_EQ(test::longestDropBytes(), kPagesDroppedAtOnceBytes);
}

// A client once delayed all others for seconds: it freed gigabytes in blocks that the heap keeps.
TEST(AlignedBuffer, thatTheHeapKeepsIsEmptiedBeforeItIsFreed) {
    constexpr std::size_t kBuffers = 64;
    constexpr std::size_t kBytes = 1'000'000;
    std::vector<AlignedBuffer> buffers;
    for (std::size_t i = 0; i < kBuffers; ++i) {
        buffers.push_back(std::move(*AlignedBuffer::allocate(kBytes)));
        touchEachPage({buffers.back().data(), kBytes});
    }
    test::resetDrops();
    buffers.clear();
    EXPECT_GE(test::droppedBytes(), kBuffers * (kBytes - 2 * kPageBytes));
}

TEST(AlignedBuffer, thatIsSmallIsFreedAtOnce) {
    constexpr std::size_t kLarger = 1'000'000;
    test::resetDrops();
    for (const std::size_t largeBytes : {kLargeBlockBytes, kLarger}) {
        AlignedBuffer buffer = std::move(*AlignedBuffer::allocate(largeBytes / 2, largeBytes));
        buffer = AlignedBuffer();
    }
    EXPECT_EQ(test::droppedBytes(), 0U);
    AlignedBuffer large = std::move(*AlignedBuffer::allocate(kLarger, kLarger));
    large = AlignedBuffer();
    EXPECT_GE(test::droppedBytes(), kLarger - 2 * kPageBytes);
}

TEST(Mapping, ofOnePieceIsUnmappedAtOnce) {
    Mapping mapping = *Mapping::map(*Region::create(kPagesDroppedAtOnceBytes));
    test::resetDrops();
    mapping = Mapping();
    EXPECT_EQ(test::droppedBytes(), 0U);
}

}  // namespace
}  // namespace nnburst
