// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/page_drops.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

namespace {

std::atomic<std::size_t> dropped{0};
std::atomic<std::size_t> longest{0};
std::atomic<bool> areHeld{false};
std::atomic<int> waiting{0};

}  // namespace

namespace nnburst::test {

std::size_t droppedBytes() noexcept {
    return dropped;
}

std::size_t longestDropBytes() noexcept {
    return longest;
}

void resetDrops() noexcept {
    dropped = 0;
    longest = 0;
}

HeldDrops::HeldDrops() noexcept {
    areHeld = true;
}

HeldDrops::~HeldDrops() {
    areHeld = false;
    areHeld.notify_all();
}

bool HeldDrops::isOneWaiting() noexcept {
    return waiting != 0;
}

}  // namespace nnburst::test

/// That of libc otherwise.
extern "C" int madvise(void* first, std::size_t bytes, int advice) noexcept {
    if (advice == MADV_DONTNEED) {
        dropped += bytes;
        longest = std::max(longest.load(), bytes);
        ++waiting;
        areHeld.wait(true);
        --waiting;
    }
    return static_cast<int>(::syscall(SYS_madvise, first, bytes, advice));
}
