// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/prefault.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace nnburst::system {

namespace {

/// madvise(2) of Linux 5.14; headers before glibc 2.35 lack it.
constexpr int kPopulateWrite = 23;

}  // namespace

void prefault(std::span<std::byte> memory) noexcept {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto start = reinterpret_cast<std::uintptr_t>(memory.data());
    const std::uintptr_t offset = start % page;
    (void)::madvise(memory.data() - offset, memory.size() + offset, kPopulateWrite);
}

}  // namespace nnburst::system
