// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Waits and nice values in tests of the threads that serve bursts.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <thread>

#include "system/scheduling.h"

namespace nnburst::burst {

template <class Condition>
void waitFor(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!condition()) {
        ASSERT_LT(std::chrono::steady_clock::now(), end);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

/// The nice value of threads with a low priority; the usual one if this process may not set a nice
/// value back.
inline int lowNice() {
    const system::ScopedLowPriority scope;
    return ::getpriority(PRIO_PROCESS, 0);
}

}  // namespace nnburst::burst
