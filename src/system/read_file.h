// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Whole files in memory. They are read, never mapped: a mapping faults when another process
/// shortens the file.

#include <cstddef>
#include <string>
#include <vector>

#include "nnburst/result.h"

namespace nnburst::system {

/// The contents of the file at `path`, which may also be a pipe. INVALID_ARGUMENT, with the path
/// and the system's reason, if it cannot be read or holds more than `maximumBytes`.
[[nodiscard]] Result<std::vector<std::byte>> readFile(const std::string& path,
                                                      std::size_t maximumBytes);

}  // namespace nnburst::system
