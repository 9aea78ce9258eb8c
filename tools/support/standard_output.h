// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Programs whose results go to standard output, which may be a file on a full disk or a pipe that
/// nobody reads any longer.

#include <functional>
#include <string>

namespace nnburst::tools {

/// For `main`: calls `run` and returns its exit status. Returns 1, with a message that begins with
/// the name of the `program`, if not all of the standard output could be written.
[[nodiscard]] int runWithOutput(const char* program, const std::function<int()>& run);

/// Prints "PROGRAM: MESSAGE" to standard error. Does nothing if that cannot be written, where
/// fmt::print would throw.
void printError(const char* program, const std::string& message) noexcept;

}  // namespace nnburst::tools
