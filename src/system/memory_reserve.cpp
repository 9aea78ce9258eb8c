// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/memory_reserve.h"

#include <sys/mman.h>

#include <atomic>
#include <new>

namespace nnburst::system {

namespace {

constinit std::atomic<bool> isReserveKept{false};
constinit std::atomic<void*> memoryReserve{nullptr};  // null while it is given up

/// operator new calls this when it finds no memory, and tries again when it returns.
void giveUpReserve() {
    if (void* const held = memoryReserve.exchange(nullptr, std::memory_order_acq_rel)) {
        ::munmap(held, kMemoryReserveBytes);
        return;
    }
    // A request that is too large even with the reserve leaves it to the others.
    refillMemoryReserve();
    throw std::bad_alloc();
}

}  // namespace

void keepMemoryReserve() noexcept {
    isReserveKept.store(true, std::memory_order_relaxed);  // only says that there may be a reserve
    refillMemoryReserve();
    std::set_new_handler(giveUpReserve);
}

void refillMemoryReserve() noexcept {
    // Relaxed: a value that is out of date costs a mapping, which is undone below.
    if (!isReserveKept.load(std::memory_order_relaxed) ||
        memoryReserve.load(std::memory_order_relaxed) != nullptr) {
        return;
    }
    void* const taken = ::mmap(nullptr, kMemoryReserveBytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void* none = nullptr;
    if (taken != MAP_FAILED &&
        !memoryReserve.compare_exchange_strong(none, taken, std::memory_order_acq_rel)) {
        ::munmap(taken, kMemoryReserveBytes);
    }
}

}  // namespace nnburst::system
