// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The check of Region::receive, for callers that keep the descriptor also if it is refused.

#include <cstdint>

#include "nnburst/result.h"

namespace nnburst {

/// Whether the memory of a descriptor that came from another process is foreign
/// (Region::isForeign). INVALID_ARGUMENT if Region::receive refuses it.
[[nodiscard]] Result<bool> isForeignMemory(int fd, std::uint64_t sizeBytes);

}  // namespace nnburst
