// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Waiting in tests until executions wait at a gate.

#include <cstddef>
#include <thread>

#include "exec/threads/execution_gate.h"

namespace nnburst::exec {

/// Returns when `count` executions wait at `gate`.
inline void awaitWaiters(const ExecutionGate& gate, std::size_t count) {
    while (gate.waitingCount() != count) {
        std::this_thread::yield();
    }
}

}  // namespace nnburst::exec
