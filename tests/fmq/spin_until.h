// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Waiting in tests for another thread without sleeping.

#include <thread>

namespace nnburst::fmq {

/// Spins until `isTrue`, which another thread makes so; lets that one run if it takes long.
template <class Condition>
void spinUntil(Condition isTrue) {
    constexpr int kLongSpin = 10'000;
    for (int look = 0; !isTrue(); ++look) {
        if (look > kLongSpin) {
            std::this_thread::yield();
        }
    }
}

}  // namespace nnburst::fmq
