// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/failing_allocations.h"

#include <cstddef>
#include <cstdlib>
#include <new>

#include "support/sanitizers.h"

namespace nnburst::test {
namespace {

/// Of the thread: how many allocations succeed before the one that fails; negative: none fails.
thread_local int allocationsLeft = -1;
thread_local bool hasFailed = false;

[[maybe_unused]] bool fails() noexcept {
    if (allocationsLeft < 0 || allocationsLeft-- > 0) {
        return false;
    }
    hasFailed = true;
    return true;
}

}  // namespace

void failAllocationAfter(int count) noexcept {
    allocationsLeft = count;
    hasFailed = false;
}

bool stopFailingAllocations() noexcept {
    allocationsLeft = -1;
    return hasFailed;
}

}  // namespace nnburst::test

#ifndef NNBURST_TEST_HAS_SANITIZER

// In the place of that of libstdc++.
void* operator new(std::size_t bytes) {
    void* const allocated = nnburst::test::fails() ? nullptr : std::malloc(bytes);
    if (allocated == nullptr) {
        throw std::bad_alloc();
    }
    return allocated;
}

void operator delete(void* allocated) noexcept {
    std::free(allocated);
}

void operator delete(void* allocated, std::size_t /*bytes*/) noexcept {
    std::free(allocated);
}

#endif
