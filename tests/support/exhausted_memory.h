// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Processes in which memory has run out.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>

#include "support/sanitizers.h"

namespace nnburst::test {

/// Whether the system limits address space: QEMU's emulation of a process does not.
inline bool limitsAddressSpace() {
    rlimit before{};
    if (::getrlimit(RLIMIT_AS, &before) != 0) {
        return false;
    }
    const rlimit limit{.rlim_cur = std::min<rlim_t>(before.rlim_cur, rlim_t{1} << 46) - 1,
                       .rlim_max = before.rlim_max};
    rlimit after{};
    const bool isLimited = ::setrlimit(RLIMIT_AS, &limit) == 0 &&
                           ::getrlimit(RLIMIT_AS, &after) == 0 && after.rlim_cur == limit.rlim_cur;
    (void)::setrlimit(RLIMIT_AS, &before);
    return isLimited;
}

/// Lets the process take no more address space than it has.
inline void stopGrowth() {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit limit{.rlim_cur = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)),
                       .rlim_max = RLIM_INFINITY};
    ASSERT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
}

/// Takes memory, which is not given back, until there is none.
inline void exhaustMemory() {
    stopGrowth();
    for (std::size_t bytes = std::size_t{1} << 20; bytes >= sizeof(void*); bytes /= 2) {
        void* volatile taken = std::malloc(bytes);
        while (taken != nullptr) {
            taken = std::malloc(bytes);
        }
    }
}

}  // namespace nnburst::test

/// What `work` returns is the exit status of a process of its own, whose memory may run out. Skips
/// the rest of a test in a build with sanitizers, whose allocators end the process then, and where
/// memory does not run out.
#define EXPECT_EXIT_STATUS(work, status)                                      \
    do {                                                                      \
        if (nnburst::test::kHasSanitizer) {                                   \
            GTEST_SKIP() << "sanitizers have an allocator of their own";      \
        }                                                                     \
        if (!nnburst::test::limitsAddressSpace()) {                           \
            GTEST_SKIP() << "this system does not limit address space";       \
        }                                                                     \
        EXPECT_EXIT(std::_Exit(work()), testing::ExitedWithCode(status), ""); \
    } while (false)
