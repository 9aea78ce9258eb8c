// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "fmq/wait.h"

#include <sched.h>

namespace nnburst::fmq {

WaitPolicy effectivePolicy(const WaitPolicy& policy) noexcept {
    cpu_set_t processors;
    CPU_ZERO(&processors);
    const bool isSingle =
        ::sched_getaffinity(0, sizeof(processors), &processors) == 0 && CPU_COUNT(&processors) == 1;
    return isSingle ? WaitPolicy{std::chrono::nanoseconds(0)} : policy;
}

}  // namespace nnburst::fmq
