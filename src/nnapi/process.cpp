// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnapi/process.h"

#include <pthread.h>

#include <atomic>

#include "nnburst/log_message.h"

namespace nnburst::nnapi {

namespace {

std::atomic<bool> isForked{false};

}  // namespace

void keepDevicesFromChildren() {
    // Relaxed: the child has one thread when this runs, and those it starts later see its writes.
    static const int error =
        ::pthread_atfork(nullptr, nullptr, [] { isForked.store(true, std::memory_order_relaxed); });
    if (error != 0) {
        logMessage(LogLevel::WARNING,
                   "no memory to tell forked children that they cannot use NNAPI");
    }
}

bool hasDevicesOfParent() noexcept {
    return isForked.load(std::memory_order_relaxed);
}

}  // namespace nnburst::nnapi
