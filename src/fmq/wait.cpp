// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "fmq/wait.h"

#include <unistd.h>

namespace nnburst::fmq {

WaitPolicy effectivePolicy(const WaitPolicy& policy) noexcept {
    static const bool isSingle = ::sysconf(_SC_NPROCESSORS_ONLN) == 1;
    return isSingle ? WaitPolicy{.spinWindow = {}, .mode = WaitMode::BLOCK} : policy;
}

}  // namespace nnburst::fmq
