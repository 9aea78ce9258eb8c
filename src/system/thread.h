// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The threads of the library: each has a name, takes no signals, and may be ended by itself.

#include <functional>
#include <string>
#include <thread>

#include "nnburst/result.h"

namespace nnburst::system {

/// Starts a thread that runs `body`. All signals are blocked in it: they belong to the
/// application's threads. `name` has at most 15 characters. RESOURCE_EXHAUSTED_TRANSIENT if the
/// system gives no thread.
[[nodiscard]] Result<std::thread> startThread(const std::string& name, std::function<void()> body);

/// Waits for the end of `thread`; if it is the calling one (owners of threads may be dropped on
/// these very threads), leaves that to the exit of the process.
void joinOrOrphan(std::thread& thread);

}  // namespace nnburst::system
