// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The context of a measurement: program, machine and time. For the JSON files of programs.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nnburst::tools {

/// Names with texts, in the order in which they are written.
using ContextEntries = std::vector<std::pair<std::string, std::string>>;

/// Date, host, executable, command line, processors, governor, load, kernel, versions of nnburst
/// and of libraries.
[[nodiscard]] ContextEntries runContext(int argc, const char* const* argv);

/// The frequency governor of the first processor, or "unknown".
[[nodiscard]] std::string governorName();

/// Memory that a process has for itself, and its share of what it shares (PSS), in bytes; 0 if that
/// is not known. `process` 0 is this one.
[[nodiscard]] std::uint64_t memoryBytesOf(int process);

}  // namespace nnburst::tools
