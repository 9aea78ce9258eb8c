// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "failing_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace nnburst::test {
namespace {

/// Null until the library is loaded: what allocates before does not fail.
constinit FailingMemory* shared = nullptr;

[[gnu::constructor]] void findShared() {
    const char* const path = std::getenv("NNBURST_FAILING_MEMORY");
    const int file = path == nullptr ? -1 : ::open(path, O_RDWR | O_CLOEXEC);
    if (file >= 0) {
        void* const mapped =
            ::mmap(nullptr, sizeof(FailingMemory), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        ::close(file);
        shared = mapped == MAP_FAILED ? nullptr : static_cast<FailingMemory*>(mapped);
    }
}

[[maybe_unused]] bool fails() {
    if (shared == nullptr || shared->count.load(std::memory_order_relaxed) == 0 ||
        shared->until.fetch_sub(1, std::memory_order_relaxed) > 0) {
        return false;
    }
    if (shared->count.fetch_sub(1, std::memory_order_relaxed) <= 0) {
        shared->count.store(0, std::memory_order_relaxed);
        return false;
    }
    shared->failed.fetch_add(1, std::memory_order_relaxed);
    return true;
}

}  // namespace
}  // namespace nnburst::test

// In the place of that of libstdc++, and as that one. Sanitizers keep their own, which the tests
// notice.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void* operator new(std::size_t bytes) {
    while (true) {
        if (void* const allocated = nnburst::test::fails() ? nullptr : std::malloc(bytes)) {
            return allocated;
        }
        const std::new_handler handler = std::get_new_handler();
        if (handler == nullptr) {
            throw std::bad_alloc();
        }
        handler();
    }
}

void operator delete(void* allocated) noexcept {
    std::free(allocated);
}

void operator delete(void* allocated, std::size_t /*bytes*/) noexcept {
    std::free(allocated);
}
#endif
