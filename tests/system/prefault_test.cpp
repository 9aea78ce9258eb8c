// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/prefault.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace nnburst::system {
namespace {

/// Pages of shared memory, as those of a channel.
class SharedPages {
  public:
    explicit SharedPages(std::size_t count)
        : bytes_(count * pageBytes()),
          memory_(static_cast<std::byte*>(
              ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
        EXPECT_NE(static_cast<void*>(memory_), MAP_FAILED);
    }
    SharedPages(const SharedPages&) = delete;
    SharedPages& operator=(const SharedPages&) = delete;
    ~SharedPages() { ::munmap(memory_, bytes_); }

    static std::size_t pageBytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

    [[nodiscard]] std::span<std::byte> bytes() const { return {memory_, bytes_}; }
    [[nodiscard]] std::ptrdiff_t presentCount() const {
        std::vector<unsigned char> present(bytes_ / pageBytes());
        EXPECT_EQ(::mincore(memory_, bytes_, present.data()), 0);
        return std::count_if(present.begin(), present.end(), [](unsigned char p) { return p & 1; });
    }

  private:
    std::size_t bytes_;
    std::byte* memory_;
};

TEST(Prefault, makesAllPagesPresentThatTheMemoryTouches) {
    const SharedPages pages(8);
    ASSERT_EQ(pages.presentCount(), 0);
    const std::size_t page = SharedPages::pageBytes();
    prefault(pages.bytes().subspan(2 * page + 100, 2 * page));
    if (pages.presentCount() == 0) {
        GTEST_SKIP() << "this kernel cannot";
    }
    EXPECT_EQ(pages.presentCount(), 3);
}

TEST(Prefault, leavesTheContentsAsTheyAre) {
    const SharedPages pages(2);
    pages.bytes()[17] = std::byte{9};
    prefault(pages.bytes());
    EXPECT_EQ(pages.bytes()[17], std::byte{9});
    EXPECT_EQ(pages.bytes()[18], std::byte{0});
}

}  // namespace
}  // namespace nnburst::system
