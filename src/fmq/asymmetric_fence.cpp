// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "fmq/asymmetric_fence.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace nnburst::fmq {

namespace {

bool membarrier(membarrier_cmd command) noexcept {
    return ::syscall(SYS_membarrier, command, 0, 0) == 0;
}

thread_local std::uint64_t heavyFences = 0;

}  // namespace

bool hasHeavyFences() noexcept {
    static const bool has = membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) &&
                            membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
    return has;
}

void heavyFence() noexcept {
    ++heavyFences;
    (void)membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

std::uint64_t heavyFenceCount() noexcept {
    return heavyFences;
}

}  // namespace nnburst::fmq
