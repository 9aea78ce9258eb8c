// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/huge_pages.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <string>

namespace nnburst::system {

namespace {

constexpr const char* kSwitch = "/sys/kernel/mm/transparent_hugepage/enabled";

/// The size of a huge page on x86-64.
constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;
constexpr std::size_t kPageBytes = 4096;

std::atomic<bool> areWanted{false};

bool isForHugePages(std::uint64_t sizeBytes) noexcept {
    return sizeBytes >= kHugePageBytes && areWanted.load(std::memory_order_relaxed);
}

}  // namespace

Result<> useHugePages() {
    std::ifstream file(kSwitch);
    std::string states;
    std::getline(file, states);
    if (!file || states.find("[never]") != std::string::npos) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("{} says '{}'; write 'madvise' to it as root", kSwitch,
                                   file ? states : "nothing"));
    }
    areWanted.store(true, std::memory_order_relaxed);
    return {};
}

std::size_t blockAlignment(std::uint64_t sizeBytes, std::size_t least) noexcept {
    return isForHugePages(sizeBytes) ? std::max(kHugePageBytes, least) : least;
}

void adviseHugePages(void* block, std::uint64_t sizeBytes) noexcept {
    if (isForHugePages(sizeBytes)) {
        // A failure is ignored: the block has normal pages then.
        (void)::madvise(block, sizeBytes / kPageBytes * kPageBytes, MADV_HUGEPAGE);
    }
}

}  // namespace nnburst::system
