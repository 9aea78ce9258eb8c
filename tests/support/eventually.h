// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Waiting in tests: until a condition holds, with a watchdog.

#include <chrono>
#include <functional>
#include <thread>

namespace nnburst::test {

/// Limit on waits of a test, which only a hang reaches.
inline constexpr std::chrono::seconds kWatchdog{20};

/// Polls until `isTrue` returns true, at most for kWatchdog.
[[nodiscard]] inline bool eventually(const std::function<bool()>& isTrue) {
    const auto end = std::chrono::steady_clock::now() + kWatchdog;
    while (std::chrono::steady_clock::now() < end) {
        if (isTrue()) {
            return true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return isTrue();
}

}  // namespace nnburst::test
