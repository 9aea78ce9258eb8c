// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Valid random graphs: several operations of many kinds and types, with inputs that they share.

#include <cstdint>

#include "nnburst/types.h"

namespace nnburst::exec {

/// A valid model, the same for the same seed. All dimensions are known; float values stay small and
/// finite if the inputs are in [-1, 1].
[[nodiscard]] Model makeRandomGraph(std::uint32_t seed);

}  // namespace nnburst::exec
