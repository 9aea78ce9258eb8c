// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Models that are almost valid: a valid one, of which a few things are changed.

#include "byte_source.h"
#include "nnburst/types.h"

namespace nnburst::fuzz {

/// A random graph or a model with control flow, with at most kMaximumChanges changes.
inline constexpr std::size_t kMaximumChanges = 12;
[[nodiscard]] Model takeModel(ByteSource& bytes);

/// Mostly small, sometimes a size that overflows something.
[[nodiscard]] std::uint32_t takeSize(ByteSource& bytes);

/// Whether executing the model could need more memory than a fuzzer has.
[[nodiscard]] bool isTooLarge(const Model& model);

}  // namespace nnburst::fuzz
