// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Threads of the server.

#include <functional>
#include <thread>

#include "failure.h"

namespace nnburst::serve {

/// A thread that calls `function`. RESOURCE_EXHAUSTED if the system cannot start it.
[[nodiscard]] Outcome<std::thread> startThread(std::function<void()> function);

}  // namespace nnburst::serve
