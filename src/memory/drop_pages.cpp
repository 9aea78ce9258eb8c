// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/drop_pages.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>

#include "system/scheduling.h"

namespace nnburst {

namespace {

/// madvise(2) of Linux 5.18, for memory that is locked (mlockall); headers before glibc 2.36 lack
/// it.
constexpr int kDropLocked = 24;

/// Threads take turns, in the order in which they come: one that drops gigabytes would otherwise
/// get each next turn before those that sleep.
class Turns {
  public:
    void lock() noexcept {
        const std::uint32_t turn = next_.fetch_add(1, std::memory_order_relaxed);  // only a number
        // sync [turn-ended]: nothing but the turn itself is handed over
        for (auto now = current_.load(std::memory_order_acquire); now != turn;
             now = current_.load(std::memory_order_acquire)) {
            current_.wait(now, std::memory_order_acquire);
        }
    }
    void unlock() noexcept {
        current_.fetch_add(1, std::memory_order_release);  // sync [turn-ended]
        current_.notify_all();
    }

  private:
    std::atomic<std::uint32_t> next_{0};
    std::atomic<std::uint32_t> current_{0};
};

/// Held for one piece: if many threads drop pages at a time, a thread that wants to map memory
/// waits for one piece, not for one of each thread.
Turns pieceTurns;

}  // namespace

void dropPages(std::byte* first, std::size_t sizeBytes) noexcept {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto start = reinterpret_cast<std::uintptr_t>(first);
    const std::uintptr_t end = (start + sizeBytes) / page * page;
    for (std::uintptr_t at = (start + page - 1) / page * page; at < end;
         at += kPagesDroppedAtOnceBytes) {
        std::byte* const piece = first + (at - start);
        const std::size_t pieceBytes = std::min<std::size_t>(kPagesDroppedAtOnceBytes, end - at);
        system::letOthersRun();
        const std::lock_guard lock(pieceTurns);
        if (::madvise(piece, pieceBytes, MADV_DONTNEED) != 0 &&
            ::madvise(piece, pieceBytes, kDropLocked) != 0) {
            return;
        }
    }
}

void freeInPieces(void* block, std::size_t largeBytes) noexcept {
    if (const std::size_t sizeBytes = ::malloc_usable_size(block); sizeBytes >= largeBytes) {
        dropPages(static_cast<std::byte*>(block), sizeBytes);
    }
    std::free(block);
}

}  // namespace nnburst
