// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/allocation_counter.h"

#include <atomic>
#include <cerrno>
#include <cstddef>

namespace {

std::atomic<std::uint64_t> allocations{0};

}  // namespace

namespace nnburst::test {

std::uint64_t allocationCount() noexcept {
    return allocations.load(std::memory_order_relaxed);
}

}  // namespace nnburst::test

#ifndef NNBURST_TEST_HAS_SANITIZER

extern "C" {

// The allocator of glibc behind its public names, which these definitions replace.
void* __libc_malloc(std::size_t sizeBytes);                                // NOLINT
void* __libc_calloc(std::size_t count, std::size_t sizeBytes);             // NOLINT
void* __libc_realloc(void* block, std::size_t sizeBytes);                  // NOLINT
void* __libc_memalign(std::size_t alignmentBytes, std::size_t sizeBytes);  // NOLINT

static void count() noexcept {
    allocations.fetch_add(1, std::memory_order_relaxed);
}

void* malloc(std::size_t sizeBytes) noexcept {
    count();
    return __libc_malloc(sizeBytes);
}

void* calloc(std::size_t elements, std::size_t sizeBytes) noexcept {
    count();
    return __libc_calloc(elements, sizeBytes);
}

void* realloc(void* block, std::size_t sizeBytes) noexcept {
    count();
    return __libc_realloc(block, sizeBytes);
}

void* memalign(std::size_t alignmentBytes, std::size_t sizeBytes) noexcept {
    count();
    return __libc_memalign(alignmentBytes, sizeBytes);
}

void* aligned_alloc(std::size_t alignmentBytes, std::size_t sizeBytes) noexcept {
    count();
    return __libc_memalign(alignmentBytes, sizeBytes);
}

int posix_memalign(void** block, std::size_t alignmentBytes, std::size_t sizeBytes) noexcept {
    count();
    *block = __libc_memalign(alignmentBytes, sizeBytes);
    return *block == nullptr ? ENOMEM : 0;
}

}  // extern "C"

#endif
