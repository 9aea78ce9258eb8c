// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/aligned_buffer.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "nnburst/memory.h"
#include "support/sanitizers.h"
#include "system/prefault.h"

namespace nnburst {
namespace {

/// Of the calling thread, up to now.
long pageFaults() {
    rusage usage{};
    EXPECT_EQ(::getrusage(RUSAGE_THREAD, &usage), 0);
    return usage.ru_minflt;
}

TEST(AlignedBuffer, takesOnePageFaultForEachPageThatItTouches) {
    if (test::kHasSanitizer) {
        GTEST_SKIP() << "sanitizers touch memory of their own";
    }
    constexpr long kPages = 250;  // too few for a huge page
    const auto pageBytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const auto write = [pageBytes](const AlignedBuffer& buffer) {
        for (std::size_t page = 0; page < kPages; ++page) {
            std::byte& first = buffer.data()[page * pageBytes];
            EXPECT_EQ(first, std::byte{0});
            first = std::byte{1};
        }
    };
    const AlignedBuffer present = std::move(*AlignedBuffer::allocate(kPages * pageBytes));
    system::prefault({present.data(), present.sizeBytes()});
    const long beforeAll = pageFaults();
    write(present);
    if (pageFaults() - beforeAll > kPages / 2) {
        GTEST_SKIP() << "this system makes no pages present (since Linux 5.14)";
    }
    const AlignedBuffer buffer = std::move(*AlignedBuffer::allocate(kPages * pageBytes));
    const long before = pageFaults();
    buffer.touch(buffer.sizeBytes());
    const long touched = pageFaults();
    EXPECT_LT(touched - before, kPages + kPages / 2);
    write(buffer);
    EXPECT_LT(pageFaults() - touched, kPages / 2);
}

TEST(AlignedBuffer, leavesWhatIsBesideItWhenItGivesItsMemoryBack) {
    constexpr std::size_t kSmall = 1000;
    std::vector<AlignedBuffer> kept;
    std::vector<AlignedBuffer> released;
    for (int i = 0; i < 200; ++i) {
        kept.push_back(std::move(*AlignedBuffer::allocate(kSmall)));
        std::fill_n(kept.back().data(), kSmall, std::byte{7});
        released.push_back(std::move(*AlignedBuffer::allocate(20'000)));
    }
    for (const AlignedBuffer& buffer : released) {
        buffer.release();
    }
    for (const AlignedBuffer& buffer : kept) {
        ASSERT_EQ(std::count(buffer.data(), buffer.data() + kSmall, std::byte{7}), kSmall);
    }
}

TEST(AlignedBuffer, hasAllItsPagesAfterATouchAndKeepsItsContents) {
    constexpr std::size_t kSize = 1 << 20;
    const AlignedBuffer buffer = std::move(*AlignedBuffer::allocate(kSize));
    std::fill_n(buffer.data(), kSize, std::byte{7});
    buffer.touch(kSize);
    EXPECT_EQ(std::count(buffer.data(), buffer.data() + kSize, std::byte{7}), kSize);

    buffer.release();  // whole pages read as zero, and are not there
    buffer.touch(UINT64_MAX);
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const auto start = reinterpret_cast<std::uintptr_t>(buffer.data());
    std::vector<unsigned char> isPresent(kSize / page);
    std::byte* const firstPage = buffer.data() - start % page;
    ASSERT_EQ(::mincore(firstPage, kSize, isPresent.data()), 0);
    EXPECT_EQ(std::count(isPresent.begin(), isPresent.end(), 1), isPresent.size());
}

TEST(AlignedBuffer, touchesNoMoreThanItIsAskedTo) {
    constexpr std::size_t kSize = 1 << 20;
    const AlignedBuffer buffer = std::move(*AlignedBuffer::allocate(kSize));
    buffer.release();
    buffer.touch(kSize / 4);
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const auto start = reinterpret_cast<std::uintptr_t>(buffer.data());
    std::vector<unsigned char> isPresent(kSize / page);
    ASSERT_EQ(::mincore(buffer.data() - start % page, kSize, isPresent.data()), 0);
    EXPECT_LE(std::count(isPresent.begin(), isPresent.end(), 1), kSize / 4 / page + 2);
}

TEST(AlignedBuffer, refusesASizeThatLeavesNoRoomForItsPadding) {
    for (const std::uint64_t sizeBytes : {UINT64_MAX, UINT64_MAX - kMappingPaddingBytes}) {
        const auto buffer = AlignedBuffer::allocate(sizeBytes);
        ASSERT_FALSE(buffer) << sizeBytes;
        EXPECT_EQ(buffer.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    }
}

TEST(GrowingBuffer, hasRoomForWhatWasWantedLast) {
    GrowingBuffer buffer;
    for (const std::uint64_t sizeBytes : {10U, 5U, 1'000U, 100'000U, 3U}) {
        std::byte* const data = *buffer.reserve(sizeBytes);
        ASSERT_GE(buffer.capacityBytes(), sizeBytes);
        std::fill_n(data, sizeBytes, std::byte{1});
    }
}

}  // namespace
}  // namespace nnburst
