// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The secret key with which a driver authenticates its cache files.

#include <array>
#include <cstdint>
#include <string>

#include "nnburst/result.h"

namespace nnburst::device {

using CacheKey = std::array<std::uint8_t, 32>;

/// Reads the key, or makes a random one if there is none and `mayCreate`. The file must be a
/// regular one that belongs to this user and that only this user can read and write.
/// GENERAL_FAILURE names file and reason.
[[nodiscard]] Result<CacheKey> readCacheKey(const std::string& file, bool mayCreate);

}  // namespace nnburst::device
